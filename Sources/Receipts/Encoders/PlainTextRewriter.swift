/// Rewrites a receipt for a printer that cannot print pictures. It replaces characters that the printer lacks with
/// others, codes that it lacks with their data, and leaves pictures out. It works before the layout, so that columns
/// stay columns.
struct PlainTextRewriter {
    private let symbologies: Set<Symbology>
    private let has: (Character) -> Bool
    private var replaced: Set<Character> = []
    private var (codes, images) = (0, 0)
    private var settings = LineSettings(widths: [], border: .space(1))

    /// `symbologies` are the codes that the printer draws itself; `has` tells whether it has a character.
    init(symbologies: Set<Symbology>, has: @escaping (Character) -> Bool) {
        self.symbologies = symbologies
        self.has = has
    }

    /// Throws where nothing can replace a character.
    mutating func rewritten(_ receipt: Receipt) throws(ReceiptError) -> Receipt {
        var elements: [ReceiptElement] = []
        for element in receipt.elements {
            switch element {
            case .row(var row):
                for cell in row.cells.indices {
                    for span in row.cells[cell].spans.indices {
                        row.cells[cell].spans[span].text = try rewritten(row.cells[cell].spans[span].text)
                    }
                }
                elements.append(.row(row))
            case .code(let code) where !symbologies.contains(code.symbology): elements += try data(of: code)
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

    /// What was changed, as sentences without a full stop. The job reports it.
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

    private mutating func rewritten(_ text: String) throws(ReceiptError) -> String {
        var rewritten = ""
        for character in text {
            if character == "\n" || TextCluster.cells(of: character) == 0 || has(character) {
                rewritten.append(character)
                continue
            }
            guard let other = Transliteration.text(for: character), other.allSatisfy(has) else {
                throw ReceiptError(
                    .unprintable,
                    "the printer prints plain text only, and has neither \"\(character)\" nor letters that stand for it",
                    instead: "the text in Latin letters, or choose a printer that can draw")
            }
            rewritten += other
            replaced.insert(character)
        }
        return rewritten
    }

    /// The code's data on a line as wide as the paper, whatever the columns are.
    private mutating func data(of code: ReceiptCode) throws(ReceiptError) -> [ReceiptElement] {
        codes += 1
        let data = try CheckedCode(code).text
        let text = String(
            String.UnicodeScalarView(data.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return [
            .settings(LineSettings(widths: [], border: .space(1))),
            .row(ReceiptRow([ReceiptCell(try rewritten(text), alignment: code.alignment)])), .settings(settings),
        ]
    }
}
