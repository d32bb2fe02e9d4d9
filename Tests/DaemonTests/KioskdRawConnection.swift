import Glibc
import KioskTestSupport

/// A connection to the daemon's socket that sends exactly the bytes that a test gives it.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError.errno("socket", errno) }
        let result = withUnixAddress(path) { connect(descriptor, $0, $1) }
        guard result == 0 else { throw TestSupportError.errno("connect", errno) }
    }

    deinit { close(descriptor) }

    /// Sends all of it; a test's thread waits for nobody, so it looks again and again.
    func send(_ text: String) async throws {
        var rest = Array(text.utf8)[...]
        try await eventually("the text to be sent") {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count >= 0 || errno == EAGAIN else { throw TestSupportError.errno("send", errno) }
            rest = rest.dropFirst(max(0, count))
            return rest.isEmpty
        }
    }

    /// Whether the daemon has read all that was sent (SIOCOUTQ, unix(7)).
    var isRead: Bool {
        get throws {
            var unread: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &unread) == 0 else { throw TestSupportError.errno("ioctl", errno) }
            return unread == 0
        }
    }

    /// Says that nothing more is sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until `text` has come; throws at the end of the connection.
    @discardableResult
    func read(until text: String) async throws -> String {
        var all = ""
        try await eventually("\"\(text)\"") {
            guard let piece = try readPiece() else { return false }
            guard !piece.isEmpty else { throw TestSupportError("the connection ended after \"\(all)\"") }
            all += piece
            return all.contains(text)
        }
        return all
    }

    /// Reads until the daemon closes the connection.
    func readToEnd() async throws -> String {
        var all = ""
        try await eventually("the end of the connection") {
            guard let piece = try readPiece() else { return false }
            all += piece
            return piece.isEmpty
        }
        return all
    }

    /// Nil when nothing is there yet; empty at the end.
    private func readPiece() throws -> String? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN { return nil }
        if count < 0, errno == ECONNRESET { return "" }
        guard count >= 0 else { throw TestSupportError.errno("recv", errno) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
