import Glibc
import TestSupport

/// A connection to the daemon's socket that sends exactly the bytes that a test gives it.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
        let result = withUnixAddress(path) { connect(descriptor, $0, $1) }
        guard result == 0 else { throw TestSupportError.errno("connect", errno) }
        // Only bounds a hang.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw TestSupportError.errno("send", errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Says that nothing more is sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until `text` has come; throws at the end of the connection.
    @discardableResult
    func read(until text: String) throws -> String {
        var all = ""
        while !all.contains(text) {
            let piece = try readPiece()
            guard !piece.isEmpty else { throw TestSupportError("the connection ended after \"\(all)\"") }
            all += piece
        }
        return all
    }

    /// Reads until the daemon closes the connection.
    func readToEnd() throws -> String {
        var all = ""
        while true {
            let piece = try readPiece()
            guard !piece.isEmpty else { return all }
            all += piece
        }
    }

    private func readPiece() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET { return "" }
        guard count >= 0 else { throw TestSupportError.errno("recv", errno) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
