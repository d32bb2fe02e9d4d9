/// "Did you mean": the nearest of the allowed words.
enum Suggestion {
    /// The word to write instead: one that begins so, else the nearest; where none is near, all of them; where there
    /// are none, `otherwise`.
    static func instead(of word: String, among words: [String], otherwise: String) -> String {
        let longer = word.isEmpty ? [] : words.filter { $0.hasPrefix(word) }
        if !longer.isEmpty { return longer.joined(separator: " or ") }
        if let near = nearest(to: word, among: words) { return near }
        // More would bury the message.
        guard words.count <= 20 else { return otherwise }
        return words.isEmpty ? otherwise : "one of \(words.joined(separator: ", "))"
    }

    /// The word that needs the fewest changes, when at most a third of its letters must change.
    static func nearest(to word: String, among words: [String]) -> String? {
        // Longer than any word that is offered; the distance costs the product of the lengths.
        guard word.utf8.count <= 64 else { return nil }
        let letters = Array(word.lowercased().utf8)
        let candidates = words.map { (word: $0, distance: distance(letters, Array($0.utf8))) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.word.utf8.count / 3) ? best.word : nil
    }

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            for (j, b) in right.enumerated() {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
