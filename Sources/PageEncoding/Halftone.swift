/// Makes black dots of grey, row by row, from the top of a side.
package struct Halftone: Sendable {
    /// The ways to choose dots.
    package enum Method: UInt8, Hashable, Sendable, CaseIterable {
        /// A dot is black where the grey is darker than the middle: text and lines on thermal heads.
        case threshold = 1
        /// A clustered screen, whose dots hold on laser printers.
        case clustered = 2
        /// A screen of dispersed dots without a visible pattern.
        case dispersed = 3
        /// Error diffusion: pictures on thermal heads.
        case diffusion = 4
    }

    /// A part of the side with a method of its own.
    package struct Region: Hashable, Sendable {
        package var rectangle: DotRectangle
        package var method: Method

        /// Creates a region.
        package init(_ rectangle: DotRectangle, _ method: Method) {
            self.rectangle = rectangle
            self.method = method
        }
    }

    /// Creates a halftone for rows of `width` dots. Where regions overlap, the last one holds.
    package init(_ method: Method, width: Int, regions: [Region] = []) {}

    /// Adds any number of whole rows of grey, and appends theirs of bits, without padding beyond the last byte.
    /// - Parameter rowBytes: The distance from one row to the next, at least the width.
    package mutating func append(_ rows: Span<UInt8>, rowBytes: Int, into bits: inout [UInt8]) {}
}
