/// A line of a receiptline document, split into cells at its pipes. Its parts are slices of its bytes: nothing is
/// copied.
struct MarkupLine {
    var number: Int
    var bytes: ArraySlice<UInt8>

    /// The place of the byte at an index of `bytes`.
    func place(at index: Int) -> ReceiptError.Place {
        let end = min(max(index, bytes.startIndex), bytes.endIndex)
        // Every scalar has exactly one byte that is not a continuation byte.
        let before = bytes[bytes.startIndex..<end].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return ReceiptError.Place(line: number, column: before + 1)
    }

    /// The text of a cell without the blanks around it, and the alignment that these blanks mean.
    struct Cell {
        var bytes: ArraySlice<UInt8>
        var alignment: HorizontalAlignment
    }

    /// The delimiters of cells and properties that are not escaped.
    struct Delimiters {
        var pipes: [Int] = []
        /// The indices of the first and the last brace, and how many there are. Nil where there is none.
        var braces: (first: Int, last: Int, count: Int)?
        var hasBackslashes = false
    }

    func delimiters() throws(ReceiptError) -> Delimiters {
        var (delimiters, start) = (Delimiters(), bytes.startIndex)
        while let index = MarkupSyntax.structure.first(in: bytes, from: start) {
            start = index + 1
            switch bytes[index] {
            case MarkupSyntax.backslash:
                delimiters.hasBackslashes = true
                if start < bytes.endIndex, MarkupSyntax.structural.contains(bytes[start]) { start += 1 }
            case MarkupSyntax.pipe:
                delimiters.pipes.append(index)
                // A pipe at either end of the line makes no column.
                guard delimiters.pipes.count <= ReceiptLimits.columns + 1 else {
                    throw ReceiptError(
                        .tooLarge, "the line has more than \(ReceiptLimits.columns) columns", at: place(at: index))
                }
            default:
                let braces = delimiters.braces
                delimiters.braces = (braces?.first ?? index, index, (braces?.count ?? 0) + 1)
            }
        }
        return delimiters
    }

    /// The cells between the pipes. A pipe at either end of the line makes no cell.
    func cells(at pipes: [Int]) -> [Cell] {
        let line = bytes.trimmingBlanks
        var (start, end) = (line.startIndex, line.endIndex)
        if pipes.first == start { start += 1 }
        if let last = pipes.last, last == end - 1, last >= start { end -= 1 }
        var (cells, from): ([Cell], Int) = ([], start)
        cells.reserveCapacity(pipes.count + 1)
        for place in 0...pipes.count {
            let pipe = place < pipes.count ? pipes[place] : end
            guard place == pipes.count || (start..<end).contains(pipe) else { continue }
            let cell = line[from..<pipe]
            // Text with no pipe on its outer side is aligned to the pipe that it touches.
            let touchesRight = from == line.startIndex && pipe < line.endIndex && cell.last?.isBlank == false
            let touchesLeft = pipe == line.endIndex && from > line.startIndex && cell.first?.isBlank == false
            let before = cell.first?.isBlank == true || touchesRight
            let after = cell.last?.isBlank == true || touchesLeft
            cells.append(
                Cell(bytes: cell.trimmingBlanks, alignment: before == after ? .center : before ? .right : .left))
            from = pipe + 1
        }
        return cells
    }

    /// Throws where the line is not UTF-8, with the place of the first wrong byte.
    func checkEncoding() throws(ReceiptError) {
        guard !WordwiseBytes.isASCII(bytes), String(validating: bytes, as: UTF8.self) == nil else { return }
        var (decoder, iterator, column) = (UTF8(), bytes.makeIterator(), 1)
        while case .scalarValue = decoder.decode(&iterator) { column += 1 }
        throw ReceiptError(.encoding, "the text is not UTF-8", at: ReceiptError.Place(line: number, column: column))
    }
}

/// Parses the text of a receiptline cell into spans of one style each: the characters `_ " ` ^` toggle a style, a
/// backslash begins an escape.
struct MarkupText {
    private(set) var spans: [TextSpan] = []
    private var style = TextStyle()
    /// The run of carets in effect: 0 is none, 1 is wide, 2 is high, and from 3 on it is one more than both scales.
    private var carets = 0
    private var text: [UInt8] = []

    private let underlinesAreThick: Bool

    private init(underlinesAreThick: Bool) { self.underlinesAreThick = underlinesAreThick }

    /// The spans of a cell, whose bytes must be valid UTF-8.
    static func spans(_ cell: ArraySlice<UInt8>, underlinesAreThick: Bool = false) -> [TextSpan] {
        var reader = MarkupText(underlinesAreThick: underlinesAreThick)
        reader.read(cell)
        return reader.spans
    }

