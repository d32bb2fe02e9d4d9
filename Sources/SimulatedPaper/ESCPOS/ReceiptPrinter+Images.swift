/// Pictures in the ways that older printers know.
extension ReceiptPrinter {
    static let imageCommands: [ReceiptCommand] = [
        ReceiptCommand("GS v 0", .read(rasterParameters)) { $0.printRaster($1) },
        ReceiptCommand("ESC *", .read(bitImageParameters)) { $0.addBitImage($1) },
        ReceiptCommand("GS *", .read(downloadParameters)) { printer, arguments in
            let height = arguments[1]
            guard arguments[0] > 0, height > 0 else { return .refused("an empty picture") }
            printer.memory.download = Bitmap(columns: arguments.from(2), bytesPerColumn: height)
            return "keep a picture of \(arguments[0] * 8)×\(height * 8) dots"
        },
        ReceiptCommand("GS /", .fixed(1)) { printer, arguments in
            guard let picture = printer.memory.download else { return .refused("no picture was kept") }
            return printer.print(picture, mode: arguments[0])
        },
        ReceiptCommand("FS q", .read(logoParameters)) { $0.keepLogos($1) },
        ReceiptCommand("FS p", .fixed(2)) { printer, arguments in
            guard printer.memory.logos.indices.contains(arguments[0] - 1) else {
                return .refused("no logo \(arguments[0]) was kept")
            }
            return printer.print(printer.memory.logos[arguments[0] - 1], mode: arguments[1])
        },
        ReceiptCommand("GS Q 0", .read(tallImageParameters)) { printer, arguments in
            let height = arguments.word(3)
            guard height > 0 else { return .refused("an empty picture") }
            return printer.print(Bitmap(columns: arguments.from(5), bytesPerColumn: height), mode: arguments[0])
        },
    ]

    /// Each dot doubled in width (1), in height (2) or both (3), by the mode of `GS v 0`, `GS /` and `FS p`.
    mutating func print(_ picture: Bitmap, mode: Int) -> CommandOutcome {
        guard [0, 1, 2, 3, 48, 49, 50, 51].contains(mode) else { return .refused("no such size") }
        guard takesPicture else { return .refused("amid a line: not printed") }
        let scale = (across: mode & 1 + 1, down: mode >> 1 & 1 + 1)
        // Cropped before it grows: four times as many bytes as came in would not be bounded by them.
        let visible = picture.cropped(width: model.width, height: model.longestPaper).scaled(scale.across, scale.down)
        printPicture(visible)
        let size = mode & 3 == 0 ? "" : ", each \(scale.across)×\(scale.down)"
        let end = picture.width * scale.across > areaWidth ? ", cut off at \(areaWidth)" : ""
        return "\(picture.width)×\(picture.height) dots\(size)\(end)"
    }

    private mutating func printRaster(_ arguments: CommandArguments) -> CommandOutcome {
        let picture = Bitmap(width: arguments.word(1) * 8, height: arguments.word(3), rows: arguments.from(5))
        return print(picture, mode: arguments[0])
    }

    private mutating func addBitImage(_ arguments: CommandArguments) -> CommandOutcome {
        guard let mode = BitImageMode(rawValue: arguments[0]) else { return .refused("no such mode") }
        let picture = Bitmap(columns: arguments.from(3), bytesPerColumn: mode.bytesPerColumn)
        let visible = picture.cropped(width: areaWidth, height: picture.height).scaled(mode.across, mode.down)
        // Its 24 rows are those of a character of font A.
        add(visible, descent: PrinterFont.a.descent)
        return "\(picture.width) columns of \(picture.height) dots, each dot \(mode.across)×\(mode.down)"
    }

    mutating func keepLogos(_ arguments: CommandArguments) -> CommandOutcome {
        var pictures: [Bitmap] = []
        var place = 1
        while pictures.count < arguments[0] {
            let (width, height) = (arguments.word(place), arguments.word(place + 2))
            guard width > 0, height > 0 else { return .refused("an empty picture") }
            pictures.append(
                Bitmap(columns: arguments.from(place + 4).prefix(width * 8 * height), bytesPerColumn: height))
            place += 4 + width * 8 * height
        }
        guard memory.setLogos(pictures) else { return .refused("no room for these logos") }
        return "keep \(pictures.count) logos: \(pictures.map { "\($0.width)×\($0.height)" }.joined(separator: ", "))"
    }

    /// m xL xH yL yH, then x times y bytes.
    @Sendable private static func rasterParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(5) else { return nil }
        let arguments = CommandArguments(head[...])
        return reader.take(arguments.word(1) * arguments.word(3)).map { head + $0 }
    }

    /// m nL nH, then the columns. A mode that does not exist takes no data: it prints as text.
    @Sendable private static func bitImageParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(3) else { return nil }
        guard let mode = BitImageMode(rawValue: Int(head[0])) else { return head }
        return reader.take(CommandArguments(head[...]).word(1) * mode.bytesPerColumn).map { head + $0 }
    }

    /// x y, then x times 8 columns of y bytes.
    @Sendable private static func downloadParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(2) else { return nil }
        return reader.take(Int(head[0]) * 8 * Int(head[1])).map { head + $0 }
    }

    /// n, then for each picture xL xH yL yH and x times 8 columns of y bytes.
    @Sendable static func logoParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard var bytes = reader.take(1) else { return nil }
        for _ in 0..<bytes[0] {
            guard let size = reader.take(4) else { return nil }
            let arguments = CommandArguments(size[...])
            guard let data = reader.take(arguments.word(0) * 8 * arguments.word(2)) else { return nil }
            bytes += size + data
        }
        return bytes
    }

    /// m xL xH yL yH, then x columns of y bytes.
    @Sendable private static func tallImageParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(5) else { return nil }
        let arguments = CommandArguments(head[...])
        return reader.take(arguments.word(1) * arguments.word(3)).map { head + $0 }
    }
}

/// The modes of `ESC *`.
private enum BitImageMode: Int {
    case single8 = 0, double8 = 1, single24 = 32, double24 = 33

    var bytesPerColumn: Int { self == .single8 || self == .double8 ? 1 : 3 }
    var across: Int { self == .single8 || self == .single24 ? 2 : 1 }
    /// Eight dots stand in for 24.
    var down: Int { bytesPerColumn == 1 ? 3 : 1 }
}
