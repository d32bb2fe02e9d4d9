import PrintModel

/// Which code page each character of a receipt is printed with, so that the printer is switched as seldom as possible.
struct CodePagePlan {
    /// Where a page begins, by the count of characters before it, ascending.
    private var switches: [(index: Int, page: CodePage)] = []
    private var next = 0

    /// `current`: what is on already; nil where nobody knows. Throws where no page has a character.
    ///
    /// A page stays for as long as it has all characters; then the one takes over that goes furthest. No other choice
    /// has fewer switches.
    init(_ characters: [Character], pages: [CodePage], current: CodePage?) throws(ReceiptError) {
        let tables = CodePageTables.shared
        let all = tables.set(of: pages)
        var (candidates, start, isOn): (CodePageSet, Int, Bool) = (
            current.map { tables.set(of: [$0]) } ?? all, 0, current != nil
        )
        var last: Character?
        for (index, character) in characters.enumerated() where character.asciiValue == nil && character != last {
            // Rules are made of many that are the same.
            last = character
            let having = tables.pages(having: character)
            let remaining = candidates.intersection(having)
            if remaining.first != nil { candidates = remaining; continue }
            if !isOn, let page = candidates.first { switches.append((start, page)) }
            candidates = all.intersection(having)
            (start, isOn) = (index, false)
            guard candidates.first != nil else {
                throw ReceiptError(
                    .unprintable, "the printer's own characters lack \"\(character)\" (\(Self.codes(of: character)))")
            }
        }
        if !isOn, let page = candidates.first { switches.append((start, page)) }
    }

    private static func codes(of character: Character) -> String {
        character.unicodeScalars.map {
            "U+" + String(repeating: "0", count: max(4 - String($0.value, radix: 16).count, 0))
                + String($0.value, radix: 16, uppercase: true)
        }
        .joined(separator: " ")
    }

    /// The page to switch to in front of the character of this index; asked for in ascending order.
    mutating func page(at index: Int) -> CodePage? {
        guard next < switches.count, switches[next].index <= index else { return nil }
        defer { next += 1 }
        return switches[next].page
    }
}
