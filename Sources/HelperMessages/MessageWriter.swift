/// Encodes the fields of a message.
package struct MessageWriter {
    /// The message so far, with its frame's header.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty message.
    package init() {}

    /// One byte.
    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// A truth value, sent as 0 or 1.
    package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// An unsigned 32-bit integer. A value that does not fit is sent as the largest number, which every reader refuses.
    package mutating func number(_ value: Int) { append(UInt32(exactly: value) ?? .max) }

    /// A signed 32-bit integer. A value that does not fit is sent as the smallest number, which every reader refuses.
    package mutating func signed(_ value: Int) { append(UInt32(bitPattern: Int32(exactly: value) ?? .min)) }

    /// An IEEE 754 double.
    package mutating func real(_ value: Double) { append(value.bitPattern) }

    /// A case of an enumeration, sent as its index.
    package mutating func choice<Choice: CaseIterable & Equatable>(_ value: Choice) {
        byte(UInt8(truncatingIfNeeded: Choice.allCases.prefix { $0 != value }.count))
    }

    /// Bytes, preceded by their number.
    package mutating func file(_ file: [UInt8]) {
        number(file.count)
        bytes += file
    }

    /// UTF-8, preceded by its length in bytes.
    package mutating func text(_ text: String) {
        number(text.utf8.count)
        bytes += text.utf8
    }

    /// UTF-8 of at most `limit` bytes, cut between characters.
    package mutating func text(_ text: String, limit: Int) {
        var cut = text[...]
        while cut.utf8.count > limit { cut = cut.dropLast() }
        self.text(String(cut))
    }

    /// A string that may be missing: a flag, then the string.
    package mutating func optionalText(_ text: String?) {
        flag(text != nil)
        if let text { self.text(text) }
    }

    /// Bytes whose number the reader knows.
    package mutating func raw(_ raw: some Sequence<UInt8>) { bytes += raw }

    /// Writes the length of the message into its header.
    mutating func setLength() {
        var length = MessageWriter()
        length.number(bytes.count - HelperFrame.headerLength)
        bytes.replaceSubrange(0..<HelperFrame.headerLength, with: length.bytes)
    }

    private mutating func append<Number: FixedWidthInteger>(_ value: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> Number(shift)))
        }
    }
}
