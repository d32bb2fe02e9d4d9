package import PrintModel

/// A printer of plain text: characters in columns and nothing else. What it cannot show is said in other characters,
/// and remarked.
package struct TextPrinter: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var characters: Characters
    /// At the end of each line.
    package var lineEnd: LineEnd
    /// Empty lines where the paper is to be cut, so that it can be torn off.
    package var tearLines: Int

    package enum Characters: Hashable, Sendable {
        case ascii
        case codePage(CodePage)
        case utf8
    }

    package enum LineEnd: String, Hashable, Sendable {
        case lf = "\n"
        case crlf = "\r\n"
    }

    package init(paper: ReceiptPaper, characters: Characters = .ascii, lineEnd: LineEnd = .crlf, tearLines: Int = 4) {
        self.paper = paper
        self.characters = characters
        self.lineEnd = lineEnd
        self.tearLines = max(tearLines, 0)
    }

    /// Nil where it has no such character.
    func bytes(of character: Character) -> [UInt8]? {
        switch characters {
        case .ascii:
            character.asciiValue.flatMap { (0x20..<0x7F).contains($0) ? [$0] : nil }
                ?? (character == "\u{A0}" ? [0x20] : nil)
        case .codePage(let page): page.bytes(of: character)
        case .utf8: Array(String(character).utf8)
        }
    }
}
