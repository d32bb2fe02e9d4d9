import Receipts

/// Decodes the fields of a message. The sender may be hostile: every field is bounded, and no bytes may follow the last
/// one.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    mutating func byte() throws(DrawingMessageError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Self.truncated }
        return byte
    }

    mutating func flag() throws(DrawingMessageError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw DrawingMessageError("a flag that is neither 0 nor 1") }
        return byte == 1
    }

    mutating func number() throws(DrawingMessageError) -> Int {
        try bytes(4).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func number(in range: ClosedRange<Int>) throws(DrawingMessageError) -> Int {
        let number = try number()
        guard range.contains(number) else { throw DrawingMessageError("\(number) is not in \(range)") }
        return number
    }

    mutating func file(limit: Int) throws(DrawingMessageError) -> [UInt8] {
        let count = try number(in: 0...limit)
        return Array(try bytes(count))
    }

    mutating func text(limit: Int) throws(DrawingMessageError) -> String {
        let count = try number(in: 0...limit)
        guard let text = String(validating: try bytes(count), as: UTF8.self) else {
            throw DrawingMessageError("a text that is not UTF-8")
        }
        return text
    }

    /// A case of an enumeration, sent as its index.
    mutating func choice<Choice: CaseIterable>(_: Choice.Type) throws(DrawingMessageError) -> Choice {
        let index = Int(try byte())
        let all = Array(Choice.allCases)
        guard all.indices.contains(index) else { throw DrawingMessageError("an unknown \(Choice.self)") }
        return all[index]
    }

    mutating func matrix(dots: Int) throws(DrawingMessageError) -> DotMatrix {
        let width = try number(in: 0...DotMatrix.maximumSide)
        let height = try number(in: 0...DotMatrix.maximumSide)
        guard width * height <= dots,
            let matrix = DotMatrix(width: width, height: height, bytes: Array(try bytes((width + 7) / 8 * height)))
        else {
            throw DrawingMessageError("more dots than the limit")
        }
        return matrix
    }

    func end() throws(DrawingMessageError) {
        guard rest.isEmpty else { throw DrawingMessageError("\(rest.count) bytes after the message") }
    }

    private static let truncated = DrawingMessageError("a truncated message")

    private mutating func bytes(_ count: Int) throws(DrawingMessageError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Self.truncated }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes
    }
}

/// Encodes the fields of a message.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }
    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// A value that does not fit into 32 bits is sent as the largest number, which every reader refuses.
    mutating func number(_ value: Int) {
        let value = UInt32(exactly: value) ?? .max
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    /// A case of an enumeration, sent as its index.
    mutating func choice<Choice: CaseIterable & Equatable>(_ value: Choice) {
        byte(UInt8(Choice.allCases.prefix { $0 != value }.count))
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

    /// Writes the length of the message into its header.
    mutating func setLength() {
        var length = MessageWriter()
        length.number(bytes.count - MessageFrame.headerLength)
        bytes.replaceSubrange(0..<MessageFrame.headerLength, with: length.bytes)
    }
}
