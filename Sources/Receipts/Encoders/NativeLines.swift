import PrintModel

/// The lines of a layout that a printer prints in its own characters, and the code pages that they need. A line with a
/// character that no code page has is drawn as a whole, since printers take pictures only on separate lines.
struct NativeLines {
    /// The runs of each line of the layout; nil for text that is drawn.
    let runs: [[NativeRun]?]
    let plan: CodePagePlan

    /// `codePages` are the printer's; it starts with `current`, or nil where that is not known. `maximumScale` is the
    /// most that it magnifies its characters; 0 where it has none.
    init(
        _ layout: ReceiptLayout, codePages: [CodePage], current: CodePage?, maximumScale: Int
    ) throws(ReceiptError) {
        let tables = CodePageTables.shared
        let all = tables.set(of: codePages)
        var characters: [Character] = []
        runs = layout.lines.map { line in
            guard case .text(let text) = line.content else { return [] }
            guard maximumScale > 0 else { return nil }
            let runs = NativeRun.runs(of: text)
            guard runs.allSatisfy({ $0.isPrintable(in: all, of: tables, maximumScale: maximumScale) }) else {
                return nil
            }
            for run in runs { run.forEachOther { characters.append($0) } }
            return runs
        }
        plan = try CodePagePlan(characters, pages: codePages, current: current)
    }
}

/// Adjacent characters of a line, in one style.
struct NativeRun {
    let column: Int
    let width: Int
    let style: TextStyle
    /// From left to right, without characters that have no width.
    private(set) var text: [Part] = []

    enum Part {
        /// Characters that every code page has.
        case ascii(String)
        /// A character and how often it is repeated: rules consist of many equal ones.
        case other(Character, Int)
    }

    private init?(_ run: PlacedRun) {
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

    /// Beside tall letters a box has tall sides.
    private init(_ stroke: PlacedStroke, scale: Int) {
        (column, width, style) = (stroke.column, stroke.joints.count, TextStyle(height: scale))
        var start = stroke.joints.startIndex
        while start < stroke.joints.endIndex {
            let joint = stroke.joints[start]
            let count = stroke.joints[start...].prefix { $0 == joint }.count
            append(joint.character, count)
            start += count
        }
    }

    /// The runs of a line, from left to right.
    static func runs(of line: TextLine) -> [NativeRun] {
        let runs = line.runs.compactMap { NativeRun($0) }
        guard !line.strokes.isEmpty else { return runs }
        return (runs + line.strokes.map { NativeRun($0, scale: line.scale) }).sorted { $0.column < $1.column }
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

    /// Cuts out ASCII as a whole, and looks only at the rest character by character.
    private mutating func append(_ text: String) {
        var rest = text[...]
        while let first = rest.unicodeScalars.first {
            // What follows may combine with the last ASCII character, which then is none.
            let prefix = rest.unicodeScalars.prefix { $0.isASCII }
            let isWhole = prefix.endIndex == rest.endIndex
            let ascii = isWhole ? prefix : prefix.dropLast()
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

    /// Visits the characters that need a code page.
    func forEachOther(_ body: (Character) -> Void) {
        for case .other(let character, _) in text { body(character) }
    }

    func isPrintable(in pages: CodePageSet, of tables: CodePageTables, maximumScale: Int) -> Bool {
        guard style.width <= maximumScale, style.height <= maximumScale else { return false }
        return text.allSatisfy { part in
            guard case .other(let character, _) = part else { return true }
            return tables.pages(having: character).intersection(pages).first != nil
        }
    }
}
