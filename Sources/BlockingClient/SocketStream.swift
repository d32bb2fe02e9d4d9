import Glibc
import KioskAPIMessages

/// A connected socket.
final class SocketStream: ByteStream {
    let descriptor: Int32

    /// Takes over an open descriptor, which does not block.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func send(_ bytes: UnsafeRawBufferPointer) -> StreamProgress {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .none : .closed
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamProgress {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? .none : .closed
        }
    }

    var hasArrived: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }
}

// MARK: - The Unix socket

extension SocketStream {
    /// How often to try again while the socket's backlog is full (EAGAIN, unix(7)), and how long to wait in between.
    private static let backlogTries = 100
    private static let backlogDelay = Duration.milliseconds(10)

    /// Connects, and tries for at most `timeout` while the daemon's backlog is full.
    static func connect(_ socket: SocketLocation, timeout: Duration) throws -> SocketStream {
        guard !socket.isTooLong else { throw KioskClientError.tooLong(socket) }
        let deadline = ContinuousClock.now + timeout
        for _ in 0..<backlogTries {
            if let stream = try open(socket) { return stream }
            guard deadline > .now else { throw KioskClientError.notConnecting(.socket(socket)) }
            try Interruption.sleep(for: backlogDelay)
        }
        throw KioskClientError.connecting(errno: EAGAIN, .socket(socket))
    }

    /// Nil while the backlog is full. A Unix socket is connected at once or not at all.
    private static func open(_ socket: SocketLocation) throws(KioskClientError) -> SocketStream? {
        let descriptor = Glibc.socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw .connecting(errno: errno, .socket(socket)) }
        let stream = SocketStream(owning: descriptor)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result != 0 else { return stream }
        guard errno == EAGAIN else { throw .connecting(errno: errno, .socket(socket)) }
        return nil
    }

    private static let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
}

// MARK: - TCP

extension SocketStream {
    /// Connects to the host's addresses, one after the other, until one answers. Each has an equal part of the time
    /// that is left.
    static func connect(_ host: RemoteHost, until deadline: ContinuousClock.Instant) throws -> SocketStream {
        var list = try addresses(of: host)
        defer { freeaddrinfo(list.first) }
        var failure = KioskClientError.notConnecting(.host(host))
        while let address = list.next() {
            do {
                let time = max(.zero, deadline - .now) / max(1, list.left + 1)
                return try connect(address, host, until: .now + time)
            } catch let error as KioskClientError {
                failure = error
            }
        }
        throw failure
    }

    /// The addresses of the host: getaddrinfo(3), in the order that it prefers. Blocks for as long as the resolver
    /// does.
    private static func addresses(of host: RemoteHost) throws(KioskClientError) -> AddressList {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host.name, String(host.port), &hints, &first)
        guard result == 0 else { throw .unknownHost(String(cString: gai_strerror(result)), host) }
        return AddressList(first)
    }

    private static func connect(
        _ address: addrinfo, _ host: RemoteHost, until deadline: ContinuousClock.Instant
    ) throws -> SocketStream {
        let descriptor = Glibc.socket(address.ai_family, type, address.ai_protocol)
        guard descriptor >= 0 else { throw KioskClientError.connecting(errno: errno, .host(host)) }
        let stream = SocketStream(owning: descriptor)
        // A request is one write: nothing is gained by waiting for more (Nagle's algorithm).
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return stream }
        guard errno == EINPROGRESS else { throw KioskClientError.connecting(errno: errno, .host(host)) }
        var states = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        guard try Interruption.wait(for: &states, until: deadline) else {
            throw KioskClientError.notConnecting(.host(host))
        }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw KioskClientError.connecting(errno: code, .host(host)) }
        return stream
    }

    /// The list that getaddrinfo returns, and how much of it is left.
    private struct AddressList {
        let first: UnsafeMutablePointer<addrinfo>?
        private var rest: UnsafeMutablePointer<addrinfo>?
        private(set) var left = 0

        init(_ first: UnsafeMutablePointer<addrinfo>?) {
            self.first = first
            rest = first
            var each = first
            while let address = each {
                left += 1
                each = address.pointee.ai_next
            }
        }

        mutating func next() -> addrinfo? {
            guard let address = rest?.pointee else { return nil }
            rest = address.ai_next
            left -= 1
            return address
        }
    }
}
