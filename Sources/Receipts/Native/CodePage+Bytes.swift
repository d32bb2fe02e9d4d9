package import PrintModel

extension CodePage {
    package var name: String {
        switch self {
        case .katakana: "Katakana"
        default: rawValue.hasPrefix("windows") ? "Windows" + rawValue.dropFirst(7) : rawValue.uppercased()
        }
    }

    /// The character's bytes, or nil where the page lacks it. Composed and decomposed characters are the same; what
    /// follows a half-width letter in a cell of its own has a byte of its own.
    package func bytes(of character: Character) -> [UInt8]? {
        if let ascii = character.asciiValue { return ascii.isControl ? nil : [ascii] }
        let tables = CodePageTables.shared
        let scalars = character.unicodeScalars
        if let scalar = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex,
            let byte = tables.byte(of: scalar, in: self)
        {
            return [byte]
        }
        for scalar in tables.equals(of: character) {
            if let byte = tables.byte(of: scalar, in: self) { return [byte] }
        }
        guard scalars.count > 1 else { return nil }
        let bytes = scalars.compactMap { tables.byte(of: $0, in: self) }
        return bytes.count == scalars.count && bytes.count == TextCluster.cells(of: character) ? bytes : nil
    }
}
