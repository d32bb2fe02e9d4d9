import KioskPrintModel

/// Turns JSON values into a receipt.
struct ReceiptJSONReader {
    private let bytes: [UInt8]
    private let privileges: Set<ReceiptPrivilege>
    /// The width of the widest paper in dots; nil where no paper is known.
    private let maximumPaperWidth: Int?
    private var spanCount = 0
    private var textLength = 0

    init(bytes: [UInt8], privileges: Set<ReceiptPrivilege>, maximumPaperWidth: Int?) {
        self.bytes = bytes
        self.privileges = privileges
        self.maximumPaperWidth = maximumPaperWidth
    }

    func error(
        _ message: String, _ instead: String? = nil, code: ReceiptError.Code = .value, at offset: Int
    ) -> ReceiptError {
        ReceiptError(code, message, instead: instead, at: JSONReader.place(of: offset, in: bytes))
    }

    private func object(_ node: JSONNode, _ what: String) throws(ReceiptError) -> JSONObject {
        try JSONObject(node, what, self)
    }

    private func array(_ node: JSONNode, _ what: String) throws(ReceiptError) -> [JSONNode] {
        guard case .array(let items) = node.value else { throw error("\(what) is not a list", at: node.offset) }
        return items
    }

    mutating func receipt(_ root: JSONNode) throws(ReceiptError) -> Receipt {
        let values = try object(root, "the receipt")
        try values.allow(["elements"])
        guard let node = values["elements"] else { throw error("the receipt lacks its \"elements\"", at: root.offset) }
        let items = try array(node, "\"elements\"")
        guard items.count <= ReceiptLimits.elements else {
            throw error(
                "the receipt has more than \(ReceiptLimits.elements) elements", code: .tooLarge, at: node.offset)
        }
        var receipt = Receipt()
        for item in items { receipt.elements.append(try element(item)) }
        return receipt
    }

    private mutating func element(_ node: JSONNode) throws(ReceiptError) -> ReceiptElement {
        let values = try object(node, "the element")
        guard let kind = ElementKey.allCases.first(where: { values[$0.rawValue] != nil }),
            let value = values[kind.rawValue]
        else {
            throw error(
                "the element has no kind", "one of \(ElementKey.allCases.map(\.rawValue).joined(separator: ", "))",
                at: node.offset)
        }
        try values.allow([kind.rawValue] + kind.options)
        switch kind {
        case .set: return .settings(try settings(value))
        case .row: return .row(try row(value))
        case .rule:
            if case .string = value.value { return .rule(try values.keyword("rule", RuleStyle.self) ?? .single) }
            guard try values.flag("rule") == true else {
                throw error("\"rule\" is not true", "true, a style, or leave it out", at: value.offset)
            }
            return .rule
        case .code: return .code(try code(values))
        case .logo: return .logo(try logo(values))
        case .image: return .image(try image(values))
        case .feed: return .feed(lines: try values.integer("feed", in: 1...ReceiptLimits.feedLines) ?? 1)
        case .cut: return .cut(try values.keyword("cut", CutMode.self) ?? .partial)
        case .drawer:
            guard privileges.contains(.drawer) else {
                throw error("the caller may not open the drawer", code: .forbidden, at: value.offset)
            }
            let connector = try values.integer("drawer", in: DrawerKick.connectors) ?? 1
            return .drawer(
                DrawerKick(
                    connector: connector,
                    milliseconds: try values.integer("milliseconds", in: DrawerKick.pulses)
                        ?? DrawerKick.defaultMilliseconds))
        case .buzzer:
            guard privileges.contains(.drawer) else {
                throw error("the caller may not sound the buzzer", code: .forbidden, at: value.offset)
            }
            return .buzzer(
                BuzzerSignal(
                    count: try values.integer("buzzer", in: BuzzerSignal.counts) ?? 1,
                    milliseconds: try values.integer("milliseconds", in: BuzzerSignal.lengths)
                        ?? BuzzerSignal.defaultMilliseconds))
        case .command:
            guard privileges.contains(.rawCommands) else {
                throw error("the caller may not send raw commands", code: .forbidden, at: value.offset)
            }
            return .command(try binary(values, "command", limit: ReceiptLimits.commandLength))
        }
    }

    /// The keys that name the kind of an element.
    private enum ElementKey: String, CaseIterable {
        // A logo comes before its picture.
        case set, row, rule, code, logo, image, feed, cut, drawer, buzzer, command

        /// The other keys that an element of this kind may have.
        var options: [String] {
            switch self {
            case .code: ["symbology", "align", "module", "height", "readable", "cell", "level"]
            case .logo: ["align", "image", "dither"]
            case .image: ["align", "dither"]
            case .drawer, .buzzer: ["milliseconds"]
            default: []
            }
        }
    }

