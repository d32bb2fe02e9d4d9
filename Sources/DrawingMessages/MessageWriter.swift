import Receipts

/// Puts a message together.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }
    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// What a number has no room for becomes the largest, which nobody takes.
    mutating func number(_ value: Int) {
        let value = UInt32(exactly: value) ?? .max
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    mutating func file(_ file: [UInt8]) {
        number(file.count)
        bytes += file
    }

    mutating func text(_ text: String) {
        number(text.utf8.count)
        bytes += text.utf8
    }

    mutating func matrix(_ matrix: DotMatrix) {
        number(matrix.width)
        number(matrix.height)
        bytes += matrix.bytes
    }

    /// Writes how many bytes follow the first four into these.
    mutating func setLength() {
        var length = MessageWriter()
        length.number(bytes.count - MessageFrame.headerLength)
        bytes.replaceSubrange(0..<MessageFrame.headerLength, with: length.bytes)
    }
}
