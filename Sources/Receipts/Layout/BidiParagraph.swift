/// The Unicode Bidirectional Algorithm (Unicode Standard Annex #9) for one paragraph: the levels of its clusters, and
/// their visual order. Explicit embeddings, isolates and bracket pairs are not supported.
enum BidiParagraph {
    /// Sets the level of each cluster. The level of the paragraph follows from its first letter (P2, P3).
    static func setLevels(_ clusters: inout [TextCluster]) {
        // Most receipts have no letters from right to left.
        guard clusters.contains(where: { $0.text.utf8.first.map { $0 >= 0xD6 } == true }) else { return }
        var classes = clusters.map { BidiClass($0) }
        guard classes.contains(where: { $0 == .right || $0 == .arabicLetter || $0 == .arabicNumber }) else { return }
        let base: UInt8 = isRightToLeft(clusters) ? 1 : 0
        resolveWeak(&classes, base)
        resolveNeutral(&classes, base)
        for index in clusters.indices { clusters[index].level = level(of: classes[index], base) }
    }

    /// Whether the first letter runs from right to left (P2, P3).
    static func isRightToLeft(_ clusters: [TextCluster]) -> Bool {
        let first = clusters.lazy.map { BidiClass($0) }.first(where: \.isStrong)
        return first == .right || first == .arabicLetter
    }

    /// The level of a resolved class (I1, I2).
    private static func level(of kind: BidiClass, _ base: UInt8) -> UInt8 {
        switch kind {
        case .right: 1
        case .arabicNumber, .europeanNumber: 2
        default: base == 0 ? 0 : 2
        }
    }

    /// Resolves weak classes (W1 to W7).
    private static func resolveWeak(_ classes: inout [BidiClass], _ base: UInt8) {
        let start: BidiClass = base == 1 ? .right : .left
        // W1, and W2 with W3.
        var (previous, strong) = (start, start)
        for index in classes.indices {
            if classes[index] == .attached { classes[index] = previous }
            if classes[index].isStrong { strong = classes[index] }
            if classes[index] == .europeanNumber, strong == .arabicLetter { classes[index] = .arabicNumber }
            previous = classes[index]
        }
        for index in classes.indices where classes[index] == .arabicLetter { classes[index] = .right }
        resolveNumberSigns(&classes)
        // W7.
        strong = start
        for index in classes.indices {
            if classes[index].isStrong { strong = classes[index] }
            if classes[index] == .europeanNumber, strong == .left { classes[index] = .left }
        }
    }

    /// Resolves signs within and beside numbers (W4 to W6).
    private static func resolveNumberSigns(_ classes: inout [BidiClass]) {
        for index in classes.indices.dropFirst().dropLast() {
            let (before, after) = (classes[index - 1], classes[index + 1])
            guard before == after else { continue }
            if classes[index] == .separator, before == .europeanNumber { classes[index] = .europeanNumber }
            if classes[index] == .commonSeparator, before == .europeanNumber || before == .arabicNumber {
                classes[index] = before
            }
        }
        var index = 0
        while index < classes.count {
            guard classes[index] == .terminator else { index += 1; continue }
            let end = classes[index...].firstIndex { $0 != .terminator } ?? classes.count
            let touches =
                index > 0 && classes[index - 1] == .europeanNumber
                || end < classes.count && classes[end] == .europeanNumber
            for place in index..<end { classes[place] = touches ? .europeanNumber : .neutral }
            index = end
        }
        for index in classes.indices where classes[index] == .separator || classes[index] == .commonSeparator {
            classes[index] = .neutral
        }
    }

    /// Resolves neutral classes (N1, N2): between letters of one direction they take that direction. Numbers count as
    /// right to left.
    private static func resolveNeutral(_ classes: inout [BidiClass], _ base: UInt8) {
        let embedding: BidiClass = base == 1 ? .right : .left
        func direction(_ kind: BidiClass) -> BidiClass { kind == .left ? .left : .right }
        var (index, before) = (0, embedding)
        while index < classes.count {
            guard classes[index] == .neutral else {
                before = direction(classes[index])
                index += 1
                continue
            }
            let end = classes[index...].firstIndex { $0 != .neutral } ?? classes.count
            let after = end < classes.count ? direction(classes[end]) : embedding
            for place in index..<end { classes[place] = before == after ? before : embedding }
            index = end
        }
    }

    /// The clusters of a line in visual order, from left to right (L1, L2). `isRightToLeft` is the direction of the
    /// paragraph, which keeps blanks at the end of the line.
    static func visualOrder(_ line: ArraySlice<TextCluster>, isRightToLeft: Bool) -> ArraySlice<TextCluster> {
        guard line.contains(where: { $0.level > 0 }) else { return line }
        var line = Array(line)[...]
        let base: UInt8 = isRightToLeft ? 1 : 0
        for index in line.indices.reversed() {
            guard line[index].text == " " else { break }
            line[index].level = base
        }
        for level in stride(from: line.map(\.level).max() ?? 0, to: 0, by: -1) {
            var index = 0
            while index < line.count {
                guard line[index].level >= level else { index += 1; continue }
                let end = line[index...].firstIndex { $0.level < level } ?? line.count
                line[index..<end].reverse()
                index = end
            }
        }
        return line
    }

    /// The characters that are mirrored in text from right to left (L4).
    static let mirrored: [Character: Character] = [
        "(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "<": ">", ">": "<", "«": "»", "»": "«", "‹": "›",
        "›": "‹", "≤": "≥", "≥": "≤",
    ]
}

/// The bidirectional class of a character (Unicode Standard Annex #9, table 4). Explicit embeddings and isolates count
/// as neutral.
private enum BidiClass: Hashable, Sendable {
    case left, right, arabicLetter
    case europeanNumber, arabicNumber, separator, terminator, commonSeparator
    case neutral
    /// A mark or format character, which takes the class of the character before it.
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
            .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol,
            .spaceSeparator, .lineSeparator,
            .paragraphSeparator, .control:
            .neutral
        default: .left
        }
    }

    private static func isIn(_ blocks: [ClosedRange<UInt32>], _ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x590 && blocks.contains { $0.contains(scalar.value) }
    }

    /// The defaults of DerivedBidiClass.txt for whole blocks.
    private static let arabicBlocks: [ClosedRange<UInt32>] = [
        0x600...0x7BF, 0x860...0x8FF, 0xFB50...0xFDCF, 0xFDF0...0xFDFF, 0xFE70...0xFEFE, 0x10D00...0x10D3F,
        0x10EC0...0x10EFF, 0x10F30...0x10F6F,
        0x1EC70...0x1ECBF, 0x1ED00...0x1ED4F, 0x1EE00...0x1EEFF,
    ]
    private static let rightBlocks: [ClosedRange<UInt32>] = [
        0x590...0x5FF, 0x7C0...0x85F, 0xFB1D...0xFB4F, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]

    var isStrong: Bool { self == .left || self == .right || self == .arabicLetter }

    init(_ cluster: TextCluster) {
        self = cluster.text.unicodeScalars.first.map { BidiClass($0) } ?? .neutral
    }
}
