/// Cuts ZPL II into commands: a caret or tilde, two characters (three of `^A` with its font), and what follows up to
/// the next.
struct ZPLReader {
    struct Command {
        var offset: Int
        /// With its caret or tilde.
        var name: String
        var parameters: [UInt8]
    }

    private var reader: ByteReader
    private static let starts: [UInt8] = [UInt8(ascii: "^"), UInt8(ascii: "~")]

    init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

    /// The next command; bytes before it that are none, with their place; nil at the end.
    mutating func next() -> (command: Command?, skipped: [UInt8], place: Int)? {
        let place = reader.position
        let skipped = takeRest().filter { $0 > 0x20 }
        guard let start = reader.next() else { return skipped.isEmpty ? nil : (nil, skipped, place) }
        let offset = reader.position - 1
        guard var name = reader.take(2), name.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            return (nil, skipped + [start], place)
        }
        // The font is a part of the name only for people; as a parameter it stands without a comma.
        var parameters: [UInt8] = []
        if name[0] == UInt8(ascii: "A") {
            parameters = [name[1]]
            name = [name[0]]
        }
        let text = String(decoding: [start] + name, as: UTF8.self)
        if text == "^GF", let picture = takePicture() {
            parameters = picture
        } else {
            parameters += takeRest()
        }
        return (Command(offset: offset, name: text, parameters: parameters), skipped, place)
    }

    private mutating func takeRest() -> [UInt8] {
        var rest: [UInt8] = []
        while let byte = reader.peek(), !Self.starts.contains(byte) {
            rest.append(byte)
            reader.skip(1)
        }
        return rest
    }

    /// `^GFB` and `^GFC` bring as many bytes as their second number says, whatever they are; nil for other forms.
    private mutating func takePicture() -> [UInt8]? {
        guard let form = reader.peek(), [UInt8(ascii: "B"), UInt8(ascii: "C")].contains(form) else { return nil }
        var head: [UInt8] = []
        while head.filter({ $0 == UInt8(ascii: ",") }).count < 4, head.count < 64, let byte = reader.peek() {
            head.append(byte)
            reader.skip(1)
        }
        let fields = head.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard fields.count == 5, let count = Int(String(decoding: fields[1], as: UTF8.self)), count >= 0,
            let data = reader.take(count)
        else {
            return head
        }
        return head + data
    }
}

/// The parameters of a command, which commas divide; what is missing is nil.
struct ZPLParameters {
    private let fields: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) { fields = bytes[...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }

    func text(_ index: Int) -> String? {
        guard index < fields.count else { return nil }
        let text = String(decoding: fields[index].filter { $0 > 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    func letter(_ index: Int) -> Character? { text(index)?.uppercased().first }

    /// Bounded, whatever was sent.
    func number(_ index: Int) -> Int? { text(index).flatMap { Int($0) }.map { min(max($0, -32_000), 32_000) } }

    func decimal(_ index: Int) -> Double? { text(index).flatMap(Double.init) }
}
