import PrintModel

/// Makes a receipt of JSON values.
struct ReceiptJSONReader {
    let bytes: [UInt8]
    let privileges: Set<ReceiptPrivilege>
    /// In dots; nil where it is not known.
    let widestPaper: Int?
    private var spanCount = 0
    private var textLength = 0

    init(bytes: [UInt8], privileges: Set<ReceiptPrivilege>, widestPaper: Int?) {
        self.bytes = bytes
        self.privileges = privileges
        self.widestPaper = widestPaper
    }

    func error(
        _ message: String, _ instead: String? = nil, code: ReceiptError.Code = .value, at offset: Int
    ) -> ReceiptError {
        ReceiptError(code, message, instead: instead, at: JSONReader.place(of: offset, in: bytes))
    }

    func object(_ node: JSONNode, _ what: String) throws(ReceiptError) -> JSONObject {
        try JSONObject(node, what, self)
    }

    func array(_ node: JSONNode, _ what: String) throws(ReceiptError) -> [JSONNode] {
        guard case .array(let items) = node.value else { throw error("\(what) is no list", at: node.offset) }
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
                "the element is of no kind", "one of \(ElementKey.allCases.map(\.rawValue).joined(separator: ", "))",
                at: node.offset)
        }
        try values.allow([kind.rawValue] + kind.companions)
        switch kind {
        case .set: return .settings(try settings(value))
        case .row: return .row(try row(value))
        case .rule:
            guard try values.flag("rule") == true else {
                throw error("a rule is there or not", "true, or leave it out", at: value.offset)
            }
            return .rule
        case .code: return .code(try code(values))
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
                        ?? DrawerKick.usualMilliseconds))
        case .command:
            guard privileges.contains(.rawCommands) else {
                throw error("the caller may not send raw commands", code: .forbidden, at: value.offset)
            }
            return .command(try binary(values, "command", limit: ReceiptLimits.commandLength))
        }
    }

    enum ElementKey: String, CaseIterable {
        case set, row, rule, code, image, feed, cut, drawer, command

        /// What may stand beside it.
        var companions: [String] {
            switch self {
            case .code: ["symbology", "align", "module", "height", "readable", "cell", "level"]
            case .image: ["align"]
            case .drawer: ["milliseconds"]
            default: []
            }
        }
    }

    func binary(_ values: JSONObject, _ key: String, limit: Int) throws(ReceiptError) -> [UInt8] {
        let offset = values[key]?.offset ?? values.node.offset
        guard let text = try values.string(key), let bytes = Base64.decode(Array(text.utf8)[...]), !bytes.isEmpty else {
            throw error("\"\(key)\" is no Base64", at: offset)
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
            throw error(
                "the row has more than \(ReceiptLimits.lineLength) bytes of text, or the receipt \(ReceiptLimits.textLength)",
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
}
