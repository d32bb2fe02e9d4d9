extension MarkupReader {
    /// An unknown value means the default, as in the specification.
    mutating func settings(_ values: [String: MarkupProperty.Value]) throws(ReceiptError) -> LineSettings {
        var settings = LineSettings()
        settings.wrapping = values["text"].map { wrapping($0) }
        settings.border = values["border"].map { border($0) }
        settings.widths = values["width"].map { widths($0) }
        settings.alignment = values["align"].map { value in
            keyword(value, HorizontalAlignment.init(rawValue:), default: .center, "left, center or right")
        }
        guard !rules.isStrict else { return settings }
        if let value = values["font"] {
            guard let font = ReceiptFont(rawValue: value.word) else { throw unknown("the font", value, "a or b") }
            settings.font = font
        }
        if let value = values["spacing"] { settings.spacing = try spacing(value) }
        return settings
    }

    private mutating func keyword<Keyword>(
        _ value: MarkupProperty.Value, _ reading: (String) -> Keyword?, default standard: Keyword, _ instead: String
    ) -> Keyword {
        if let keyword = reading(value.word) { return keyword }
        remark("\"\(value.word.prefix(40))\" is not known here", instead: instead, at: value.place)
        return standard
    }

    private mutating func wrapping(_ value: MarkupProperty.Value) -> TextWrapping {
        let known = TextWrapping.allCases.filter { !rules.isStrict || $0 != .word }
        return keyword(
            value, { word in known.first { $0.rawValue == word } }, default: .character,
            known.map(\.rawValue).joined(separator: " or "))
    }

    private mutating func border(_ value: MarkupProperty.Value) -> ColumnBorder {
        keyword(
            value,
            { word in
                switch word {
                case "line": .line
                case "space": .space(1)
                case "none": .space(0)
                default: Int(word).flatMap { word.isDigits && ColumnBorder.spaces.contains($0) ? .space($0) : nil }
                }
            },
            default: .space(1), "line, space, none, or 0 to 2")
    }

    private mutating func widths(_ value: MarkupProperty.Value) -> [ColumnWidth] {
        let words = value.words.prefix(ReceiptLimits.columns)
        if words.contains("auto") { return [] }
        return words.map { word in
            if word == "*" { return .share }
            // An empty word hides a column, too.
            if !word.isEmpty, !word.isDigits {
                remark("a column's width is not known here", instead: "auto, or numbers and *", at: value.place)
            }
            return .characters(word.isDigits ? min(Int(word) ?? ColumnWidth.maximum, ColumnWidth.maximum) : 0)
        }
    }

    private func spacing(_ value: MarkupProperty.Value) throws(ReceiptError) -> LineSpacing {
        if value.word == "standard" { return .standard }
        guard value.word.isDigits, let dots = Int(value.word), LineSpacing.range.contains(dots) else {
            throw unknown("the spacing", value, "standard, or 0 to \(LineSpacing.range.upperBound) dots")
        }
        return .dots(dots)
    }

    /// Numbers are told apart by their ranges, so one may count twice; what is not named goes back to its default.
    mutating func codeOption(_ value: MarkupProperty.Value) -> ReceiptCode {
        let words = value.words
        var code = ReceiptCode("", .code128)
        var known: Set<String> = ["", "hri", "nohri"]
        func number(in range: ClosedRange<Int>) -> Int? {
            let word = words.first { $0.isDigits && Int($0).map(range.contains) == true }
            if let word { known.insert(word) }
            return word.flatMap { Int($0) }
        }
        let symbologies =
            rules.isStrict
            ? Self.symbologies : Self.symbologies.merging(Self.additionalSymbologies) { first, _ in first }
        code.symbology = words.lazy.compactMap { symbologies[$0] }.first ?? code.symbology
        code.module = number(in: ReceiptCode.modules) ?? code.module
        code.height = number(in: ReceiptCode.heights) ?? code.height
        code.cell = number(in: ReceiptCode.cells) ?? code.cell
        code.readable = words.contains("hri")
        code.level = words.lazy.compactMap { ReceiptCode.CorrectionLevel(rawValue: $0) }.first ?? code.level
        for word in words
        where symbologies[word] == nil && !known.contains(word) && ReceiptCode.CorrectionLevel(rawValue: word) == nil {
            remark("\"\(word.prefix(40))\" is no option of a code", at: value.place)
        }
        return code
    }

    private static let symbologies: [String: Symbology] = [
        "upc": .upc, "ean": .ean, "jan": .ean, "code39": .code39, "itf": .itf, "codabar": .codabar, "nw7": .codabar,
        "code93": .code93, "code128": .code128, "qrcode": .qrcode,
    ]
    private static let additionalSymbologies: [String: Symbology] = ["pdf417": .pdf417, "datamatrix": .datamatrix]
}
