package import PrintModel

extension CodePage {
    /// The name for people.
    package var name: String {
        switch self {
        case .katakana: "Katakana"
        default: rawValue.hasPrefix("windows") ? "Windows" + rawValue.dropFirst(7) : rawValue.uppercased()
        }
    }

    /// The character's bytes, or nil where the page lacks it. Composed and decomposed characters are the same. What
    /// follows a half-width letter in its own cell has its own byte.
    package func bytes(of character: Character) -> [UInt8]? {
        if let ascii = character.asciiValue { return ascii.isControl ? nil : [ascii] }
        let tables = CodePageTables.shared
        let scalars = character.unicodeScalars
        if let scalar = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex,
            let byte = tables.byte(of: scalar, in: self)
        {
            return [byte]
        }
        for scalar in tables.equivalents(of: character) {
            if let byte = tables.byte(of: scalar, in: self) { return [byte] }
        }
        guard scalars.count > 1 else { return nil }
        let bytes = scalars.compactMap { tables.byte(of: $0, in: self) }
        return bytes.count == scalars.count && bytes.count == TextCluster.cells(of: character) ? bytes : nil
    }
}

/// The characters of all code pages, so that a single look-up tells which pages have one.
struct CodePageTables {
    /// Built for the first receipt that has more than ASCII.
    static let shared = CodePageTables()

    /// The pages' tables from characters to bytes, in the order of `CodePage.allCases`.
    private var bytes: [[Unicode.Scalar: UInt8]] = []
    private var pages: [Unicode.Scalar: CodePageSet] = [:]
    private var indices: [CodePage: Int] = [:]

    private init() {
        for (index, page) in CodePage.allCases.enumerated() {
            var table: [Unicode.Scalar: UInt8] = [Self.noBreakSpace: 0x20]
            for (offset, scalar) in page.upperHalf.unicodeScalars.enumerated()
            where scalar != "?" && scalar != Self.noBreakSpace && Self.hasCell(scalar) {
                table[scalar] = UInt8(truncatingIfNeeded: 0x80 + offset)
            }
            for scalar in table.keys { pages[scalar, default: []].insert(index) }
            bytes.append(table)
            indices[page] = index
        }
        for byte in UInt8(0x20)..<0x7F { pages[Unicode.Scalar(byte)] = .all }
    }

    /// It is printed as any other space.
    private static let noBreakSpace: Unicode.Scalar = "\u{A0}"

    /// Epson's Katakana has ideographs that are one cell wide; the layout gives them two. It prints a combining mark
    /// in a cell behind its letter.
    private static func hasCell(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .format, .control: false
        default: !EastAsianWidth.isWide(scalar)
        }
    }

    /// The scalars that are canonically equivalent to a character: composed and decomposed ones are equal. Built for
    /// the first receipt that has one.
    private static let equivalents: [Character: [Unicode.Scalar]] = Dictionary(grouping: shared.pages.keys.sorted()) {
        Character($0)
    }

    /// The single scalars that are the same character, in the order of their numbers.
    func equivalents(of character: Character) -> [Unicode.Scalar] { Self.equivalents[character] ?? [] }

    func byte(of scalar: Unicode.Scalar, in page: CodePage) -> UInt8? {
        if scalar.isASCII {
            return scalar.value >= 0x20 && scalar.value < 0x7F ? UInt8(truncatingIfNeeded: scalar.value) : nil
        }
        return indices[page].flatMap { bytes[$0][scalar] }
    }

    /// The pages that have a character.
    func pages(having character: Character) -> CodePageSet {
        let scalars = character.unicodeScalars
        if scalars.count == 1, let scalar = scalars.first, let pages = pages[scalar] { return pages }
        // One page may have it as one byte, another as several. Such characters are few.
        return set(of: CodePage.allCases.filter { $0.bytes(of: character) != nil })
    }

    func set(of pages: [CodePage]) -> CodePageSet {
        pages.reduce(into: []) { set, page in if let index = indices[page] { set.insert(index) } }
    }
}

/// A set of code pages, by their indices in `CodePage.allCases`.
struct CodePageSet: Hashable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    init(arrayLiteral indices: Int...) { indices.forEach { insert($0) } }

    static let all = CodePage.allCases.indices.reduce(into: CodePageSet()) { $0.insert($1) }

    mutating func insert(_ index: Int) { bits |= 1 << UInt64(index) }

    func intersection(_ other: CodePageSet) -> CodePageSet {
        var both = self
        both.bits &= other.bits
        return both
    }

    /// In the order of `CodePage.allCases`.
    var first: CodePage? { bits == 0 ? nil : CodePage.allCases[bits.trailingZeroBitCount] }
}
