/// Levels and order of a paragraph (Unicode Standard Annex #9), without explicit embeddings, isolates and pairs of
/// brackets.
enum BidiParagraph {
    /// Gives each cluster its level; the paragraph's own follows from its first letter (P2, P3).
    static func setLevels(_ clusters: inout [TextCluster]) {
        // Most receipts have no such letter.
        guard clusters.contains(where: { $0.text.utf8.first.map { $0 >= 0xD6 } == true }) else { return }
        var classes = clusters.map { BidiClass($0) }
        guard classes.contains(where: { $0 == .right || $0 == .arabicLetter || $0 == .arabicNumber }) else { return }
        let base: UInt8 = isRightToLeft(clusters) ? 1 : 0
        resolveWeak(&classes, base)
        resolveNeutral(&classes, base)
        for index in clusters.indices { clusters[index].level = level(of: classes[index], base) }
    }

    /// What the first letter is (P2, P3).
    static func isRightToLeft(_ clusters: [TextCluster]) -> Bool {
        let first = clusters.lazy.map { BidiClass($0) }.first(where: \.isStrong)
        return first == .right || first == .arabicLetter
    }

    /// I1, I2.
    private static func level(of kind: BidiClass, _ base: UInt8) -> UInt8 {
        switch kind {
        case .right: 1
        case .arabicNumber, .europeanNumber: 2
        default: base == 0 ? 0 : 2
        }
    }

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
        separateNumbers(&classes)
        // W7.
        strong = start
        for index in classes.indices {
            if classes[index].isStrong { strong = classes[index] }
            if classes[index] == .europeanNumber, strong == .left { classes[index] = .left }
        }
    }

    /// W4 to W6: signs within and beside numbers.
    private static func separateNumbers(_ classes: inout [BidiClass]) {
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

    /// N1, N2: what stands between letters of one direction goes with them; numbers count as right to left.
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

    /// A line's clusters from left to right (L1, L2). `isRightToLeft`: of the paragraph, so that blanks at the line's
    /// end stay there.
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

    /// L4: what faces the other way in text from right to left.
    static let mirrored: [Character: Character] = [
        "(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "<": ">", ">": "<", "«": "»", "»": "«", "‹": "›",
        "›": "‹", "≤": "≥", "≥": "≤",
    ]
}

extension BidiClass {
    fileprivate init(_ cluster: TextCluster) {
        self = cluster.text.unicodeScalars.first.map { BidiClass($0) } ?? .neutral
    }
}
