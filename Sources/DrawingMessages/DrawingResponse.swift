package import KioskHelperMessages
package import KioskReceipts

/// A response of `kiosk-draw`. Responses come in the order of their requests.
package enum DrawingResponse: Hashable, Sendable {
    /// Sent once, before any request: the program has opened its fonts, has given up its rights, and reads requests
    /// now. A program that cannot start sends a refusal instead.
    case ready
    /// The dots, and the characters that no font has. Their cells are white.
    case dots(DotMatrix, withoutGlyph: [Unicode.Scalar])
    case file([UInt8])
    case refused(DrawingRefusal)
}

extension DrawingResponse {
    /// The version of the messages. Both sides must have the same one.
    private static let version: UInt8 = 2

    private enum Kind: UInt8 { case dots = 1, file, refused, ready }

    /// Decodes a message without its frame; throws unless the whole message is one response.
    package init(_ message: some Collection<UInt8>) throws(HelperMessageError) {
        var reader = MessageReader(message)
        guard let kind = Kind(rawValue: try reader.byte()) else {
            throw HelperMessageError("a response of an unknown kind")
        }
        switch kind {
        case .ready:
            guard try reader.byte() == Self.version else { throw HelperMessageError("a greeting of another version") }
            self = .ready
        case .dots:
            var scalars: [Unicode.Scalar] = []
            for _ in 0..<(try reader.number(in: 0...DrawingLimits.withoutGlyph)) {
                guard let scalar = Unicode.Scalar(UInt32(try reader.number())) else {
                    throw HelperMessageError("an invalid Unicode scalar")
                }
                scalars.append(scalar)
            }
            self = .dots(try reader.matrix(dots: DrawingLimits.dots), withoutGlyph: scalars)
        case .file: self = .file(try reader.file(limit: DrawingLimits.message))
        case .refused:
            guard let code = DrawingRefusal.Code(rawValue: try reader.byte()) else {
                throw HelperMessageError("a refusal with an unknown code")
            }
            self = .refused(DrawingRefusal(code, try reader.text(limit: DrawingLimits.messageLength)))
        }
        try reader.end()
    }

    func write(to writer: inout MessageWriter) {
        switch self {
        case .ready:
            writer.byte(Kind.ready.rawValue)
            writer.byte(Self.version)
        case .dots(let matrix, let scalars):
            writer.byte(Kind.dots.rawValue)
            let reported = scalars.prefix(DrawingLimits.withoutGlyph)
            writer.number(reported.count)
            for scalar in reported { writer.number(Int(scalar.value)) }
            writer.matrix(matrix)
        case .file(let file):
            writer.byte(Kind.file.rawValue)
            writer.file(file)
        case .refused(let refusal):
            writer.byte(Kind.refused.rawValue)
            writer.byte(refusal.code.rawValue)
            writer.text(refusal.message, limit: DrawingLimits.messageLength)
        }
    }
}

/// The reason for which a request is refused.
package struct DrawingRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// A sentence without its full stop.
    package var message: String

    package enum Code: UInt8, Hashable, Sendable, CaseIterable {
        /// Larger than `DrawingLimits`.
        case tooLarge = 1
        /// A damaged picture, or an unsupported format.
        case picture
        /// Data that its symbology cannot hold.
        case code
        /// A fault of the drawing program or its machine, such as missing fonts.
        case drawing
    }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
