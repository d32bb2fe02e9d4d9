extension EscPosCommand: CustomStringConvertible {
    /// `ESC $ 120`, or a text in quotes.
    package var description: String {
        switch self {
        case .initialize: "ESC @"
        case .singleBytes: "FS ."
        case .motionUnits(let unit): "GS P \(unit) \(unit)"
        case .codePage(let number, let page): "ESC t \(number)  \(page.name)"
        case .font(let font): "ESC M \(font)"
        case .emphasis(let isOn): "ESC E \(isOn ? "on" : "off")"
        case .underline(let isOn): "ESC - \(isOn ? "on" : "off")"
        case .invert(let isOn): "GS B \(isOn ? "on" : "off")"
        case .scale(let width, let height): "GS ! \(width)×\(height)"
        case .position(let dots): "ESC $ \(dots)"
        case .lineSpacing(let dots): "ESC 3 \(dots)"
        case .text(_, let text): "\"\(text)\""
        case .lineFeed: "LF"
        case .feed(let dots): "ESC J \(dots)"
        case .justify(let alignment): "ESC a \(alignment.rawValue)"
        case .leftMargin(let dots): "GS L \(dots)"
        case .areaWidth(let dots): "GS W \(dots)"
        case .barcodeHeight(let dots): "GS h \(dots)"
        case .barcodeModule(let dots): "GS w \(dots)"
        case .barcodeText(let isShown): "GS H \(isShown ? "below" : "none")"
        case .barcode(let system, let data): "GS k \(system) \(Self.shown(data))"
        case .symbol(let code, let function, let data):
            "GS ( k \(code) \(function) \(function == 80 ? Self.shown(Array(data.dropFirst())) : Self.numbers(data))"
        case .raster(let width, let rows): "GS v 0 \(Self.size(width, rows))"
        case .graphics(let width, let rows): "GS ( L \(Self.size(width, rows))"
        case .strip(let columns): "ESC * 33 \(columns.count / 3)×24, \(Self.black(columns)) black"
        case .cut(let mode): "GS V \(mode.rawValue)"
        case .pulse(let connector, let milliseconds): "ESC p \(connector) \(milliseconds) ms"
        case .raw(let bytes): "raw \(Self.numbers(bytes))"
        }
    }

    private static func size(_ width: Int, _ rows: [UInt8]) -> String {
        "\(width * 8)×\(rows.count / max(width, 1)), \(black(rows)) black"
    }
    private static func black(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 + $1.nonzeroBitCount } }

    private static func numbers(_ bytes: [UInt8]) -> String { bytes.map { String($0) }.joined(separator: " ") }

    /// Printable ASCII as it is, all else as numbers.
    private static func shown(_ bytes: [UInt8]) -> String {
        "\"" + bytes.map { (0x20..<0x7F).contains($0) ? String(Unicode.Scalar($0)) : "<\($0)>" }.joined() + "\""
    }
}