    private mutating func read(_ cell: ArraySlice<UInt8>) {
        text.reserveCapacity(cell.count)
        var index = cell.startIndex
        while index < cell.endIndex {
            let byte = cell[index]
            switch byte {
            case MarkupSyntax.backslash:
                index = MarkupEscape.read(cell, at: index, in: .text) { text += $0 }
                continue
            case MarkupSyntax.tilde: text.append(0x20)
            case MarkupSyntax.underline:
                let isThick = underlinesAreThick
                toggle {
                    $0.underline.toggle()
                    $0.thickUnderline = $0.underline && isThick
                }
            case MarkupSyntax.quote: toggle { $0.emphasis.toggle() }
            case MarkupSyntax.backquote: toggle { $0.invert.toggle() }
            case MarkupSyntax.caret:
                let run = cell[index...].prefix { $0 == MarkupSyntax.caret }.count
                scale(min(run, Self.maximumCarets))
                index += run
                continue
            // U+0080 to U+009F are control characters too.
            case 0xC2 where index + 1 < cell.endIndex && cell[index + 1] < 0xA0: index += 1
            default: if !byte.isControl { text.append(byte) }
            }
            index += 1
        }
        flush()
    }

    /// Seven carets magnify six times in both directions. More carets mean the same.
    private static let maximumCarets = 7

    private mutating func scale(_ run: Int) {
        carets = carets == run ? 0 : run
        let (width, height) =
            switch carets {
            case 0: (1, 1)
            case 1: (2, 1)
            case 2: (1, 2)
            default: (carets - 1, carets - 1)
            }
        toggle {
            $0.width = width
            $0.height = height
        }
    }

    private mutating func toggle(_ change: (inout TextStyle) -> Void) {
        flush()
        change(&style)
    }

    private mutating func flush() {
        guard !text.isEmpty else { return }
        let string = String(decoding: text, as: UTF8.self)
        text.removeAll(keepingCapacity: true)
        // A toggle that is undone at once does not begin another span.
        if let last = spans.last, last.style == style {
            spans[spans.count - 1].text += string
        } else {
            spans.append(TextSpan(string, style))
        }
    }
}

/// The members of a receiptline property, such as `{ width: * 10; border: line }`.
struct MarkupProperty {
    /// A value with its escapes unresolved, and its place.
    struct Value {
        var bytes: ArraySlice<UInt8>
        var hasBackslashes: Bool
        var place: ReceiptError.Place

        /// The value with its escapes resolved.
        var text: String { String(decoding: resolved, as: UTF8.self) }

        /// The value with its escapes resolved, in UTF-8.
        var resolved: ArraySlice<UInt8> {
            guard hasBackslashes else { return bytes }
            var (text, index): ([UInt8], Int) = ([], bytes.startIndex)
            while index < bytes.endIndex {
                if bytes[index] == MarkupSyntax.backslash {
                    index = MarkupEscape.read(bytes, at: index, in: .value) { text += $0 }
                } else {
                    text.append(bytes[index])
                    index += 1
                }
            }
            return text[...]
        }

        /// The value in lower case.
        var word: String { text.lowercased() }
        /// The words of the value, in lower case.
        var words: [String] { resolved.words }
    }

    /// The values by their keys; the last value of a key counts.
    private(set) var values: [String: Value] = [:]
    /// The keys in their order, with their places.
    private(set) var keys: [(name: String, place: ReceiptError.Place)] = []

    private let hasBackslashes: Bool

    /// Reads what is between the braces.
    init(_ members: ArraySlice<UInt8>, in line: MarkupLine, hasBackslashes: Bool) throws(ReceiptError) {
        self.hasBackslashes = hasBackslashes
        var (start, index) = (members.startIndex, members.startIndex)
        while let end = MarkupSyntax.members.first(in: members, from: index) {
            if members[end] == MarkupSyntax.semicolon {
                try read(members[start..<end], in: line)
                start = end + 1
            }
            // An escaped byte does not end the member.
            index = min(end + (members[end] == MarkupSyntax.backslash ? 2 : 1), members.endIndex)
        }
        try read(members[start...], in: line)
    }

    private mutating func read(_ member: ArraySlice<UInt8>, in line: MarkupLine) throws(ReceiptError) {
        let member = member.trimmingBlanks
        guard !member.isEmpty else { return }
        let place = line.place(at: member.startIndex)
        let key = member.prefix { $0 != MarkupSyntax.colon }.trimmingBlanks
        let value = member.drop { $0 != MarkupSyntax.colon }.dropFirst().trimmingBlanks
        guard Self.isKey(key), !value.isEmpty else {
            throw ReceiptError(
                .syntax, "the property is not a key with a value",
                instead: "key: value; and \\; for a semicolon in a value", at: place)
        }
        guard keys.count < Self.maximumMembers else {
            throw ReceiptError(.tooLarge, "the property has more than \(Self.maximumMembers) members", at: place)
        }
        let written = String(decoding: key, as: UTF8.self)
        let name = Self.abbreviations[written] ?? written
        keys.append((name, place))
        values[name] = Value(bytes: value, hasBackslashes: hasBackslashes, place: line.place(at: value.startIndex))
    }

    /// More than there are keys.
    private static let maximumMembers = 64

    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        guard let first = key.first, first == MarkupSyntax.underline || first.isLetter else { return false }
        return key.allSatisfy { $0.isLetter || $0 == MarkupSyntax.underline || (0x30...0x39).contains($0) }
    }

    private static let abbreviations = [
        "i": "image", "c": "code", "o": "option", "a": "align", "w": "width", "b": "border", "t": "text",
        "x": "command", "_": "comment",
    ]
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
