import Glibc
import KioskPrintModel
import KioskPrinterRegistry

/// The user and the groups that the service needs, and whether a person is in the right one.
struct GroupChecks {
    let installation: Installation

    func findings() -> [DoctorFinding] { serviceUser + missingGroups + serialGroup + person }

    private var serviceUser: [DoctorFinding] {
        guard !installation.isPrivate, getpwnam(Installation.serviceName) == nil else { return [] }
        let name = Installation.serviceName
        return [
            .init(
                group: .groups, code: "service-user-missing", status: .critical, subject: name,
                message: "there is no user \(name), as which the service runs",
                command: ShellCommand.line(
                    "useradd", "--system", "--user-group", "--home-dir", "/var/lib/kioskd", "--no-create-home", name))
        ]
    }

    private var missingGroups: [DoctorFinding] {
        installation.namedGroups.filter { gid_t($0.group) == nil && getgrnam($0.group) == nil }.map { option, group in
            .init(
                group: .groups, code: "group-missing", status: .critical, subject: group,
                message: "there is no group \"\(group)\", which \(option) names, so kioskd does not start",
                command: ShellCommand.line("groupadd", "--system", group))
        }
    }

    /// Who may open serial ports is decided by the group of their devices.
    private var serialGroup: [DoctorFinding] {
        guard installation.user != 0, let registry = RegistryChecks.registry(of: installation),
            registry.printers.contains(where: { $0.url.scheme == .serial }),
            let name = getpwuid(installation.user).map({ String(cString: $0.pointee.pw_name) }),
            getgrnam("dialout") != nil, !Self.isMember(name, of: "dialout")
        else { return [] }
        return [
            .init(
                group: .groups, code: "serial-group", status: .warning, subject: name,
                message: "a printer is on a serial port, and \(name) is not in the group dialout, which may open them",
                command: ShellCommand.line("usermod", "--append", "--groups", "dialout", name))
        ]
    }

    private var person: [DoctorFinding] {
        guard let name = installation.person else { return [] }
        guard let entry = getpwnam(name) else {
            return [
                .init(
                    group: .groups, code: "user-missing", status: .critical, subject: name,
                    message: "there is no user \"\(name)\"", command: ShellCommand.line("useradd", name))
            ]
        }
        guard entry.pointee.pw_uid != 0, entry.pointee.pw_uid != installation.user,
            let group = installation.socketGroup, getgrnam(group) != nil, !Self.isMember(name, of: group)
        else { return [] }
        return [
            .init(
                group: .groups, code: "user-not-in-group", status: .warning, subject: name,
                message:
                    "\(name) cannot print, since only the group \(group) may open the socket; log in anew after it",
                command: ShellCommand.line("usermod", "--append", "--groups", group, name))
        ]
    }

    private static func isMember(_ user: String, of group: String) -> Bool {
        guard let wanted = getgrnam(group)?.pointee.gr_gid, let primary = getpwnam(user)?.pointee.pw_gid else {
            return false
        }
        var count: Int32 = 1024
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard getgrouplist(user, primary, &groups, &count) >= 0 else { return false }
        return groups.prefix(Int(count)).contains(wanted)
    }
}
