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
        switch self {
        case .initialize: [Self.esc, 0x40]
        case .singleBytes: [0x1C, 0x2E]
        case .motionUnits(let unit): [Self.gs, 0x50, Self.byte(unit), Self.byte(unit)]
        case .codePage(let number, _): [Self.esc, 0x74, number]
        case .font(let font): [Self.esc, 0x4D, font]
        case .emphasis(let isOn): [Self.esc, 0x45, isOn ? 1 : 0]
        case .underline(let isOn): [Self.esc, 0x2D, isOn ? 1 : 0]
        case .invert(let isOn): [Self.gs, 0x42, isOn ? 1 : 0]
        case .scale(let width, let height): [Self.gs, 0x21, Self.byte((width - 1) << 4 | (height - 1))]
        case .position(let dots): [Self.esc, 0x24] + Self.word(dots)
        case .lineSpacing(let dots): [Self.esc, 0x33, Self.byte(dots)]
        case .text(let bytes, _): bytes
        case .lineFeed: [0x0A]
        case .feed(let dots): [Self.esc, 0x4A, Self.byte(dots)]
        case .justify(let alignment): [Self.esc, 0x61, alignment == .left ? 0 : alignment == .center ? 1 : 2]
        case .leftMargin(let dots): [Self.gs, 0x4C] + Self.word(dots)
        case .areaWidth(let dots): [Self.gs, 0x57] + Self.word(dots)
        case .barcodeHeight(let dots): [Self.gs, 0x68, Self.byte(dots)]
        case .barcodeModule(let dots): [Self.gs, 0x77, Self.byte(dots)]
        case .barcodeText(let isShown): [Self.gs, 0x48, isShown ? 2 : 0]
        case .barcode(let system, let data): [Self.gs, 0x6B, system, Self.byte(data.count)] + data
        case .symbol(let code, let function, let data): [Self.gs, 0x28, 0x6B] + Self.word(data.count + 2) + [code, function] + data
        case .raster(let width, let rows): [Self.gs, 0x76, 0x30, 0] + Self.word(width) + Self.word(rows.count / max(width, 1)) + rows
        case .graphics(let width, let rows): Self.graphics(width, rows)
        case .strip(let columns): [Self.esc, 0x2A, 33] + Self.word(columns.count / 3) + columns
        // Function B feeds first, until the last line has passed the blade.
        case .cut(let mode): [Self.gs, 0x56, mode == .full ? 0x41 : 0x42, 0]
        case .pulse(let connector, let milliseconds):
            [Self.esc, 0x70, connector == 2 ? 1 : 0, Self.byte(milliseconds / 2), Self.pause]
        case .raw(let bytes): bytes
        }
    }

    /// Kept as one colour of the size that it has, then printed.
    private static func graphics(_ width: Int, _ rows: [UInt8]) -> [UInt8] {
        let parameters: [UInt8] = [0x30, 112, 0x30, 1, 1, 0x31] + word(width * 8) + word(rows.count / max(width, 1))
        let count = parameters.count + rows.count
        let start: [UInt8] = count <= 0xFFFF ? [gs, 0x28, 0x4C] + word(count) : [gs, 0x38, 0x4C] + word(count & 0xFFFF) + word(count >> 16)
        return start + parameters + rows + [gs, 0x28, 0x4C, 2, 0, 0x30, 50]
    }

    private static let esc: UInt8 = 0x1B
    private static let gs: UInt8 = 0x1D
    /// Half a second until the next pulse, so that the drawer's magnet cools.
    private static let pause: UInt8 = 250

    private static func byte(_ value: Int) -> UInt8 { UInt8(clamping: value) }
    /// Low byte first.
    private static func word(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(clamping: value >> 8)] }
}
