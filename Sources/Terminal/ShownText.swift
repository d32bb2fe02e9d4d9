import PrintModel

extension String {
    /// This text fit for a terminal: control characters and marks of direction, which may come from a printer or
    /// another user, as visible escapes.
    package var shown: String {
        guard unicodeScalars.contains(where: \.isEscapedOnTerminals) else { return self }
        return unicodeScalars.reduce(into: "") { shown, scalar in
            guard scalar.isEscapedOnTerminals else { return shown.unicodeScalars.append(scalar) }
            switch scalar {
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            default: shown += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }

    /// How many columns of a terminal this text takes.
    package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The beginning of this text that fits into so many columns.
    package func cut(toWidth width: Int) -> String {
        var used = 0
        return String(
            prefix { character in
                used += character.displayWidth
                return used <= width
            })
    }
}

extension Unicode.Scalar {
    /// Whether it changes how a terminal shows the text beside it. The direction marks (ALM, LRM and RLM: Unicode
    /// Standard Annex #9, §2) are not control characters, and names in Arabic and Hebrew may have them, but in a line
    /// of other text they reorder it.
    var isEscapedOnTerminals: Bool {
        switch value {
        case 0x61C, 0x200E, 0x200F: true
        default: String(self).hasControlCharacters
        }
    }
}

extension Character {
    /// 0 for what only modifies its neighbour, 2 for wide letters and emoji, else 1 (Unicode Standard Annex #11).
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let isWide =
            first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
            || Self.wideRanges.contains { $0.contains(first.value) }
        return isWide ? 2 : 1
    }

    /// East_Asian_Width W and F, in blocks.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x20000...0x3FFFD,
    ]
}
