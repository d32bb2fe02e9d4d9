import Glibc
import KioskAPI
import KioskDurableFiles
import KioskPrintModel

/// Whether clients find the daemon at its socket.
struct SocketChecks {
    let installation: Installation

    private var path: String { installation.paths.socket.path }

    func findings() -> [DoctorFinding] {
        guard !installation.paths.socket.isTooLong else { return [] }
        guard let file = FileFacts(path) else { return closedFolder + [notRunning("there is no socket \(path)")] }
        guard file.isSocket else {
            return [
                .init(
                    group: .socket, code: "socket-replaced", status: .critical, subject: path,
                    message: "\(path) is no socket, and kioskd does not start while it is there",
                    command: ShellCommand.line("rm", "-r", path))
            ]
        }
        guard connects else { return closedFolder + [notRunning("nobody listens at \(path)")] }
        return closedFolder + mode(file)
    }

    private func notRunning(_ why: String) -> DoctorFinding {
        .init(
            group: .socket, code: "daemon-not-running", status: .critical, subject: path,
            message: "kioskd is not running: \(why)", command: installation.startCommand)
    }

    /// Whoever may print has to reach the socket through its folder; a private state directory is its owner's alone.
    private var closedFolder: [DoctorFinding] {
        let folder = Folder.parent(of: path)
        guard installation.paths.socket.origin != .stateDirectory, let file = FileFacts(folder),
            file.permissions & 0o001 == 0
        else { return [] }
        return [
            .init(
                group: .socket, code: "socket-folder-closed", status: .warning, subject: folder,
                message: "only some users can enter \(folder) (mode \(file.octal)), where the socket is",
                command: ShellCommand.line("chmod", "a+x", folder))
        ]
    }

    private func mode(_ file: FileFacts) -> [DoctorFinding] {
        let wanted = installation.socketMode
        guard file.permissions != wanted.rawValue else { return [] }
        return [
            .init(
                group: .socket, code: "socket-mode", status: .warning, subject: path,
                message: "the socket \(path) has the mode \(file.octal), and --socket-mode is \(wanted)",
                command: ShellCommand.line("chmod", "\(wanted)", path))
        ]
    }

    private var connects: Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            for (index, byte) in path.utf8.prefix(room.count - 1).enumerated() { room[index] = byte }
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
        }
    }
}
