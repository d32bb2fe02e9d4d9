/// Rewrites a receipt for a printer that can draw nothing, before it is laid out, so that columns stay columns: other
/// letters stand for those that it lacks, codes that it lacks become what they say, and pictures are left out. What was
/// done has to be remarked.
struct PlainWriting {
    let has: (Character) -> Bool
    let symbologies: Set<Symbology>
    private var replaced: Set<Character> = []
    private var (codes, images) = (0, 0)
    private var settings = LineSettings(widths: [], border: .space(1))

    /// `has`: whether the printer has a character; `symbologies`: codes that it draws itself.
    init(symbologies: Set<Symbology>, has: @escaping (Character) -> Bool) {
        self.symbologies = symbologies
        self.has = has
    }

    /// Throws where no letters stand for a character.
    mutating func written(_ receipt: Receipt) throws(ReceiptError) -> Receipt {
        var elements: [ReceiptElement] = []
        for element in receipt.elements {
            switch element {
            case .row(var row):
                for cell in row.cells.indices {
                    for span in row.cells[cell].spans.indices {
                        row.cells[cell].spans[span].text = try written(row.cells[cell].spans[span].text)
                    }
                }
                elements.append(.row(row))
            case .code(let code) where !symbologies.contains(code.symbology): elements += try written(code)
            case .image: images += 1
            case .settings(let change):
                settings.widths = change.widths ?? settings.widths
                settings.border = change.border ?? settings.border
                elements.append(element)
            default: elements.append(element)
            }
        }
        return Receipt(elements)
    }

    /// As sentences without an end.
    var remarks: [String] {
        var remarks: [String] = []
        if !replaced.isEmpty {
            let list = replaced.sorted().prefix(20).map { String($0) }.joined(separator: " ")
            remarks.append(
                "the printer lacks these characters, and printed others for them: \(list)\(replaced.count > 20 ? " …" : "")"
            )
        }
        if codes > 0 { remarks.append("the printer draws no such codes: they were printed as what they say") }
        if images > 0 { remarks.append("the printer prints no pictures: they were left out") }
        return remarks
    }

    private mutating func written(_ text: String) throws(ReceiptError) -> String {
        var written = ""
        for character in text {
            if character == "\n" || TextCluster.cells(of: character) == 0 || has(character) {
                written.append(character)
                continue
            }
            guard let other = Transliteration.text(for: character), other.allSatisfy(has) else {
                throw ReceiptError(
                    .unprintable,
                    "the printer prints plain text only, and has neither \"\(character)\" nor letters that stand for it",
                    instead: "the text in Latin letters, or choose a printer that can draw")
            }
            written += other
            replaced.insert(character)
        }
        return written
    }

    /// Its data on a line as wide as the paper, whatever columns there are.
    private mutating func written(_ code: ReceiptCode) throws(ReceiptError) -> [ReceiptElement] {
        codes += 1
        let data = try CheckedCode(code).text
        let text = String(
            String.UnicodeScalarView(data.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return [
            .settings(LineSettings(widths: [], border: .space(1))),
            .row(ReceiptRow([ReceiptCell(try written(text), alignment: code.alignment)])), .settings(settings),
        ]
    }
}
