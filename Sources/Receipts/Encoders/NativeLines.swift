import KioskPrintModel

/// The lines of a layout that a printer prints in its own characters, and the code pages that they need. A line with a
/// character that no code page has is drawn as a whole, since printers take pictures only on separate lines.
struct NativeLines {
    /// The runs of each line of the layout; nil for text that is drawn.
    let runs: [[NativeRun]?]
    let plan: CodePagePlan

    /// `codePages` are the printer's; it starts with `current`, or nil where that is not known. `maximumScale` is the
    /// maximum magnification of its characters; 0 where it has none.
    init(
        _ layout: ReceiptLayout, codePages: [CodePage], current: CodePage?, maximumScale: Int,
        hasThickUnderline: Bool
    ) throws(ReceiptError) {
        let tables = CodePageTables.shared
        let all = tables.set(of: codePages)
        var characters: [Character] = []
        runs = layout.lines.map { line in
            guard case .text(let text) = line.content else { return [] }
            guard maximumScale > 0 else { return nil }
            let runs = NativeRun.runs(of: text)
            guard
                runs.allSatisfy({
                    $0.isPrintable(in: all, of: tables, maximumScale: maximumScale)
                        && (hasThickUnderline || !$0.style.thickUnderline)
                })
            else { return nil }
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
            append(joint.character(stroke.style), count)
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

/// Encodes runs of text in the printer's code pages, in the layout's order, and switches code pages as planned.
struct CodePageEncoder {
    private var plan: CodePagePlan
    /// The number of the plan's characters, those beyond ASCII, that are encoded already.
    private var encoded = 0
    /// The plan's code page, and whether it is set at the printer.
    private var page: CodePage?
    private var isPageSet = true

    /// A part of a run.
    enum Segment {
        /// The following text is in this code page.
        case codePage(CodePage)
        case text([UInt8], String)
    }

    /// `current` is the code page that the printer starts with; nil where it is not known.
    init(_ plan: CodePagePlan, current: CodePage?) { (self.plan, page) = (plan, current) }

    /// Call it after a raw command, which may have set another code page.
    mutating func forgetPage() { isPageSet = false }

    mutating func encode(_ run: NativeRun) -> [Segment] {
        if isPageSet, run.text.count == 1, case .ascii(let text) = run.text[0] {
            return [.text(Array(text.utf8), text)]
        }
        var (segments, bytes, shown): ([Segment], [UInt8], String) = ([], [], "")
        for part in run.text {
            if case .other = part {
                if let next = plan.page(at: encoded) { (page, isPageSet) = (next, false) }
                encoded += 1
            }
            if !isPageSet {
                if !bytes.isEmpty { segments.append(.text(bytes, shown)) }
                (bytes, shown) = ([], "")
                if let page { segments.append(.codePage(page)) }
                isPageSet = true
            }
            switch part {
            case .ascii(let text):
                bytes += text.utf8
                shown += text
            case .other(let character, let count):
                let code = (page ?? .cp437).bytes(of: character) ?? []
                for _ in 0..<count {
                    bytes += code
                    shown.append(character)
                }
            }
        }
        segments.append(.text(bytes, shown))
        return segments
    }
}

/// The code page of each character of a receipt, planned so that the printer is switched as seldom as possible.
struct CodePagePlan {
    /// Where a page starts, by the count of characters before it, ascending.
    private var switches: [(index: Int, page: CodePage)] = []
    private var next = 0

    /// `current` is the code page that is set already; nil where it is not known. Throws where no page has a character.
    ///
    /// A page stays as long as it has all characters; then the page takes over that lasts longest. No other choice has
    /// fewer switches.
    init(_ characters: [Character], pages: [CodePage], current: CodePage?) throws(ReceiptError) {
        let tables = CodePageTables.shared
        let all = tables.set(of: pages)
        var (candidates, start, isSet): (CodePageSet, Int, Bool) = (
            current.map { tables.set(of: [$0]) } ?? all, 0, current != nil
        )
        var last: Character?
        for (index, character) in characters.enumerated() where character.asciiValue == nil && character != last {
            // Rules consist of many equal characters.
            last = character
            let having = tables.pages(having: character)
            let remaining = candidates.intersection(having)
            if remaining.first != nil { candidates = remaining; continue }
            if !isSet, let page = candidates.first { switches.append((start, page)) }
            candidates = all.intersection(having)
            (start, isSet) = (index, false)
            guard candidates.first != nil else {
                throw ReceiptError(
                    .unprintable, "the printer's own characters lack \"\(character)\" (\(Self.codes(of: character)))")
            }
        }
        if !isSet, let page = candidates.first { switches.append((start, page)) }
    }

    private static func codes(of character: Character) -> String {
        character.unicodeScalars.map {
            "U+" + String(repeating: "0", count: max(4 - String($0.value, radix: 16).count, 0))
                + String($0.value, radix: 16, uppercase: true)
        }
        .joined(separator: " ")
    }

    /// The page to switch to before the character with this index; nil where no switch is needed. Indices are asked for
    /// in ascending order.
    mutating func page(at index: Int) -> CodePage? {
        guard next < switches.count, switches[next].index <= index else { return nil }
        defer { next += 1 }
        return switches[next].page
    }
}
