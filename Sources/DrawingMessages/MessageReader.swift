import Receipts

/// Takes a message apart. Whoever wrote it may be hostile: everything is bounded, and the message must end where it
/// says.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    mutating func byte() throws(DrawingMessageError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Self.brokenOff }
        return byte
    }

    mutating func flag() throws(DrawingMessageError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw DrawingMessageError("neither yes nor no") }
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
            throw DrawingMessageError("a text that is no UTF-8")
        }
        return text
    }

    /// The written value of an enumeration.
    mutating func choice<Choice: CaseIterable>(_: Choice.Type) throws(DrawingMessageError) -> Choice {
        let index = Int(try byte())
        let all = Array(Choice.allCases)
        guard all.indices.contains(index) else { throw DrawingMessageError("an unknown \(Choice.self)") }
        return all[index]
    }

    mutating func matrix(dots: Int) throws(DrawingMessageError) -> DotMatrix {
        let width = try number(in: 0...DotMatrix.longest)
        let height = try number(in: 0...DotMatrix.longest)
        guard width * height <= dots,
            let matrix = DotMatrix(width: width, height: height, bytes: Array(try bytes((width + 7) / 8 * height)))
        else {
            throw DrawingMessageError("dots beyond the limit")
        }
        return matrix
    }

    func end() throws(DrawingMessageError) {
        guard rest.isEmpty else { throw DrawingMessageError("\(rest.count) bytes after the message") }
    }

    private static let brokenOff = DrawingMessageError("a message that breaks off")

    private mutating func bytes(_ count: Int) throws(DrawingMessageError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Self.brokenOff }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes
    }
}
