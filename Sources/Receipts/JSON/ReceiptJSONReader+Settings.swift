extension ReceiptJSONReader {
    func settings(_ node: JSONNode) throws(ReceiptError) -> LineSettings {
        let values = try object(node, "\"set\"")
        try values.allow(["widths", "border", "align", "wrap", "font", "spacing"])
        var settings = LineSettings()
        settings.widths = try values["widths"].map { node throws(ReceiptError) in try widths(node) }
        settings.border = try values["border"].map { node throws(ReceiptError) in try border(node) }
        settings.alignment = try values.keyword("align", HorizontalAlignment.self)
        settings.wrapping = try values.keyword("wrap", TextWrapping.self)
        settings.font = try values.keyword("font", ReceiptFont.self)
        settings.spacing = try values["spacing"].map { node throws(ReceiptError) in try spacing(node) }
        return settings
    }

    private func widths(_ node: JSONNode) throws(ReceiptError) -> [ColumnWidth] {
        if case .string("auto") = node.value { return [] }
        let items = try array(node, "\"widths\"")
        guard (1...ReceiptLimits.columns).contains(items.count) else { throw widthError(node) }
        var widths: [ColumnWidth] = []
        for item in items {
            switch item.value {
            case .string("*"): widths.append(.share)
            case .integer(let count) where (0...ColumnWidth.maximum).contains(count): widths.append(.characters(count))
            default: throw widthError(item)
            }
        }
        return widths
    }

    private func widthError(_ node: JSONNode) -> ReceiptError {
        error(
            "the widths are not known here", "\"auto\", or a list of \"*\" and 0 to \(ColumnWidth.maximum)",
            at: node.offset)
    }

    private func border(_ node: JSONNode) throws(ReceiptError) -> ColumnBorder {
        switch node.value {
        case .string("line"): return .line
        case .integer(let width) where ColumnBorder.spaces.contains(width): return .space(width)
        default:
            throw error(
                "the border is not known here", "\"line\", or 0 to \(ColumnBorder.spaces.upperBound) spaces",
                at: node.offset)
        }
    }

    private func spacing(_ node: JSONNode) throws(ReceiptError) -> LineSpacing {
        switch node.value {
        case .string("standard"): return .standard
        case .integer(let dots) where LineSpacing.range.contains(dots): return .dots(dots)
        default:
            throw error(
                "the spacing is not known here", "\"standard\", or 0 to \(LineSpacing.range.upperBound) dots",
                at: node.offset)
        }
    }
}
