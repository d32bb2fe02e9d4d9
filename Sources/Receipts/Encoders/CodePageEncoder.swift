import PrintModel

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
