import CLinux
import Glibc

/// The lock beside the socket, held for as long as the daemon lives: of two starters one gets it, and only its holder
/// puts a socket in place or takes it away. The kernel gives it back when the process ends, however it ends.
struct SocketLock: ~Copyable {
    private let path: String
    private let descriptor: CInt

    init(socket: String) throws(StartError) {
        path = "\(socket).lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .system("cannot open", path, errno, next: "name a socket in a folder of your own with --socket")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let holder = Self.readHolder(descriptor)
            close(descriptor)
            guard number == EWOULDBLOCK else { throw .system("cannot lock", path, number, next: "try again") }
            throw StartError(
                .inUse,
                "the socket \(socket) is in use by \(holder); stop that daemon, or name another socket with --socket"
            )
        }
        writeHolder()
    }

    deinit { close(descriptor) }

    /// Whether its file is still there; if somebody removed it, others can lock another in its place.
    var isInPlace: Bool {
        var (ours, there) = (clinux_file(), clinux_file())
        return clinux_fstat(descriptor, &ours) == 0 && clinux_stat(path, 0, &there) == 0
            && ours.device == there.device && ours.inode == there.inode
    }

    /// The holder's number is for messages only: the lock itself decides.
    private func writeHolder() {
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    private static func readHolder(_ descriptor: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0, let text = String(validating: buffer.prefix(count), as: UTF8.self),
            let process = Int32(text.prefix { $0.isNumber })
        else { return "another process" }
        return "process \(process)"
    }
}
