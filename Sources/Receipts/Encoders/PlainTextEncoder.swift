package import PrintModel

/// The capabilities of a printer of plain text: characters in columns and nothing else.
package struct PlainTextCapabilities: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var characters: Characters
    package var lineEnd: LineEnd
    /// The number of empty lines that replace a cut, so that paper can be torn off.
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

    /// The capabilities that a profile describes.
    init(_ settings: PrintingSettings) {
        let paper = ReceiptPaper(settings)
        self.init(
            paper: paper, characters: settings.initialCodePage.map { .codePage($0) } ?? .ascii,
            tearLines: settings.tearFeed / max(paper.fontA.height + paper.lineGap, 1))
    }

    /// Nil where the printer lacks the character.
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

/// Encodes a layout as plain text. `PlainTextRewriter` has replaced codes with text and left pictures out before.
struct PlainTextEncoder {
    let capabilities: PlainTextCapabilities

    func commands(_ layout: ReceiptLayout) throws(ReceiptError) -> [EncodedCommand] {
        let paper = capabilities.paper
        var commands: [EncodedCommand] = []
        for line in layout.lines {
            switch line.content {
            case .text(let text):
                // Large letters are as high as others, and a box has its sides once.
                let rows = TextPreview.rows(of: text, columns: paper.columns(of: text.font))
                commands.append(try command(rows.last ?? ""))
            case .feed:
                for _ in 0..<max(line.height / max(paper.fontA.height + paper.lineGap, 1), 1) {
                    commands.append(try command(""))
                }
            case .cut: for _ in 0..<capabilities.tearLines { commands.append(try command("")) }
            case .command(let bytes): commands.append(EncodedCommand(raw: bytes))
            case .code, .image, .drawer: break
            }
        }
        return commands
    }

    private func command(_ row: String) throws(ReceiptError) -> EncodedCommand {
        var (bytes, text): ([UInt8], String) = ([], "")
        for character in row where TextCluster.cells(of: character) > 0 {
            let isKnown = capabilities.bytes(of: character) != nil
            let printed = isKnown ? character : Self.boxCharacters[character] ?? character
            guard let known = capabilities.bytes(of: printed) else {
                throw ReceiptError(
                    .unprintable, "the printer prints plain text only, and has no \"\(character)\"",
                    instead: "the text in Latin letters")
            }
            bytes += known
            text.append(printed)
        }
        return EncodedCommand(bytes + Array(capabilities.lineEnd.rawValue.utf8), text)
    }

    /// ASCII in place of box-drawing characters.
    private static let boxCharacters: [Character: Character] = [
        "│": "|", "─": "-", "┘": "+", "┐": "+", "┤": "+", "└": "+", "┌": "+", "├": "+", "┴": "+", "┬": "+", "┼": "+",
    ]
}
