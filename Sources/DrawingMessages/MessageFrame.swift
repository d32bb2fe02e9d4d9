package import KioskHelperMessages
import KioskReceipts

/// The frame of a message: four bytes with its length, then the message. A message has at least one byte and at most
/// `DrawingLimits.message`.
package enum MessageFrame {
    package static let headerLength = HelperFrame.headerLength

    /// The request with its header.
    package static func bytes(_ request: DrawingRequest) -> [UInt8] { HelperFrame.bytes { request.write(to: &$0) } }

    /// The response with its header.
    package static func bytes(_ response: DrawingResponse) -> [UInt8] { HelperFrame.bytes { response.write(to: &$0) } }

    /// The length of the message that follows these four bytes.
    package static func length(_ header: some Collection<UInt8>) throws(HelperMessageError) -> Int {
        try HelperFrame.length(header, limit: DrawingLimits.message)
    }
}

/// The limits on the size of drawings and messages. A larger one is a mistake or an attack.
package enum DrawingLimits {
    /// Dots of a drawing: as many as a picture may have pixels.
    package static let dots = ReceiptImage.maximumPixels
    /// Dots of a preview, which becomes a PNG file: 10 m of paper 800 dots wide.
    package static let previewDots = 64_000_000
    /// The width and height of a cell, in dots: 32 mm at 203 dpi.
    package static let cell = 256
    /// The magnification of text.
    package static let scale = 16
    /// Bytes of a line of text, or of a code's data.
    package static let textLength = ReceiptLimits.lineLength
    /// Bytes of a refusal's message.
    package static let messageLength = 1024
    /// Characters without a glyph that a response lists.
    package static let withoutGlyph = 256
    /// Bytes of a request or response: a preview that cannot be compressed, and its other fields.
    package static let message = previewDots / 8 + (1 << 20)
}

extension MessageReader {
    /// A dot matrix of at most so many dots.
    mutating func matrix(dots: Int) throws(HelperMessageError) -> DotMatrix {
        let width = try number(in: 0...DotMatrix.maximumSide)
        let height = try number(in: 0...DotMatrix.maximumSide)
        guard width * height <= dots,
            let matrix = DotMatrix(width: width, height: height, bytes: Array(try bytes((width + 7) / 8 * height)))
        else {
            throw HelperMessageError("more dots than the limit")
        }
        return matrix
    }
}

extension MessageWriter {
    mutating func matrix(_ matrix: DotMatrix) {
        number(matrix.width)
        number(matrix.height)
        raw(matrix.bytes)
    }
}
