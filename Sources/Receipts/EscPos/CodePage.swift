/// A table of 256 characters that a printer can be switched to. The lower half is ASCII in all of them.
package enum CodePage: String, Hashable, Sendable, CaseIterable {
    case cp437 = "CP437"
    /// CP850 with the Euro sign.
    case cp858 = "CP858"
    case cp850 = "CP850"
    case windows1252 = "Windows-1252"
    /// Central Europe.
    case cp852 = "CP852"
    /// Cyrillic.
    case cp866 = "CP866"
    /// Half-width Katakana.
    case katakana = "Katakana"

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
        return character == "\u{A0}" ? 0x20 : Self.bytes[self]?[character]
    }

    private static let bytes: [CodePage: [Character: UInt8]] = {
        var bytes: [CodePage: [Character: UInt8]] = [:]
        for page in allCases {
            var table: [Character: UInt8] = [:]
            for (index, scalar) in page.upperHalf.unicodeScalars.enumerated() where scalar != "\u{FFFD}" {
                // Epson's page has ideographs that are one cell wide; the layout gives them two.
                guard !EastAsianWidth.isWide(scalar) else { continue }
                if let byte = UInt8(exactly: 0x80 + index) { table[Character(scalar)] = byte }
            }
            bytes[page] = table
        }
        return bytes
    }()
}