    private func binary(_ values: JSONObject, _ key: String, limit: Int) throws(ReceiptError) -> [UInt8] {
        let offset = values[key]?.offset ?? values.node.offset
        guard let text = try values.string(key), let bytes = Base64.decode(Array(text.utf8)[...]), !bytes.isEmpty else {
            throw error("\"\(key)\" is not Base64", at: offset)
        }
        guard bytes.count <= limit else {
            throw error("\"\(key)\" has more than \(limit) bytes", code: .tooLarge, at: offset)
        }
        return bytes
    }

    private mutating func row(_ node: JSONNode) throws(ReceiptError) -> ReceiptRow {
        let items = try array(node, "the row")
        guard (1...ReceiptLimits.columns).contains(items.count) else {
            throw error(
                "the row has no cells, or more than \(ReceiptLimits.columns)", code: items.isEmpty ? .value : .tooLarge,
                at: node.offset)
        }
        var row = ReceiptRow([])
        for item in items { row.cells.append(try cell(item)) }
        let length = row.cells.reduce(0) { $0 + $1.spans.reduce(0) { $0 + $1.text.utf8.count } }
        textLength += length
        guard length <= ReceiptLimits.lineLength, textLength <= ReceiptLimits.textLength else {
            let limits = (line: ReceiptLimits.lineLength, text: ReceiptLimits.textLength)
            throw error(
                "the row has more than \(limits.line) bytes of text, or the receipt \(limits.text)",
                code: .tooLarge, at: node.offset)
        }
        spanCount += row.cells.reduce(row.cells.count) { $0 + $1.spans.count }
        guard spanCount <= ReceiptLimits.spans else {
            throw error(
                "the receipt has more than \(ReceiptLimits.spans) cells and runs of text", code: .tooLarge,
                at: node.offset)
        }
        return row
    }

    private static let styleKeys = ["underline", "bold", "invert", "width", "height"]

    /// Reads a cell. A string alone is a cell that is aligned left.
    private func cell(_ node: JSONNode) throws(ReceiptError) -> ReceiptCell {
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
        // In a list, each run of text has its style.
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
            throw error(
                "the text contains a control character", "\\n for a new line, and no other control character",
                at: node.offset)
        }
        return text.isEmpty ? [] : [TextSpan(text, style)]
    }

    private func style(_ values: JSONObject) throws(ReceiptError) -> TextStyle {
        var isThick = false
        if let node = values["underline"], case .string(let word) = node.value {
            guard word == "thick" else {
                throw error("the underline is invalid", "true, false or \"thick\"", at: node.offset)
            }
            isThick = true
        }
        let isUnderlined = if isThick { true } else { try values.flag("underline") ?? false }
        return TextStyle(
            underline: isUnderlined, emphasis: try values.flag("bold") ?? false,
            invert: try values.flag("invert") ?? false, width: try values.integer("width", in: TextStyle.scales) ?? 1,
            height: try values.integer("height", in: TextStyle.scales) ?? 1, thickUnderline: isThick)
    }

    private func code(_ values: JSONObject) throws(ReceiptError) -> ReceiptCode {
        var code = ReceiptCode(
            try values.string("code") ?? "", try values.keyword("symbology", Symbology.self) ?? .code128)
        code.alignment = try values.keyword("align", HorizontalAlignment.self) ?? code.alignment
        code.module = try values.integer("module", in: ReceiptCode.modules) ?? code.module
        code.height = try values.integer("height", in: ReceiptCode.heights) ?? code.height
        code.readable = try values.flag("readable") ?? code.readable
        code.cell = try values.integer("cell", in: ReceiptCode.cells) ?? code.cell
        code.level = try values.keyword("level", ReceiptCode.CorrectionLevel.self) ?? code.level
        do { try CheckedCode(code).check(code, fits: maximumPaperWidth) } catch { throw located(error, values["code"]) }
        return code
    }

    private func image(_ values: JSONObject) throws(ReceiptError) -> ReceiptImage {
        let image = ReceiptImage(
            try binary(values, "image", limit: ReceiptLimits.imageLength),
            alignment: try values.keyword("align", HorizontalAlignment.self) ?? .center,
            dithering: try values.keyword("dither", Dithering.self))
        do { try image.checkStructure() } catch { throw located(error, values["image"]) }
        return image
    }

    private func logo(_ values: JSONObject) throws(ReceiptError) -> StoredLogo {
        guard let name = StoredLogo.Name(try values.string("logo") ?? "") else {
            throw error(
                "the logo is invalid",
                "its number, \"1\" to \"\(StoredLogo.Name.numbers.upperBound)\", or its two-character key",
                at: values["logo"]?.offset ?? values.node.offset)
        }
        guard values["image"] != nil || values["dither"] == nil else {
            throw error(
                "the logo has no \"image\" to dither", "it, or leave \"dither\" out",
                at: values["dither"]?.offset ?? values.node.offset)
        }
        let substitute = values["image"] == nil ? nil : try image(values)
        return StoredLogo(
            name, alignment: try values.keyword("align", HorizontalAlignment.self) ?? .center, substitute: substitute)
    }

    private func located(_ error: ReceiptError, _ node: JSONNode?) -> ReceiptError {
        node.map { error.at(JSONReader.place(of: $0.offset, in: bytes)) } ?? error
    }

    private func settings(_ node: JSONNode) throws(ReceiptError) -> LineSettings {
        let values = try object(node, "\"set\"")
        try values.allow(["widths", "border", "align", "wrap", "font", "spacing", "rotate", "columns", "color"])
        var settings = LineSettings()
        settings.widths = try values["widths"].map { node throws(ReceiptError) in try widths(node) }
        settings.border = try values["border"].map { node throws(ReceiptError) in try border(node) }
        settings.alignment = try values.keyword("align", HorizontalAlignment.self)
        settings.wrapping = try values.keyword("wrap", TextWrapping.self)
        settings.font = try values.keyword("font", ReceiptFont.self)
        settings.spacing = try values["spacing"].map { node throws(ReceiptError) in try spacing(node) }
        settings.color = try values.keyword("color", TextColor.self)
        settings.turn = try turn(values)
        return settings
    }

    private func turn(_ values: JSONObject) throws(ReceiptError) -> TurnedLines? {
        let columns = try values.integer("columns", in: 1...TurnedLines.maximumColumns)
        guard let degrees = try values.integer("rotate", in: 0...270), let rotation = LineRotation(rawValue: degrees),
            columns == nil || rotation.isSideways
        else {
            guard let node = values["rotate"] ?? values["columns"] else { return nil }
            throw error(
                "the rotation is invalid", "0, 90, 180 or 270; and \"columns\" only with 90 and 270", at: node.offset)
        }
        return TurnedLines(rotation, columns: columns)
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
            "the widths are invalid", "\"auto\", or a list of \"*\" and 0 to \(ColumnWidth.maximum)",
            at: node.offset)
    }

    private func border(_ node: JSONNode) throws(ReceiptError) -> ColumnBorder {
        switch node.value {
        case .string("line"): return .line
        case .integer(let width) where ColumnBorder.spaces.contains(width): return .space(width)
        default:
            throw error(
                "the border is invalid", "\"line\", or 0 to \(ColumnBorder.spaces.upperBound) spaces",
                at: node.offset)
        }
    }

    private func spacing(_ node: JSONNode) throws(ReceiptError) -> LineSpacing {
        switch node.value {
        case .string("standard"): return .standard
        case .integer(let dots) where LineSpacing.range.contains(dots): return .dots(dots)
        default:
            throw error(
                "the spacing is invalid", "\"standard\", or 0 to \(LineSpacing.range.upperBound) dots",
                at: node.offset)
        }
    }
}

