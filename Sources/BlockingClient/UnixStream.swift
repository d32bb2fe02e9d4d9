import Glibc
import KioskAPIMessages

/// A connected Unix socket, which is closed with this value. No call blocks: `Interruption.wait` does.
struct UnixStream: ~Copyable {
    let descriptor: Int32

    /// Takes over an open descriptor.
    private init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// How often to try again while the socket's backlog is full (EAGAIN, unix(7)), and how long to wait in between.
    private static let backlogTries = 100
    private static let backlogDelay = Duration.milliseconds(10)

    /// Connects, and tries for at most `timeout` while the daemon's backlog is full.
    static func connect(_ socket: SocketLocation, timeout: Duration) throws -> UnixStream {
        guard !socket.isTooLong else { throw KioskClientError.tooLong(socket) }
        let deadline = ContinuousClock.now + timeout
        for _ in 0..<backlogTries {
            if let stream = try open(socket) { return stream }
            guard deadline > .now else { throw KioskClientError.notConnecting(socket) }
            try Interruption.sleep(for: backlogDelay)
        }
        throw KioskClientError.connecting(errno: EAGAIN, socket)
    }

    /// Nil while the backlog is full. A Unix socket is connected at once or not at all.
    private static func open(_ socket: SocketLocation) throws(KioskClientError) -> UnixStream? {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw .connecting(errno: errno, socket) }
        let stream = UnixStream(owning: descriptor)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result != 0 else { return stream }
        guard errno == EAGAIN else { throw .connecting(errno: errno, socket) }
        return nil
    }

    /// The result of reading or writing.
    enum Progress {
        /// This many bytes.
        case bytes(Int)
        /// The socket is not ready: wait.
        case none
        /// The daemon has closed the connection.
        case closed
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Progress {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .none : .closed
        }
    }

    /// Reads what has arrived into `buffer`.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? .none : .closed
        }
    }

    /// Whether something is there to be read: bytes, or the connection's end.
    var hasArrived: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }
}
