/// A table of 256 characters that a printer can be switched to. The lower half is ASCII in all of them.
package enum CodePage: Int, Hashable, Sendable, CaseIterable {
    case cp437
    /// CP850 with the Euro sign.
    case cp858
    case cp850
    case windows1252
    /// Central Europe.
    case cp852
    /// Cyrillic.
    case cp866
    /// Half-width Katakana.
    case katakana

    package var name: String {
        switch self {
        case .cp437: "CP437"
        case .cp858: "CP858"
        case .cp850: "CP850"
        case .windows1252: "Windows-1252"
        case .cp852: "CP852"
        case .cp866: "CP866"
        case .katakana: "Katakana"
        }
    }

    /// The character's bytes, or nil where the page lacks it. Composed and decomposed characters are the same; what follows a
    /// half-width letter in a cell of its own has a byte of its own.
    package func bytes(of character: Character) -> [UInt8]? {
        if let byte = byte(of: character) { return [byte] }
        guard character.unicodeScalars.count > 1 else { return nil }
        let bytes = character.unicodeScalars.compactMap { byte(of: Character($0)) }
        return bytes.count == character.unicodeScalars.count ? bytes : nil
    }

    private func byte(of character: Character) -> UInt8? {
        if let ascii = character.asciiValue { return ascii.isControl ? nil : ascii }
        // A blank that must not break is printed as any other.
        if character == "\u{A0}" { return 0x20 }
        let scalars = character.unicodeScalars
        if let scalar = scalars.first, scalars.count == 1, let byte = Self.scalars[rawValue][scalar] { return byte }
        return Self.characters[rawValue][character]
    }

    /// In the order of the cases.
    private static let scalars: [[Unicode.Scalar: UInt8]] = allCases.map { page in
        var table: [Unicode.Scalar: UInt8] = [:]
        for (index, scalar) in page.upperHalf.unicodeScalars.enumerated() where scalar != "\u{FFFD}" {
            // Epson's page has ideographs that are one cell wide; the layout gives them two.
            guard !EastAsianWidth.isWide(scalar), let byte = UInt8(exactly: 0x80 + index) else { continue }
            table[scalar] = byte
        }
        return table
    }
    /// The same, for what is spelt in another way: composed and decomposed characters are equal.
    private static let characters: [[Character: UInt8]] = scalars.map { table in
        Dictionary(uniqueKeysWithValues: table.map { (Character($0.key), $0.value) })
    }
}
