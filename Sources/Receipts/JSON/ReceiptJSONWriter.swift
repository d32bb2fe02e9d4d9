import PrintModel

/// Writes a receipt as JSON.
struct ReceiptJSONWriter {
    var bytes: [UInt8] = []

    enum Value {
        case string(String)
        case integer(Int)
        case flag(Bool)
        case list([Value])
        case object([(String, Value)])
    }

    mutating func receipt(_ receipt: Receipt) {
        bytes += "{\"elements\": [".utf8
        for (index, element) in receipt.elements.enumerated() {
            bytes += (index == 0 ? "\n  " : ",\n  ").utf8
            write(.object(Self.members(element)))
        }
        bytes += (receipt.elements.isEmpty ? "]}\n" : "\n]}\n").utf8
    }

    private static func members(_ element: ReceiptElement) -> [(String, Value)] {
        switch element {
        case .settings(let settings): [("set", .object(members(settings)))]
        case .row(let row): [("row", .list(row.cells.map(value)))]
        case .rule: [("rule", .flag(true))]
        case .code(let code): members(code)
        case .image(let image): [("image", .string(Base64.encode(image.file)))] + align(image.alignment, usual: .center)
        case .feed(let lines): [("feed", .integer(lines))]
        case .cut(let mode): [("cut", .string(mode.rawValue))]
        case .drawer(let kick):
            [("drawer", .integer(kick.connector))]
                + unless(kick.milliseconds, DrawerKick.usualMilliseconds, "milliseconds") { .integer($0) }
        case .command(let bytes): [("command", .string(Base64.encode(bytes)))]
        }
    }

    private static func members(_ settings: LineSettings) -> [(String, Value)] {
        var members: [(String, Value)] = []
        if let widths = settings.widths {
            members.append(
                (
                    "widths",
                    widths.isEmpty
                        ? .string("auto")
                        : .list(
                            widths.map { width in
                                switch width {
                                case .share: .string("*")
                                case .characters(let count): .integer(count)
                                }
                            })
                ))
        }
        switch settings.border {
        case .line?: members.append(("border", .string("line")))
        case .space(let width)?: members.append(("border", .integer(width)))
        case nil: break
        }
        if let alignment = settings.alignment { members.append(("align", .string(alignment.rawValue))) }
        if let wrapping = settings.wrapping { members.append(("wrap", .string(wrapping.rawValue))) }
        if let font = settings.font { members.append(("font", .string(font.rawValue))) }
        switch settings.spacing {
        case .standard?: members.append(("spacing", .string("standard")))
        case .dots(let dots)?: members.append(("spacing", .integer(dots)))
        case nil: break
        }
        return members
    }

    private static func members(_ code: ReceiptCode) -> [(String, Value)] {
        let usual = ReceiptCode("", .code128)
        return [("code", .string(code.data)), ("symbology", .string(code.symbology.rawValue))]
            + align(code.alignment, usual: .center)
            + unless(code.module, usual.module, "module") { .integer($0) }
            + unless(code.height, usual.height, "height") { .integer($0) }
            + unless(code.readable, usual.readable, "readable") { .flag($0) }
            + unless(code.cell, usual.cell, "cell") { .integer($0) }
            + unless(code.level, usual.level, "level") { .string($0.rawValue) }
    }

    private static func value(_ cell: ReceiptCell) -> Value {
        let alignment = align(cell.alignment, usual: .left)
        switch cell.spans.count {
        case 0: return alignment.isEmpty ? .string("") : .object([("text", .string(""))] + alignment)
        case 1:
            let members = members(cell.spans[0]) + alignment
            return members.count == 1 ? members[0].1 : .object(members)
        default:
            let runs = cell.spans.map { span in
                let members = members(span)
                return members.count == 1 ? members[0].1 : Value.object(members)
            }
            return .object([("text", .list(runs))] + alignment)
        }
    }

    private static func members(_ span: TextSpan) -> [(String, Value)] {
        let style = span.style
        return [("text", .string(span.text))] + unless(style.underline, false, "underline") { .flag($0) }
            + unless(style.emphasis, false, "bold") { .flag($0) } + unless(style.invert, false, "invert") { .flag($0) }
            + unless(style.width, 1, "width") { .integer($0) } + unless(style.height, 1, "height") { .integer($0) }
    }

    private static func align(_ alignment: HorizontalAlignment, usual: HorizontalAlignment) -> [(String, Value)] {
        unless(alignment, usual, "align") { .string($0.rawValue) }
    }

    private static func unless<T: Equatable>(
        _ value: T, _ usual: T, _ key: String, _ make: (T) -> Value
    ) -> [(String, Value)] {
        value == usual ? [] : [(key, make(value))]
    }
}
