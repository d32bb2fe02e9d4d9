import Receipts

/// The frame of a message: four bytes with its length, then the message. A message has at least one byte and at most
/// `DrawingLimits.message`.
package enum MessageFrame {
    package static let headerLength = 4

    /// The request with its header.
    package static func bytes(_ request: DrawingRequest) -> [UInt8] {
        framed { request.write(to: &$0) }
    }

    /// The reply with its header.
    package static func bytes(_ reply: DrawingReply) -> [UInt8] {
        framed { reply.write(to: &$0) }
    }

    /// The length of the message that follows these four bytes.
    package static func length(_ header: some Collection<UInt8>) throws(DrawingMessageError) -> Int {
        guard header.count == headerLength else { throw DrawingMessageError("an incomplete frame header") }
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

/// The reason why a message cannot be decoded.
package struct DrawingMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

/// Limits on the size of drawings. A larger one is a mistake or an attack.
package enum DrawingLimits {
    /// Dots of a drawing: as many as a picture may have pixels.
    package static let dots = ReceiptImage.maximumPixels
    /// Dots of a preview, which becomes a PNG file: 10 m of paper 800 dots wide.
    package static let previewDots = 64_000_000
    /// The width and height of a cell, in dots: 32 mm at 203 dpi.
    package static let cell = 256
    /// The magnification of text.
    package static let scale = 16
    /// Bytes of a text.
    package static let textLength = ReceiptLimits.lineLength
    /// Bytes of a refusal's message.
    package static let messageLength = 1024
    /// Characters without a glyph that a reply lists.
    package static let withoutGlyph = 256
    /// Bytes of a request or reply: a preview that cannot be compressed, and its other fields.
    package static let message = previewDots / 8 + (1 << 20)
}
