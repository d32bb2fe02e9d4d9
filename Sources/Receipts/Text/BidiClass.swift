/// How a character takes part in ordering text of both directions (Unicode Standard Annex #9, table 4). Explicit
/// embeddings and isolates count as neutral.
enum BidiClass: Hashable, Sendable {
    case left, right, arabicLetter
    case europeanNumber, arabicNumber, separator, terminator, commonSeparator
    case neutral
    /// Marks and format characters take the class of what they follow.
    case attached

    init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        switch value {
        case 0x30...0x39, 0xB2...0xB3, 0xB9, 0x6F0...0x6F9, 0x2070...0x2079, 0x2080...0x2089, 0xFF10...0xFF19:
            self = .europeanNumber
        case 0x2B, 0x2D, 0x207A...0x207B, 0x208A...0x208B, 0x2212, 0xFF0B, 0xFF0D: self = .separator
        case 0x23...0x25, 0xA2...0xA5, 0xB0...0xB1, 0x609...0x60A, 0x66A, 0x2030...0x2034, 0x20A0...0x20CF,
            0xFF03...0xFF05:
            self = .terminator
        case 0x2C, 0x2E...0x2F, 0x3A, 0xA0, 0x60C, 0x202F, 0x2044, 0xFF0C, 0xFF0E...0xFF0F, 0xFF1A:
            self = .commonSeparator
        case 0x600...0x605, 0x660...0x669, 0x66B...0x66C, 0x6DD, 0x890...0x891, 0x8E2: self = .arabicNumber
        case 0x200E: self = .left
        case 0x200F: self = .right
        case 0x61C: self = .arabicLetter
        default: self = Self.byCategory(scalar)
        }
    }

    private static func byCategory(_ scalar: Unicode.Scalar) -> BidiClass {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: .attached
        case _ where isIn(arabicBlocks, scalar): .arabicLetter
        case _ where isIn(rightBlocks, scalar): .right
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation,
            .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .spaceSeparator, .lineSeparator,
            .paragraphSeparator, .control:
            .neutral
        default: .left
        }
    }

    private static func isIn(_ blocks: [ClosedRange<UInt32>], _ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x590 && blocks.contains { $0.contains(scalar.value) }
    }

    /// DerivedBidiClass.txt's defaults for whole blocks.
    private static let arabicBlocks: [ClosedRange<UInt32>] = [
        0x600...0x7BF, 0x860...0x8FF, 0xFB50...0xFDCF, 0xFDF0...0xFDFF, 0xFE70...0xFEFE, 0x10D00...0x10D3F,
        0x10EC0...0x10EFF, 0x10F30...0x10F6F,
        0x1EC70...0x1ECBF, 0x1ED00...0x1ED4F, 0x1EE00...0x1EEFF,
    ]
    private static let rightBlocks: [ClosedRange<UInt32>] = [
        0x590...0x5FF, 0x7C0...0x85F, 0xFB1D...0xFB4F, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]

    var isStrong: Bool { self == .left || self == .right || self == .arabicLetter }
}
