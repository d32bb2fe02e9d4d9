package import PrintModel

/// A command of ESC/POS (Epson, "ESC/POS Command Reference"), as bytes and as people read it.
package enum EscPosCommand: Hashable, Sendable {
    case initialize
    /// FS .: from here on a byte is a character.
    case singleBytes
    case motionUnits(Int)
    case codePage(UInt8, CodePage)
    case font(UInt8)
    case emphasis(Bool)
    case underline(Bool)
    case invert(Bool)
    case scale(width: Int, height: Int)
    /// From the left margin, in dots.
    case position(Int)
    case lineSpacing(Int)
    /// As bytes of the code page that is on, and what they mean.
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
    /// GS ( k: a two-dimensional code's setting, its data, or the order to print it.
    case symbol(code: UInt8, function: UInt8, [UInt8])
    /// GS v 0: rows of so many bytes.
    case raster(bytesPerRow: Int, rows: [UInt8])
    /// GS ( L or GS 8 L, functions 112 and 50.
    case graphics(bytesPerRow: Int, rows: [UInt8])
    /// ESC * 33: columns of three bytes.
    case strip([UInt8])
    case cut(CutMode)
    case pulse(connector: Int, milliseconds: Int)
    /// What the receipt says itself.
    case raw([UInt8])

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    func write(to output: inout [UInt8]) {
        switch self {
        case .initialize: output += [Self.esc, 0x40]
        case .singleBytes: output += [0x1C, 0x2E]
        case .motionUnits(let unit): output += [Self.gs, 0x50, Self.byte(unit), Self.byte(unit)]
        case .codePage(let number, _): output += [Self.esc, 0x74, number]
        case .font(let font): output += [Self.esc, 0x4D, font]
        case .emphasis(let isOn): output += [Self.esc, 0x45, isOn ? 1 : 0]
        case .underline(let isOn): output += [Self.esc, 0x2D, isOn ? 1 : 0]
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
        // Function B feeds first, until the last line has passed the blade.
        case .cut(let mode): output += [Self.gs, 0x56, mode == .full ? 0x41 : 0x42, 0]
        case .pulse(let connector, let milliseconds):
            output += [Self.esc, 0x70, connector == 2 ? 1 : 0, Self.byte(milliseconds / 2), Self.pause]
        case .raw(let bytes): output += bytes
        }
    }

    /// Kept as one colour of the size that it has, then printed.
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
    /// Half a second until the next pulse, so that the drawer's magnet cools.
    private static let pause: UInt8 = 250

    private static func byte(_ value: Int) -> UInt8 { UInt8(clamping: value) }
    /// A word's bytes, of which the low one is sent first.
    private static func low(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    private static func high(_ value: Int) -> UInt8 { UInt8(clamping: value >> 8) }
}
