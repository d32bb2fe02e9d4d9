import PrintModel

/// All code pages' characters, so that one look tells which pages have one.
struct CodePageTables {
    /// Built at the first receipt that is more than ASCII.
    static let shared = CodePageTables()

    /// By the page's place among all; each a table from characters to bytes.
    private var bytes: [[Unicode.Scalar: UInt8]] = []
    private var pages: [Unicode.Scalar: CodePageSet] = [:]
    private var places: [CodePage: Int] = [:]

    private init() {
        for (place, page) in CodePage.allCases.enumerated() {
            var table: [Unicode.Scalar: UInt8] = [Self.blank: 0x20]
            for (index, scalar) in page.upperHalf.unicodeScalars.enumerated()
            where scalar != "?" && scalar != Self.blank && Self.hasCell(scalar) {
                table[scalar] = UInt8(truncatingIfNeeded: 0x80 + index)
            }
            for scalar in table.keys { pages[scalar, default: []].insert(place) }
            bytes.append(table)
            places[page] = place
        }
        for byte in UInt8(0x20)..<0x7F { pages[Unicode.Scalar(byte)] = .all }
    }

    /// One that must not break is printed as any other.
    private static let blank: Unicode.Scalar = "\u{A0}"

    /// Epson's Katakana has ideographs that are one cell wide; the layout gives them two. What combines with a letter
    /// stands in a cell of its own there, behind it.
    private static func hasCell(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .format, .control: false
        default: !EastAsianWidth.isWide(scalar)
        }
    }

    /// What is the same character in another spelling: composed and decomposed ones are equal. Built where a receipt
    /// has such.
    private static let equals: [Character: [Unicode.Scalar]] = Dictionary(grouping: shared.pages.keys.sorted()) {
        Character($0)
    }

    /// In the order of their numbers.
    func equals(of character: Character) -> [Unicode.Scalar] { Self.equals[character] ?? [] }

    func byte(of scalar: Unicode.Scalar, in page: CodePage) -> UInt8? {
        if scalar.isASCII {
            return scalar.value >= 0x20 && scalar.value < 0x7F ? UInt8(truncatingIfNeeded: scalar.value) : nil
        }
        return places[page].flatMap { bytes[$0][scalar] }
    }

    /// The pages that have a character.
    func pages(having character: Character) -> CodePageSet {
        let scalars = character.unicodeScalars
        if scalars.count == 1, let scalar = scalars.first, let pages = pages[scalar] { return pages }
        // A page may have it whole, another in parts, which are few.
        return set(of: CodePage.allCases.filter { $0.bytes(of: character) != nil })
    }

    func set(of pages: [CodePage]) -> CodePageSet {
        pages.reduce(into: []) { set, page in if let place = places[page] { set.insert(place) } }
    }
}

/// Some of the code pages, by their places among all.
struct CodePageSet: Hashable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    init(arrayLiteral places: Int...) { places.forEach { insert($0) } }

    static let all = CodePage.allCases.indices.reduce(into: CodePageSet()) { $0.insert($1) }

    mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }

    func intersection(_ other: CodePageSet) -> CodePageSet {
        var both = self
        both.bits &= other.bits
        return both
    }

    /// In the order of all pages.
    var first: CodePage? { bits == 0 ? nil : CodePage.allCases[bits.trailingZeroBitCount] }
}
