/// Four bytes with the length of a message, and the message. No message is empty or has more than
/// `DrawingLimits.message` bytes.
package enum MessageFrame {
    package static let headerLength = 4

    /// With its header.
    package static func bytes(_ request: DrawingRequest) -> [UInt8] {
        framed { request.write(to: &$0) }
    }

    /// With its header.
    package static func bytes(_ reply: DrawingReply) -> [UInt8] {
        framed { reply.write(to: &$0) }
    }

    /// Of the message that follows these four bytes.
    package static func length(_ header: some Collection<UInt8>) throws(DrawingMessageError) -> Int {
        guard header.count == headerLength else { throw DrawingMessageError("a frame without its length") }
        let length = header.reduce(0) { $0 << 8 | Int($1) }
        guard (1...DrawingLimits.message).contains(length) else {
            throw DrawingMessageError("a message of \(length) bytes")
        }
        return length
    }

    private static func framed(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        writer.number(0)
        write(&writer)
        writer.setLength()
        return writer.bytes
    }
}

/// A message that says nothing, or breaks off.
package struct DrawingMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}
