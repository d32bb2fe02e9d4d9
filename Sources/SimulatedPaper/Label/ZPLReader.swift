/// Splits ZPL II into commands: a caret or tilde, two characters (`^A` and its font), and the parameters up to the next
/// command. `^CC`, `^CT` and `^CD` choose other characters for the caret, the tilde and the comma.
struct ZPLReader {
    struct Command: Sendable {
        var offset: Int
        /// The name with its caret or tilde, whatever stood for them.
        var name: String
        var parameters: [UInt8]
        /// The byte between the parameters.
        var delimiter = UInt8(ascii: ",")
    }

    private var reader: ByteReader
    private var caret = UInt8(ascii: "^")
    private var tilde = UInt8(ascii: "~")
    private var delimiter = UInt8(ascii: ",")

    init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

    /// The next command, and the bytes before it that belong to no command, with their offset. Nil at the end.
    mutating func next() -> (command: Command?, skipped: [UInt8], offset: Int)? {
        let skippedOffset = reader.position
        let skipped = takeRest().filter { $0 > 0x20 }
        guard let start = reader.next() else { return skipped.isEmpty ? nil : (nil, skipped, skippedOffset) }
        let offset = reader.position - 1
        guard var name = reader.take(2), name.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            return (nil, skipped + [start], skippedOffset)
        }
        // Manuals write the font as a part of the name; it is a parameter without a comma.
        var parameters: [UInt8] = []
        if name[0] == UInt8(ascii: "A") {
            parameters = [name[1]]
            name = [name[0]]
        }
        let text = (start == caret ? "^" : "~") + String(decoding: name, as: UTF8.self)
        let delimiter = delimiter
        if let change = takeChange(text) {
            parameters = change
        } else if text == "^GF", let picture = takePicture() {
            parameters = picture
        } else {
            parameters += takeRest()
        }
        return (
            Command(offset: offset, name: text, parameters: parameters, delimiter: delimiter), skipped, skippedOffset
        )
    }

    /// Carries out a command that changes the caret, the tilde or the comma: its parameter is the next character,
    /// whatever it is. Nil for other commands.
    private mutating func takeChange(_ name: String) -> [UInt8]? {
        guard ["CC", "CT", "CD"].contains(String(name.dropFirst())) else { return nil }
        guard let next = reader.peek(), (0x21..<0x7F).contains(next), ![caret, tilde].contains(next) else { return [] }
        reader.skip(1)
        switch name.last {
        case "C": caret = next
        case "T": tilde = next
        default: delimiter = next
        }
        return [next]
    }

    private mutating func takeRest() -> [UInt8] {
        var rest: [UInt8] = []
        while let byte = reader.peek(), byte != caret, byte != tilde {
            rest.append(byte)
            reader.skip(1)
        }
        return rest
    }

    /// Takes the parameters of `^GFB` and `^GFC`, whose binary data is as long as their second number says. Nil for
    /// other formats.
    private mutating func takePicture() -> [UInt8]? {
        guard let form = reader.peek(), [UInt8(ascii: "B"), UInt8(ascii: "C")].contains(form) else { return nil }
        var head: [UInt8] = []
        while head.filter({ $0 == delimiter }).count < 4, head.count < 64, let byte = reader.peek() {
            head.append(byte)
            reader.skip(1)
        }
        let fields = head.split(separator: delimiter, omittingEmptySubsequences: false)
        guard fields.count == 5, let count = Int(String(decoding: fields[1], as: UTF8.self)), count >= 0,
            let data = reader.take(count)
        else {
            return head
        }
        return head + data
    }
}

/// The parameters of a command, separated by commas. Missing ones are nil. It keeps what was read otherwise than it was
/// written.
final class ZPLParameters {
    private let fields: [ArraySlice<UInt8>]
    /// What was taken of numbers that have more than digits.
    private(set) var remarks: [String] = []

    init(_ bytes: [UInt8], _ delimiter: UInt8 = UInt8(ascii: ",")) {
        fields = bytes[...].split(separator: delimiter, omittingEmptySubsequences: false)
    }

    convenience init(_ command: ZPLReader.Command) { self.init(command.parameters, command.delimiter) }

    /// The text without line ends, and without the spaces around it.
    func text(_ index: Int) -> String? {
        guard index < fields.count else { return nil }
        let bytes = fields[index].filter { $0 >= 0x20 }
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 })
        else { return nil }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    func letter(_ index: Int) -> Character? { text(index)?.uppercased().first }

    /// A number within bounds that keep calculations from overflowing.
    func number(_ index: Int) -> Int? { whole(index).map { min(max($0, -32_000), 32_000) } }

    /// A number of bytes, which may be larger.
    func size(_ index: Int) -> Int? { whole(index).map { min(max($0, 0), 1 << 30) } }

    /// The digits at the start of a parameter, as the printer takes them; what follows them is a remark.
    private func whole(_ index: Int) -> Int? {
        guard let text = text(index) else { return nil }
        let digits =
            text.prefix(text.first == "-" || text.first == "+" ? 1 : 0)
            + text.drop { $0 == "-" || $0 == "+" }.prefix { $0.isASCII && $0.isNumber }
        guard let value = Int(digits.first == "+" ? digits.dropFirst() : digits.prefix(16)) else {
            remarks.append("\(PaperEvent.quoted(String(text.prefix(20)))) is no number")
            return nil
        }
        if digits.count < text.count {
            remarks.append("\(PaperEvent.quoted(String(text.prefix(20)))) is taken as \(value)")
        }
        return value
    }

    func decimal(_ index: Int) -> Double? {
        guard let text = text(index) else { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        guard let value = Double(digits) else {
            remarks.append("\(PaperEvent.quoted(String(text.prefix(20)))) is no number")
            return nil
        }
        if digits.count < text.count {
            remarks.append("\(PaperEvent.quoted(String(text.prefix(20)))) is taken as \(digits)")
        }
        return value
    }
}
