extension TextPrinter {
    func steps(_ layout: ReceiptLayout) throws(ReceiptError) -> [EncodedStep] {
        var steps: [EncodedStep] = []
        for line in layout.lines {
            switch line.content {
            case .text(let text):
                // Large letters are as high as others; a box has its sides once.
                steps.append(try step(TextPreview.rows(of: text, columns: paper.columns(of: text.font)).last ?? ""))
            case .feed:
                for _ in 0..<max(line.height / max(paper.fontA.height + paper.lineGap, 1), 1) {
                    steps.append(try step(""))
                }
            case .cut: for _ in 0..<tearLines { steps.append(try step("")) }
            case .command(let bytes): steps.append(EncodedStep(raw: bytes))
            // Codes became text before the layout, and pictures were left out.
            case .code, .image, .drawer: break
            }
        }
        return steps
    }

    private func step(_ row: String) throws(ReceiptError) -> EncodedStep {
        var (bytes, text): ([UInt8], String) = ([], "")
        for character in row where TextCluster.cells(of: character) > 0 {
            let shown = self.bytes(of: character) == nil ? Self.box[character] ?? character : character
            guard let known = self.bytes(of: shown) else {
                throw ReceiptError(
                    .unprintable, "the printer prints plain text only, and has no \"\(character)\"",
                    instead: "the text in Latin letters")
            }
            bytes += known
            text.append(shown)
        }
        return EncodedStep(bytes + Array(lineEnd.rawValue.utf8), text)
    }

    private static let box: [Character: Character] = [
        "│": "|", "─": "-", "┘": "+", "┐": "+", "┤": "+", "└": "+", "┌": "+", "├": "+", "┴": "+", "┬": "+", "┼": "+",
    ]
}
