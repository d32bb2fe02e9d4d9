import Foundation

@testable import KioskReceipts

/// What a layout says in Latin letters, line by line, and how much of it was read.
struct LatinLines {
    private(set) var words = 0
    /// As they stand, letter by letter.
    private(set) var unread: [String] = []
    /// Of which nothing was read that is at least like one of its words.
    private(set) var lost: [String] = []

    /// In percent.
    var share: Double { words == 0 ? 100 : Double(words - unread.count) / Double(words) * 100 }

    /// `page`: how often each word was seen. Each time counts for one place only.
    init(of layout: ReceiptLayout, readFrom page: [String: Int]) {
        var page = page
        func take(_ matches: (String) -> Bool) -> Bool {
            guard let seen = page.first(where: { $0.value > 0 && matches($0.key) })?.key else { return false }
            page[seen, default: 0] -= 1
            return true
        }
        var unreadLines: [[String]] = []
        for line in Self.words(of: layout) {
            let missing = line.filter { word in !take { $0 == word } }
            words += line.count
            unread += missing
            if missing.count == line.count { unreadLines.append(line) }
        }
        for line in unreadLines where !line.contains(where: { word in take { Self.isLike($0, word) } }) {
            lost.append(line.joined(separator: " "))
        }
    }

    static func words(of layout: ReceiptLayout) -> [[String]] {
        layout.lines.compactMap { line in if case .text(let text) = line.content { words(of: text) } else { nil } }
            .filter { !$0.isEmpty }
    }

    /// Columns are apart; styles that touch are one word. Not what is white on black, which Tesseract reads now and
    /// then only.
    private static func words(of line: TextLine) -> [String] {
        var (text, end) = ("", 0)
        for run in line.runs.sorted(by: { $0.column < $1.column }) {
            if run.column > end { text += " " }
            text += run.style.invert ? " " : run.text
            end = run.column + run.width
        }
        return LatinReader.words(in: text)
    }

    /// But for marks, case and one letter.
    private static func isLike(_ word: String, _ other: String) -> Bool {
        let (letters, others) = (plain(word), plain(other))
        return letters.count == others.count && zip(letters, others).filter { $0 != $1 }.count <= 1
    }

    private static func plain(_ word: String) -> String {
        word.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
}
