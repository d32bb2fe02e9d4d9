/// What stands in a cell of the grid, or in two: a character with all that combines with it.
struct TextCluster: Hashable, Sendable {
    var text: String
    /// 0, 1 or 2 cells.
    var cells: Int
    var style: TextStyle
    /// Of the Unicode Bidirectional Algorithm: odd goes from right to left.
    var level: UInt8 = 0

    /// As on the grid: scaled.
    var width: Int { cells * style.width }

    init(_ character: Character, _ style: TextStyle) {
        text = String(character)
        cells = Self.cells(of: character)
        self.style = style
    }

    /// Of a scalar that stands alone.
    fileprivate init(alone scalar: Unicode.Scalar, _ style: TextStyle) {
        text = String(scalar)
        cells = scalar.isASCII || !EastAsianWidth.isWide(scalar) ? 1 : 2
        self.style = style
    }

    /// Combining marks and format characters have none, East Asian wide characters and pictures two.
    static func cells(of character: Character) -> Int {
        if let ascii = character.asciiValue { return ascii.isControl ? 0 : 1 }
        var cells = 0
        for scalar in character.unicodeScalars {
            // The emoji variation selector makes a picture of a plain sign.
            if scalar.value == 0xFE0F { return 2 }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .control: continue
            default: cells += EastAsianWidth.isWide(scalar) ? 2 : 1
            }
        }
        // Vowels and final consonants join the Hangul syllable that they follow; a sequence of pictures is one picture.
        return min(cells, 2)
    }
}

extension Character {
    /// How many cells of a printer's font it takes: 0, 1 or 2.
    package var cells: Int { TextCluster.cells(of: self) }
}

extension TextCluster {
    /// Lines of clusters, as the text's line feeds part them.
    static func paragraphs(_ spans: [TextSpan]) -> [[TextCluster]] {
        var paragraphs: [[TextCluster]] = [[]]
        for span in spans {
            // Where nothing combines, no boundaries of characters need to be found.
            if span.text.unicodeScalars.allSatisfy(\.standsAlone) {
                paragraphs[paragraphs.count - 1] += span.text.unicodeScalars.map { TextCluster(alone: $0, span.style) }
                continue
            }
            for character in span.text {
                if character == "\n" {
                    paragraphs.append([])
                } else {
                    paragraphs[paragraphs.count - 1].append(TextCluster(character, span.style))
                }
            }
        }
        return paragraphs
    }
}
