package import Receipts

/// What the daemon asks of the program that draws. On the wire each request and reply stands in a `MessageFrame`;
/// numbers are 32 bits without a sign, the highest byte first; texts and files follow their length.
package enum DrawingRequest: Hashable, Sendable {
    case draw(Drawing)
    /// Dots as a PNG file, for people to look at.
    case png(DotMatrix)
}

/// What comes back for a request, in the same order.
package enum DrawingReply: Hashable, Sendable {
    /// Sent once, unasked and first: the program has its fonts, has given up its rights, and now reads requests. A
    /// refusal instead says why not.
    case ready
    /// With the characters that no font has, whose cells are white.
    case dots(DotMatrix, withoutGlyph: [Unicode.Scalar])
    case file([UInt8])
    case refused(DrawingRefusal)
}

/// Why something cannot be drawn, whoever tries.
package struct DrawingRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// A sentence without an end.
    package var message: String

    package enum Code: UInt8, Hashable, Sendable, CaseIterable {
        /// Larger than `DrawingLimits`.
        case tooLarge = 1
        /// A picture that is broken, or of a kind that is not read.
        case picture
        /// Data that its symbology cannot hold.
        case code
        /// A fault of whoever draws, such as missing fonts.
        case drawing
    }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
