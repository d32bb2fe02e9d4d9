extension TextPrinter {
    /// The receipt in this printer's characters, before it is laid out, so that columns stay columns; and what has to be remarked of it.
    func written(_ receipt: Receipt) throws(ReceiptError) -> (receipt: Receipt, remarks: [String]) {
        var (receipt, replaced) = (receipt, Set<Character>())
        var (codes, images) = (0, 0)
        for index in receipt.elements.indices {
            switch receipt.elements[index] {
            case .row(var row):
                for cell in row.cells.indices {
                    for span in row.cells[cell].spans.indices {
                        row.cells[cell].spans[span].text = try written(row.cells[cell].spans[span].text, &replaced)
                    }
                }
                receipt.elements[index] = .row(row)
            case .code: codes += 1
            case .image: images += 1
            default: break
            }
        }
        var remarks: [String] = []
        if !replaced.isEmpty {
            let list = replaced.sorted().prefix(20).map { String($0) }.joined(separator: " ")
            remarks.append("the printer lacks these characters, and printed others for them: \(list)\(replaced.count > 20 ? " …" : "")")
        }
        if codes > 0 { remarks.append("the printer prints plain text only: codes were printed as what they say") }
        if images > 0 { remarks.append("the printer prints plain text only: pictures were left out") }
        return (receipt, remarks)
    }

    func steps(_ layout: ReceiptLayout) throws(ReceiptError) -> [EncodedStep] {
        var steps: [EncodedStep] = []
        for line in layout.lines {
            switch line.content {
            case .text(let text):
                // Large letters are as high as others; a box has its sides once.
                steps.append(try step(TextPreview.rows(of: text, columns: paper.columns(of: text.font)).last ?? ""))
            case .code(let code): for row in rows(of: code) { steps.append(try step(row)) }
            case .image, .drawer: break
            case .feed: for _ in 0..<max(line.height / max(paper.fontA.height + paper.lineGap, 1), 1) { steps.append(try step("")) }
            case .cut: for _ in 0..<tearLines { steps.append(try step("")) }
            case .command(let bytes): steps.append(EncodedStep(raw: bytes))
            }
        }
        return steps
    }

    private func step(_ row: String) throws(ReceiptError) -> EncodedStep {
        var (bytes, replaced): ([UInt8], Set<Character>) = ([], [])
        let boxed = String(row.map { self.bytes(of: $0) == nil ? Self.box[$0] ?? $0 : $0 })
        let text = try written(boxed, &replaced)
        for character in text { bytes += self.bytes(of: character) ?? [] }
        return EncodedStep(bytes + Array(lineEnd.rawValue.utf8), text)
    }

    private static let box: [Character: Character] = [
        "│": "|", "─": "-", "┘": "+", "┐": "+", "┤": "+", "└": "+", "┌": "+", "├": "+", "┴": "+", "┬": "+", "┼": "+",
    ]

    /// What a code says, as wide as the paper.
    private func rows(of code: PlacedCode) -> [String] {
        let columns = paper.columns(of: .a)
        let text = Array(code.checked.text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return stride(from: 0, to: text.count, by: columns).map { start in
            let row = text[start..<min(start + columns, text.count)]
            return String(repeating: " ", count: code.code.alignment.part(of: columns - row.count)) + String(row)
        }
    }
}
