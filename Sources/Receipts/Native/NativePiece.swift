/// Characters that stand side by side on a line, in one style.
struct NativePiece {
    var column: Int
    var width: Int
    /// From left to right, without those that have no width.
    private(set) var text: [Part] = []
    var style: TextStyle

    enum Part {
        /// In every code page.
        case ascii(String)
        /// So many times: rules are made of many that are the same.
        case other(Character, Int)
    }

    init?(_ run: PlacedRun) {
        (column, width, style) = (run.column, run.width, run.style)
        guard width > 0 else { return nil }
        let text = run.isRightToLeft ? run.visualText : run.text
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            self.text = [.ascii(text)]
        } else if text.unicodeScalars.allSatisfy(\.standsAlone) {
            append(alone: text.unicodeScalars)
        } else {
            append(text)
        }
    }

    /// Each scalar is a character.
    private mutating func append(alone scalars: String.UnicodeScalarView) {
        var (start, index) = (scalars.startIndex, scalars.startIndex)
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            if !scalar.isASCII {
                if start < index { text.append(.ascii(String(scalars[start..<index]))) }
                text.append(.other(Character(scalar), 1))
                start = next
            }
            index = next
        }
        if start < index { text.append(.ascii(String(scalars[start..<index]))) }
    }

    /// Stretches of ASCII are cut out whole; only what is between them is looked at character by character.
    private mutating func append(_ text: String) {
        var rest = text[...]
        while let first = rest.unicodeScalars.first {
            // What follows it may combine with the last of a stretch, which is then no ASCII.
            let stretch = rest.unicodeScalars.prefix { $0.isASCII }
            let isWhole = stretch.endIndex == rest.endIndex
            let ascii = isWhole ? stretch : stretch.dropLast()
            if first.isASCII, !ascii.isEmpty {
                self.text.append(.ascii(String(ascii)))
                rest = rest[ascii.endIndex...]
            } else {
                append(rest.removeFirst(), 1)
            }
        }
    }

    private mutating func append(_ character: Character, _ count: Int) {
        guard TextCluster.cells(of: character) > 0 else { return }
        if character.asciiValue != nil {
            text.append(.ascii(String(repeating: String(character), count: count)))
        } else if case .other(character, let before)? = text.last {
            text[text.count - 1] = .other(character, before + count)
        } else {
            text.append(.other(character, count))
        }
    }

    /// Beside tall letters a box has tall sides.
    init(_ stroke: PlacedStroke, scale: Int) {
        (column, width, style) = (stroke.column, stroke.joints.count, TextStyle(height: scale))
        var start = stroke.joints.startIndex
        while start < stroke.joints.endIndex {
            let joint = stroke.joints[start]
            let count = stroke.joints[start...].prefix { $0 == joint }.count
            append(joint.character, count)
            start += count
        }
    }

    /// Of a line, from left to right.
    static func pieces(of line: TextLine) -> [NativePiece] {
        let runs = line.runs.compactMap { NativePiece($0) }
        guard !line.strokes.isEmpty else { return runs }
        return (runs + line.strokes.map { NativePiece($0, scale: line.scale) }).sorted { $0.column < $1.column }
    }

    /// What code pages must be chosen for.
    func forEachOther(_ body: (Character) -> Void) {
        for case .other(let character, _) in text { body(character) }
    }
}
