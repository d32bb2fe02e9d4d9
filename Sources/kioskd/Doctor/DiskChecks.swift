import Glibc
import KioskPrintModel

/// Whether the state directory's disk has room, takes writes, and is quick enough: each job waits for it twice.
struct DiskChecks {
    let installation: Installation

    /// Documents of a day fit into this.
    private static let lowSpace: UInt64 = 256 << 20
    /// A receipt is accepted once it is on disk: people notice more than this.
    private static let slowSync: Duration = .milliseconds(100)
    /// An odd number, for a median.
    private static let syncs = 5

    func findings() -> [DoctorFinding] {
        let path = installation.paths.stateDirectory
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return [] }
        guard status.f_flag & UInt(ST_RDONLY) == 0 else {
            return [
                .init(
                    group: .disk, code: "disk-read-only", status: .critical, subject: path,
                    message:
                        "\(path) is on a file system that takes no writes; where it was the kernel that did so, see dmesg first",
                    command:
                        "mount -o remount,rw \"$(findmnt --noheadings --output TARGET --target \(ShellCommand.quoted(path)))\""
                )
            ]
        }
        return space(status, path) + speed(path)
    }

    private func space(_ status: statvfs, _ path: String) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        if !overflow, free < Self.lowSpace {
            findings.append(
                .init(
                    group: .disk, code: "disk-space-low", status: .warning, subject: path,
                    message:
                        "\(path) has \(free >> 20) MiB left; the logs are what can mostly go, and a role's keep: says how long documents stay",
                    command: "journalctl --vacuum-size=100M"))
        }
        if status.f_files > 0, status.f_favail < 1000 {
            findings.append(
                .init(
                    group: .disk, code: "disk-inodes-low", status: .warning, subject: path,
                    message: "the file system of \(path) has room for \(status.f_favail) more files only", command: nil)
            )
        }
        return findings
    }

    /// The median of a few small writes that are synced. A folder that is not ours is left alone.
    private func speed(_ path: String) -> [DoctorFinding] {
        guard access(path, W_OK) == 0 else { return [] }
        let file = "\(path)/.doctor-\(getpid())"
        defer { unlink(file) }
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<Self.syncs {
            let start = clock.now
            let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { return [] }
            let page = [UInt8](repeating: 0, count: 4096)
            let isWritten = write(descriptor, page, page.count) == page.count && fsync(descriptor) == 0
            close(descriptor)
            guard isWritten else { return [] }
            times.append(start.duration(to: clock.now))
        }
        let median = times.sorted()[times.count / 2]
        let text = "a durable write in \(path) takes \(Self.milliseconds(median)) ms"
        guard median >= Self.slowSync else {
            return [
                .init(group: .disk, code: "disk-speed", status: .ok, subject: path, message: text, command: nil)
            ]
        }
        return [
            .init(
                group: .disk, code: "disk-slow", status: .warning, subject: path,
                message: "\(text), and each receipt waits for two; put the state directory on another disk",
                command: nil)
        ]
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = duration.components.seconds * 10_000 + duration.components.attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
