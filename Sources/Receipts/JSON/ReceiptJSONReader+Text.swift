extension ReceiptJSONReader {
    private static let styleKeys = ["underline", "bold", "invert", "width", "height"]

    /// A text alone is a cell at the left.
    func cell(_ node: JSONNode) throws(ReceiptError) -> ReceiptCell {
        if case .string(let text) = node.value {
            return ReceiptCell(try spans(text, TextStyle(), node), alignment: .left)
        }
        let values = try object(node, "the cell")
        guard let content = values["text"] else { throw error("the cell lacks its \"text\"", at: node.offset) }
        let alignment = try values.keyword("align", HorizontalAlignment.self) ?? .left
        guard case .array(let items) = content.value else {
            try values.allow(["text", "align"] + Self.styleKeys)
            return ReceiptCell(
                try spans(try values.string("text") ?? "", try style(values), content), alignment: alignment)
        }
        // With several runs of text each has a style of its own.
        try values.allow(["text", "align"])
        var cell = ReceiptCell([], alignment: alignment)
        for item in items { cell.spans += try span(item) }
        return cell
    }

    private func span(_ node: JSONNode) throws(ReceiptError) -> [TextSpan] {
        if case .string(let text) = node.value { return try spans(text, TextStyle(), node) }
        let values = try object(node, "the run of text")
        try values.allow(["text"] + Self.styleKeys)
        guard let text = try values.string("text") else { throw error("the run lacks its \"text\"", at: node.offset) }
        return try spans(text, try style(values), values["text"] ?? node)
    }

    private func spans(_ text: String, _ style: TextStyle, _ node: JSONNode) throws(ReceiptError) -> [TextSpan] {
        guard text.unicodeScalars.allSatisfy({ $0 == "\n" || $0.properties.generalCategory != .control }) else {
            throw error("the text holds a control character", "\\n for a new line, and no other", at: node.offset)
        }
        return text.isEmpty ? [] : [TextSpan(text, style)]
    }

    private func style(_ values: JSONObject) throws(ReceiptError) -> TextStyle {
        TextStyle(
            underline: try values.flag("underline") ?? false, emphasis: try values.flag("bold") ?? false,
            invert: try values.flag("invert") ?? false, width: try values.integer("width", in: TextStyle.scales) ?? 1,
            height: try values.integer("height", in: TextStyle.scales) ?? 1)
    }

    func code(_ values: JSONObject) throws(ReceiptError) -> ReceiptCode {
        var code = ReceiptCode(
            try values.string("code") ?? "", try values.keyword("symbology", Symbology.self) ?? .code128)
        code.alignment = try values.keyword("align", HorizontalAlignment.self) ?? code.alignment
        code.module = try values.integer("module", in: ReceiptCode.modules) ?? code.module
        code.height = try values.integer("height", in: ReceiptCode.heights) ?? code.height
        code.readable = try values.flag("readable") ?? code.readable
        code.cell = try values.integer("cell", in: ReceiptCode.cells) ?? code.cell
        code.level = try values.keyword("level", ReceiptCode.CorrectionLevel.self) ?? code.level
        do { try CheckedCode(code).check(code, fits: widestPaper) } catch { throw located(error, values["code"]) }
        return code
    }

    func image(_ values: JSONObject) throws(ReceiptError) -> ReceiptImage {
        let image = ReceiptImage(
            try binary(values, "image", limit: ReceiptLimits.imageLength),
            alignment: try values.keyword("align", HorizontalAlignment.self) ?? .center)
        do { try image.checkStructure() } catch { throw located(error, values["image"]) }
        return image
    }

    private func located(_ error: ReceiptError, _ node: JSONNode?) -> ReceiptError {
        node.map { error.at(JSONReader.place(of: $0.offset, in: bytes)) } ?? error
    }
}