/// The members of a JSON object, read by their keys.
struct JSONObject {
    private let members: [JSONNode.Member]
    private let reader: ReceiptJSONReader
    let node: JSONNode

    init(_ node: JSONNode, _ what: String, _ reader: ReceiptJSONReader) throws(ReceiptError) {
        guard case .object(let members) = node.value else {
            throw reader.error("\(what) is not an object", at: node.offset)
        }
        self.members = members
        self.reader = reader
        self.node = node
    }

    /// Throws where the object has a key that is not one of these.
    func allow(_ keys: [String]) throws(ReceiptError) {
        for member in members where !keys.contains(member.key) {
            throw reader.error(
                "the key \"\(member.key.prefix(40))\" is unknown", keys.joined(separator: ", "),
                at: member.offset)
        }
    }

    subscript(key: String) -> JSONNode? { members.first { $0.key == key }?.node }

    func string(_ key: String) throws(ReceiptError) -> String? {
        guard let node = self[key] else { return nil }
        guard case .string(let string) = node.value else {
            throw reader.error("\"\(key)\" is not a string", "a string in quotes", at: node.offset)
        }
        return string
    }

    func flag(_ key: String) throws(ReceiptError) -> Bool? {
        guard let node = self[key] else { return nil }
        guard case .boolean(let flag) = node.value else {
            throw reader.error("\"\(key)\" is neither true nor false", "true or false", at: node.offset)
        }
        return flag
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(ReceiptError) -> Int? {
        guard let node = self[key] else { return nil }
        guard case .integer(let number) = node.value, range.contains(number) else {
            throw reader.error(
                "\"\(key)\" is not a whole number in its range", "\(range.lowerBound) to \(range.upperBound)",
                at: node.offset)
        }
        return number
    }

    func keyword<Keyword: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ type: Keyword.Type
    ) throws(ReceiptError) -> Keyword? {
        guard let word = try string(key) else { return nil }
        guard let keyword = Keyword(rawValue: word) else {
            let known = Keyword.allCases.map(\.rawValue).joined(separator: ", ")
            throw reader.error(
                "\"\(key)\" has the unknown value \"\(word.prefix(40))\"", known,
                at: self[key]?.offset ?? node.offset)
        }
        return keyword
    }
}
