import Foundation
import Glibc
import KioskTestSupport
import Synchronization

/// A server on a Unix socket that sends exactly the bytes of a test's script. Each connection runs the script on its
/// own thread.
final class ScriptedServer: Sendable {
    let path: String
    private let folder: TemporaryFolder
    private let listener: Int32
    private let failures = Mutex<[String]>([])
    private let requests = Mutex<[Peer.Request]>([])
    private let connections = Mutex(0)

    typealias Script = @Sendable (Peer) throws -> Void

    init(_ script: @escaping Script) throws {
        folder = try TemporaryFolder("api")
        path = folder.appending("kioskd.sock")
        listener = try Self.listen(path)
        let thread = Thread { [listener, weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0, errno == EINTR { continue }
                guard descriptor >= 0, let self else {
                    if descriptor >= 0 { close(descriptor) }
                    // Closed here alone: another server may get its number at once, and this thread its connection.
                    close(listener)
                    return
                }
                self.serve(descriptor, script)
            }
        }
        thread.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The clients' requests, in order.
    var received: [Peer.Request] { requests.withLock(\.self) }
    var connectionCount: Int { connections.withLock(\.self) }

    private func serve(_ descriptor: Int32, _ script: @escaping Script) {
        let number = connections.withLock { count in
            count += 1
            return count
        }
        let peer = Peer(descriptor: descriptor, number: number) { [weak self] request in
            self?.requests.withLock { $0.append(request) }
        }
        Thread {
            try? script(peer)
            peer.close()
        }.start()
    }

    private static func listen(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, Glibc.listen(descriptor, 64) == 0 else { throw TestSupportError.errno("listen", errno) }
        return descriptor
    }
}

/// The server's end of one connection.
///
/// Unchecked: it is used by one thread at a time. Only `close` may be called from another, and is safe.
final class Peer: @unchecked Sendable {
    struct Request: Sendable, Equatable {
        var method: String
        var path: String
        var headers: [String: String]
        var bodyLength = 0
        /// The first bytes of the body.
        var body: [UInt8] = []
    }

    /// The connection's number, from 1.
    let number: Int
    private let descriptor: Int32
    private let record: (Request) -> Void
    private var buffer: [UInt8] = []
    private var rest: ArraySlice<UInt8> = []
    private let isClosed = Atomic(false)

    /// The bytes of a body that are kept.
    private static let keptBody = 1 << 16

    init(descriptor: Int32, number: Int, record: @escaping (Request) -> Void) {
        self.descriptor = descriptor
        self.number = number
        self.record = record
    }

    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        Glibc.close(descriptor)
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw TestSupportError.errno("send", errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes a piece again and again until the socket's buffers are full, and returns the number of bytes written. The
    /// rest of a piece that was written in part comes first the next time.
    func fill(with bytes: [UInt8]) throws -> Int {
        var count = 0
        while true {
            if rest.isEmpty { rest = bytes[...] }
            let sent = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard sent > 0 else {
                if sent < 0, errno == EAGAIN { return count }
                throw TestSupportError.errno("send", errno)
            }
            count += sent
            rest = rest.dropFirst(sent)
        }
    }

    func respond(_ status: String, _ body: String, type: String = "application/json", headers: String = "") throws {
        try write(
            "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
        )
    }

    func respond(json: String, status: String = "200 OK") throws { try respond(status, json) }

    func respondProblem(_ status: String, _ json: String) throws {
        try respond(status, json, type: "application/problem+json")
    }

    /// Reads a request's head and leaves its body unread.
    func readHead() throws -> Request {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                buffer.removeSubrange(..<end.upperBound)
                let words = lines[0].split(separator: " ").map(String.init)
                let fields = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
                }
                return Request(method: words[0], path: words[1], headers: Dictionary(uniqueKeysWithValues: fields))
            }
            try fill()
        }
    }

    /// Reads a request with its whole body.
    @discardableResult
    func readRequest() throws -> Request {
        var request = try readHead()
        if let length = request.headers["content-length"].flatMap(Int.init) {
            try readBody(length, into: &request)
        } else if request.headers["transfer-encoding"] == "chunked" {
            while true {
                guard let length = Int(try readLine(), radix: 16) else { throw TestSupportError("no chunk") }
                try readBody(length, into: &request)
                _ = try readLine()
                if length == 0 { break }
            }
        }
        record(request)
        return request
    }

    /// Reads `count` bytes of a body.
    func skip(_ count: Int) throws {
        var request = Request(method: "", path: "", headers: [:])
        try readBody(count, into: &request)
    }

    /// Waits until the client has closed the connection, and reads what it sends until then.
    func waitForEnd() -> Bool {
        while true {
            do { try fill() } catch { return true }
        }
    }

    /// Waits until the client has closed the connection, and leaves unread what it sent.
    func waitForHangUp() {
        // POLLHUP is reported even with no events asked for.
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&state, 1, -1) < 0 {}
    }

    private func readBody(_ length: Int, into request: inout Request) throws {
        var missing = length
        while missing > 0 {
            if buffer.isEmpty { try fill() }
            let piece = buffer.prefix(missing)
            request.body += piece.prefix(max(0, Self.keptBody - request.body.count))
            request.bodyLength += piece.count
            missing -= piece.count
            buffer.removeFirst(piece.count)
        }
    }

    private func readLine() throws -> String {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n".utf8)) {
                defer { buffer.removeSubrange(..<end.upperBound) }
                return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
            }
            try fill()
        }
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { throw TestSupportError(count == 0 ? "the client closed" : "recv: \(errno)") }
        buffer += piece.prefix(count)
    }
}
