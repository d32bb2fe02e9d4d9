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
                    command: ShellCommand.line("mv", path, "\(path).moved"))
            ]
        }
        switch answer {
        case .nobody: return closedFolder + [notRunning("nobody listens at \(path)")]
        case .silence: return closedFolder + [notAnswering]
        case .some: return closedFolder + mode(file)
        }
    }

    /// Systemd listens for a daemon that hangs, or that cannot be started.
    private var notAnswering: DoctorFinding {
        .init(
            group: .socket, code: "daemon-not-answering", status: .critical, subject: path,
            message:
                "at \(path) somebody listens, and does not answer within \(Self.answerSeconds) s; see journalctl -u kioskd",
            command: installation.isPrivate ? nil : "systemctl restart kioskd")
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
            file.permissions & 0o001 == 0, !isOfSocketGroup(file)
        else { return [] }
        return [
            .init(
                group: .socket, code: "socket-folder-closed", status: .warning, subject: folder,
                message: "only some users can enter \(folder) (mode \(file.octal)), where the socket is",
                command: ShellCommand.line("chmod", "a+x", folder))
        ]
    }

    /// Whether the folder is closed to those alone who may not open the socket either.
    private func isOfSocketGroup(_ folder: FileFacts) -> Bool {
        guard let name = installation.socketGroup, folder.permissions & 0o010 != 0 else { return false }
        return folder.group == gid_t(name) ?? getgrnam(name)?.pointee.gr_gid
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

    /// What comes back to a request.
    private enum Answer { case nobody, silence, some }

    private static let answerSeconds = 10

    private var answer: Answer {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .nobody }
        defer { close(descriptor) }
        // A connection is not waited for for ever either, where those before it fill the listener's queue.
        var limit = timeval(tv_sec: Self.answerSeconds, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            for (index, byte) in path.utf8.prefix(room.count - 1).enumerated() { room[index] = byte }
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
        }
        guard isConnected else { return errno == EAGAIN ? .silence : .nobody }
        let request = Array("GET /v1/server HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return .silence
        }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 1 ? .some : .silence
    }
}
