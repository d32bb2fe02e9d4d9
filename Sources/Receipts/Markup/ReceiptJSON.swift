import KioskPrintModel

/// The JSON form of a receipt, `application/vnd.kiosk.receipt+json`, for programs that prefer JSON to markup.
/// docs/receipt.schema.json describes it.
package enum ReceiptJSON {
    package static let mediaType = "application/vnd.kiosk.receipt+json"

    /// Reads a receipt. Errors have a line and column. `maximumPaperWidth` is the width in dots that codes must fit;
    /// nil where no paper is known.
    package static func read(
        _ bytes: [UInt8], privileges: Set<ReceiptPrivilege> = [], maximumPaperWidth: Int? = nil
    ) throws(ReceiptError) -> Receipt {
        guard bytes.count <= ReceiptLimits.documentLength else {
            throw ReceiptError(.tooLarge, "the receipt has more than \(ReceiptLimits.documentLength) bytes")
        }
        var reader = ReceiptJSONReader(bytes: bytes, privileges: privileges, maximumPaperWidth: maximumPaperWidth)
        return try reader.receipt(try JSONReader.read(bytes))
    }

    /// Writes a receipt with one element per line and without default values. The same receipt always gives the same
    /// bytes.
    package static func write(_ receipt: Receipt) -> [UInt8] {
        var writer = ReceiptJSONWriter()
        writer.receipt(receipt)
        return writer.bytes
    }
}

/// Writes a receipt as JSON.
private struct ReceiptJSONWriter {
    private(set) var bytes: [UInt8] = []

    private enum Value {
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
        case .rule(let style): [("rule", style == .single ? .flag(true) : .string(style.rawValue))]
        case .code(let code): members(code)
        case .image(let image):
            [("image", .string(Base64.encode(image.file)))] + align(image.alignment, default: .center)
                + member(image.dithering, nil, "dither") { .string($0?.rawValue ?? "") }
        case .logo(let logo):
            [("logo", .string(logo.name.description))] + align(logo.alignment, default: .center)
                + member(logo.substitute?.file, nil, "image") { .string(Base64.encode($0 ?? [])) }
                + member(logo.substitute?.dithering, nil, "dither") { .string($0?.rawValue ?? "") }
        case .feed(let lines): [("feed", .integer(lines))]
        case .cut(let mode): [("cut", .string(mode.rawValue))]
        case .drawer(let kick):
            [("drawer", .integer(kick.connector))]
                + member(kick.milliseconds, DrawerKick.defaultMilliseconds, "milliseconds") { .integer($0) }
        case .buzzer(let signal):
            [("buzzer", .integer(signal.count))]
                + member(signal.milliseconds, BuzzerSignal.defaultMilliseconds, "milliseconds") { .integer($0) }
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
        if let turn = settings.turn {
            members.append(("rotate", .integer(turn.rotation.rawValue)))
            if let columns = turn.columns { members.append(("columns", .integer(columns))) }
        }
        if let color = settings.color { members.append(("color", .string(color.rawValue))) }
        return members
    }

    private static func members(_ code: ReceiptCode) -> [(String, Value)] {
        let standard = ReceiptCode("", .code128)
        return [("code", .string(code.data)), ("symbology", .string(code.symbology.rawValue))]
            + align(code.alignment, default: .center)
            + member(code.module, standard.module, "module") { .integer($0) }
            + member(code.height, standard.height, "height") { .integer($0) }
            + member(code.readable, standard.readable, "readable") { .flag($0) }
            + member(code.cell, standard.cell, "cell") { .integer($0) }
            + member(code.level, standard.level, "level") { .string($0.rawValue) }
    }

    private static func value(_ cell: ReceiptCell) -> Value {
        let alignment = align(cell.alignment, default: .left)
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
        return [("text", .string(span.text))]
            + member(style.underline, false, "underline") {
                style.thickUnderline ? .string("thick") : .flag($0)
            }
            + member(style.emphasis, false, "bold") { .flag($0) } + member(style.invert, false, "invert") { .flag($0) }
            + member(style.width, 1, "width") { .integer($0) } + member(style.height, 1, "height") { .integer($0) }
    }

    private static func align(
        _ alignment: HorizontalAlignment, default standard: HorizontalAlignment
    ) -> [(String, Value)] {
        member(alignment, standard, "align") { .string($0.rawValue) }
    }

    /// The member of an object; none where the value is the default.
    private static func member<T: Equatable>(
        _ value: T, _ standard: T, _ key: String, _ make: (T) -> Value
    ) -> [(String, Value)] {
        value == standard ? [] : [(key, make(value))]
    }

    private mutating func write(_ value: Value) {
        switch value {
        case .string(let text): write(text)
        case .integer(let number): bytes += String(number).utf8
        case .flag(let flag): bytes += (flag ? "true" : "false").utf8
        case .list(let items):
            bytes.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { bytes += ", ".utf8 }
                write(item)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes += ", ".utf8 }
                write(member.0)
                bytes += ": ".utf8
                write(member.1)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case _ where byte.isControl:
                bytes += "\\u00".utf8 + [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
