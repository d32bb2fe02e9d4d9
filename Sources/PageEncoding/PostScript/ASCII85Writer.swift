/// Writes bytes as PostScript's `ASCII85Decode` reads them ("PostScript Language Reference", 3.13.3): five characters
/// for four bytes, in short lines.
struct ASCII85Writer: Sendable {
    /// The bytes of a group that is not complete, the first in the highest byte.
    private var group: UInt32 = 0
    private var groupCount = 0
    private var column = 0

    private static let maximumColumns = 76

    mutating func append(_ bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
        for byte in bytes {
            group |= UInt32(byte) << UInt32(24 - 8 * groupCount)
            groupCount += 1
            if groupCount == 4 { flush(to: &output) }
        }
    }

    /// Ends the data, and the line.
    mutating func finish(to output: inout [UInt8]) {
        if groupCount > 0 { flush(to: &output) }
        output += "~>\n".utf8
        column = 0
    }

    private mutating func flush(to output: inout [UInt8]) {
        if group == 0, groupCount == 4 {
            append(character: UInt8(ascii: "z"), to: &output)
        } else {
            // A group of n bytes has n + 1 characters.
            var (rest, divisor) = (group, UInt32(85 * 85 * 85 * 85))
            for _ in 0...groupCount {
                append(character: UInt8(truncatingIfNeeded: rest / divisor) + 0x21, to: &output)
                rest %= divisor
                divisor /= 85
            }
        }
        (group, groupCount) = (0, 0)
    }

    private mutating func append(character: UInt8, to output: inout [UInt8]) {
        if column >= Self.maximumColumns {
            output.append(0x0A)
            column = 0
        }
        // A line that begins with "%" looks like a comment of the document's structure.
        if column == 0, character == UInt8(ascii: "%") { output.append(0x20) }
        output.append(character)
        column += 1
    }
}
