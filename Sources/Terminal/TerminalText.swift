import KioskPrintModel

extension String {
    /// This text made safe for a terminal. Control characters and direction marks, which may come from a printer or
    /// another user, become visible escapes.
    package var terminalEscaped: String {
        guard unicodeScalars.contains(where: \.isEscapedOnTerminals) else { return self }
        return unicodeScalars.reduce(into: "") { escaped, scalar in
            guard scalar.isEscapedOnTerminals else { return escaped.unicodeScalars.append(scalar) }
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            default: escaped += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }

    /// The number of terminal columns that this text takes.
    package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The beginning of this text that fits into `width` columns.
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
    /// Whether the scalar changes how a terminal shows the text beside it. The direction marks (ALM, LRM and RLM:
    /// Unicode Standard Annex #9, §2) are not control characters, and names in Arabic and Hebrew may have them, but in a
    /// line of other text they reorder it.
    fileprivate var isEscapedOnTerminals: Bool {
        switch value {
        case 0x61C, 0x200E, 0x200F: true
        default: String(self).hasControlCharacters
        }
    }
}

extension Character {
    /// The columns of this character: 0 for marks that modify their neighbour, 2 for wide letters and emoji, else 1
    /// (Unicode Standard Annex #11).
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

    /// The blocks with East_Asian_Width W and F.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x20000...0x3FFFD,
    ]
}

/// Makes JSON safe for a terminal. C1 controls, bidirectional controls and direction marks become JSON escapes of the
/// same meaning.
package enum TerminalJSON {
    package static func escape(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// JSON's own line feeds are safe, and all other C0 controls are escaped already (RFC 8259 §7).
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar.isEscapedOnTerminals
    }
}
