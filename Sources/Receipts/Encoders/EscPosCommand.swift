package import KioskPrintModel

/// A command of ESC/POS (Epson, "ESC/POS Command Reference").
package enum EscPosCommand: Hashable, CustomStringConvertible, Sendable, ReceiptCommand {
    case initialize
    /// `FS .`: from here on, a byte is a character.
    case singleBytes
    case motionUnits(Int)
    case codePage(UInt8, CodePage)
    case font(UInt8)
    case emphasis(Bool)
    /// 0 without an underline, 2 for a thick one.
    case underline(Int)
    case color(TextColor)
    case invert(Bool)
    case scale(width: Int, height: Int)
    /// The distance from the left margin, in dots.
    case position(Int)
    case lineSpacing(Int)
    /// Bytes in the code page that is set, and the text that they mean.
    case text([UInt8], String)
    case lineFeed
    case feed(dots: Int)
    case justify(HorizontalAlignment)
    case leftMargin(Int)
    case areaWidth(Int)
    case barcodeHeight(Int)
    case barcodeModule(Int)
    case barcodeText(Bool)
    case barcode(system: UInt8, data: [UInt8])
    /// `GS ( k`: a setting of a two-dimensional code, its data, or the command to print it.
    case symbol(code: UInt8, function: UInt8, [UInt8])
    /// `GS v 0`.
    case raster(bytesPerRow: Int, rows: [UInt8])
    /// `GS ( L` or `GS 8 L`, functions 112 and 50.
    case graphics(bytesPerRow: Int, rows: [UInt8])
    /// `ESC * 33`: columns of three bytes.
    case strip([UInt8])
    /// `GS ( L`, function 69: the picture of the printer's memory with this key.
    case storedGraphics(UInt8, UInt8)
    /// `FS p`: the picture of the printer's memory with this number.
    case storedImage(Int)
    case upsideDown(Bool)
    case cut(CutMode)
    case pulse(connector: Int, milliseconds: Int)
    /// `ESC B`: a number of beeps, and their length in units of 50 ms, as clones and their libraries have it
    /// (esc_pos_utils, node-escpos). Epson's own `ESC ( A` has sounds that differ from model to model.
    case beep(count: Int, units: Int)
    /// Bytes that the receipt itself contains.
    case raw([UInt8])

    func write(to output: inout [UInt8]) {
        switch self {
        case .initialize: output += [Self.esc, 0x40]
        case .singleBytes: output += [0x1C, 0x2E]
        case .motionUnits(let unit): output += [Self.gs, 0x50, Self.byte(unit), Self.byte(unit)]
        case .codePage(let number, _): output += [Self.esc, 0x74, number]
        case .font(let font): output += [Self.esc, 0x4D, font]
        case .emphasis(let isOn): output += [Self.esc, 0x45, isOn ? 1 : 0]
        case .underline(let thickness): output += [Self.esc, 0x2D, Self.byte(thickness)]
        case .color(let color): output += [Self.esc, 0x72, color == .red ? 1 : 0]
        case .invert(let isOn): output += [Self.gs, 0x42, isOn ? 1 : 0]
        case .scale(let width, let height): output += [Self.gs, 0x21, Self.byte((width - 1) << 4 | (height - 1))]
        case .position(let dots): output += [Self.esc, 0x24, Self.low(dots), Self.high(dots)]
        case .lineSpacing(let dots): output += [Self.esc, 0x33, Self.byte(dots)]
        case .text(let bytes, _): output += bytes
        case .lineFeed: output.append(0x0A)
        case .feed(let dots): output += [Self.esc, 0x4A, Self.byte(dots)]
        case .justify(let alignment): output += [Self.esc, 0x61, alignment == .left ? 0 : alignment == .center ? 1 : 2]
        case .leftMargin(let dots): output += [Self.gs, 0x4C, Self.low(dots), Self.high(dots)]
        case .areaWidth(let dots): output += [Self.gs, 0x57, Self.low(dots), Self.high(dots)]
        case .barcodeHeight(let dots): output += [Self.gs, 0x68, Self.byte(dots)]
        case .barcodeModule(let dots): output += [Self.gs, 0x77, Self.byte(dots)]
        case .barcodeText(let isShown): output += [Self.gs, 0x48, isShown ? 2 : 0]
        case .barcode(let system, let data):
            output += [Self.gs, 0x6B, system, Self.byte(data.count)]
            output += data
        case .symbol(let code, let function, let data):
            output += [Self.gs, 0x28, 0x6B, Self.low(data.count + 2), Self.high(data.count + 2), code, function]
            output += data
        case .raster(let width, let rows):
            let height = rows.count / max(width, 1)
            output += [Self.gs, 0x76, 0x30, 0, Self.low(width), Self.high(width), Self.low(height), Self.high(height)]
            output += rows
        case .graphics(let width, let rows): Self.writeGraphics(width, rows, to: &output)
        case .strip(let columns):
            output += [Self.esc, 0x2A, 33, Self.low(columns.count / 3), Self.high(columns.count / 3)]
            output += columns
        case .storedGraphics(let first, let second):
            output += [Self.gs, 0x28, 0x4C, 6, 0, 0x30, 69, first, second, 1, 1]
        case .storedImage(let number): output += [0x1C, 0x70, Self.byte(number), 0]
        case .upsideDown(let isOn): output += [Self.esc, 0x7B, isOn ? 1 : 0]
        // Function B first feeds until the last line has passed the blade.
        case .cut(let mode): output += [Self.gs, 0x56, mode == .full ? 0x41 : 0x42, 0]
        case .pulse(let connector, let milliseconds):
            output += [Self.esc, 0x70, connector == 2 ? 1 : 0, Self.byte(milliseconds / 2), Self.pause]
        case .beep(let count, let units): output += [Self.esc, 0x42, Self.byte(count), Self.byte(units)]
        case .raw(let bytes): output += bytes
        }
    }

    /// Stores the rows as a picture of one colour and no magnification, then prints it.
    private static func writeGraphics(_ width: Int, _ rows: [UInt8], to output: inout [UInt8]) {
        let height = rows.count / max(width, 1)
        let parameters: [UInt8] = [
            0x30, 112, 0x30, 1, 1, 0x31, low(width * 8), high(width * 8), low(height), high(height),
        ]
        let count = parameters.count + rows.count
        if count <= 0xFFFF {
            output += [gs, 0x28, 0x4C, low(count), high(count)]
        } else {
            output += [gs, 0x38, 0x4C, low(count), low(count >> 8), low(count >> 16), high(count >> 16)]
        }
        output += parameters
        output += rows
        output += [gs, 0x28, 0x4C, 2, 0, 0x30, 50]
    }

    private static let esc: UInt8 = 0x1B
    private static let gs: UInt8 = 0x1D
    /// The pause until the next pulse, in units of 2 ms: half a second, so that the drawer's solenoid cools.
    private static let pause: UInt8 = 250

    private static func byte(_ value: Int) -> UInt8 { UInt8(clamping: value) }
    // The bytes of a word; the low one is sent first.
    private static func low(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    private static func high(_ value: Int) -> UInt8 { UInt8(clamping: value >> 8) }

    /// The command as the manual names it (`ESC $ 120`), or its text in quotes.
    package var description: String {
        switch self {
        case .initialize: "ESC @"
        case .singleBytes: "FS ."
        case .motionUnits(let unit): "GS P \(unit) \(unit)"
        case .codePage(let number, let page): "ESC t \(number)  \(page.name)"
        case .font(let font): "ESC M \(font)"
        case .emphasis(let isOn): "ESC E \(isOn ? "on" : "off")"
        case .underline(let thickness): "ESC - \(thickness == 0 ? "off" : thickness == 1 ? "on" : "thick")"
        case .color(let color): "ESC r \(color.rawValue)"
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
        case .storedGraphics(let first, let second): "GS ( L 69 \(Self.shown([first, second]))"
        case .storedImage(let number): "FS p \(number)"
        case .upsideDown(let isOn): "ESC { \(isOn ? "on" : "off")"
        case .cut(let mode): "GS V \(mode.rawValue)"
        case .pulse(let connector, let milliseconds): "ESC p \(connector) \(milliseconds) ms"
        case .beep(let count, let units): "ESC B \(count) × \(units * 50) ms"
        case .raw(let bytes): "raw \(Self.numbers(bytes))"
        }
    }

    private static func size(_ width: Int, _ rows: [UInt8]) -> String {
        "\(width * 8)×\(rows.count / max(width, 1)), \(black(rows)) black"
    }
    private static func black(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 + $1.nonzeroBitCount } }

    private static func numbers(_ bytes: [UInt8]) -> String { bytes.map { String($0) }.joined(separator: " ") }

    /// Printable ASCII as it is, all other bytes as numbers.
    private static func shown(_ bytes: [UInt8]) -> String {
        "\"" + bytes.map { (0x20..<0x7F).contains($0) ? String(Unicode.Scalar($0)) : "<\($0)>" }.joined() + "\""
    }
}

/// A receipt in the commands of an ESC/POS printer. The delivery adds commands that prove that it was printed.
package struct EscPosDocument: Hashable, Sendable {
    package let commands: [EscPosCommand]

    package var bytes: [UInt8] { commands.bytes }

    /// One command per line, for people.
    package var dump: String { commands.dump }

    /// Throws where a drawing is missing, or the printer would need a picture and takes none: then nothing is printed.
    package init(
        _ layout: ReceiptLayout, for capabilities: EscPosCapabilities, with drawn: RenderedDrawings = .nothing,
        dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        let encoder = try LineEncoder(layout, EscPosCommandSet(capabilities), dithering: dithering)
        commands = try encoder.commands(with: drawn)
    }
}
