import DrawingMessages
import Glibc

/// Frames on standard input and output.
enum Conversation {
    struct BrokenOff: Error, CustomStringConvertible {
        var description: String
    }

    /// Nil at the input's end.
    static func request() throws -> [UInt8]? {
        guard let header = try read(MessageFrame.headerLength, mayEnd: true) else { return nil }
        return try read(try MessageFrame.length(header), mayEnd: false)
    }

    private static func read(_ count: Int, mayEnd: Bool) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let received = bytes.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress! + filled, count - filled) }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else {
                if received == 0, filled == 0, mayEnd { return nil }
                throw BrokenOff(description: "the request breaks off")
            }
            filled += received
        }
        return bytes
    }

    static func reply(_ reply: DrawingReply) throws {
        let frame = MessageFrame.bytes(reply)
        var written = 0
        while written < frame.count {
            let count = frame.withUnsafeBytes { Glibc.write(1, $0.baseAddress! + written, $0.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BrokenOff(description: "nobody takes the reply") }
            written += count
        }
    }
}
