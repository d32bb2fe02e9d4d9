import Glibc
import KioskAPI
import KioskPrintModel

/// Whether the clock is right: certificates, tokens and the expiry of jobs depend on it.
struct ClockChecks {
    let installation: Installation

    /// What time services leave while the clock is synchronized, or while they run.
    private static let marks = [
        "/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/var/run/ntpd.pid", "/run/ntpd.pid",
    ]

    func findings() -> [DoctorFinding] { behind + unsynchronized }

    /// timedatectl knows the services that are installed.
    private var command: String {
        let folders = ["/usr/lib/systemd", "/lib/systemd"]
        let services = folders.map { "\($0)/systemd-timesyncd" } + ["/usr/sbin/chronyd", "/usr/sbin/ntpd"]
        return services.contains { access($0, X_OK) == 0 }
            ? "timedatectl set-ntp true" : "apt-get install --no-install-recommends -y systemd-timesyncd"
    }

    /// A clock that shows a time before this program was installed has lost it, as after an empty battery.
    private var behind: [DoctorFinding] {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0, time(nil) < status.st_mtim.tv_sec else { return [] }
        return [
            .init(
                group: .clock, code: "clock-behind", status: .critical, subject: "clock",
                message: "the clock shows \(Timestamp.now), which is before this program was installed",
                command: command)
        ]
    }

    private var unsynchronized: [DoctorFinding] {
        guard Self.marks.allSatisfy({ access($0, F_OK) != 0 }) else { return [] }
        return [
            .init(
                group: .clock, code: "clock-not-synchronized", status: .warning, subject: "clock",
                message:
                    "no time service has set the clock; a wrong one makes certificates, tokens and jobs end too soon or too late",
                command: command)
        ]
    }
}
