/// The ESC/POS commands for pictures: raster and bit images, NV and download graphics.
extension ReceiptPrinter {
    static let imageCommands: [ReceiptCommand] = [
        ReceiptCommand("GS v 0", .read(rasterParameters)) { printer, arguments in
            guard !printer.isInPageMode else { return .refused("not in page mode") }
            return printer.printRaster(arguments)
        },
        ReceiptCommand("ESC *", .read(bitImageParameters)) { $0.addBitImage($1) },
        ReceiptCommand("GS *", .read(downloadParameters)) { printer, arguments in
            let height = arguments[1]
            guard arguments[0] > 0, height > 0 else { return .refused("an empty picture") }
            printer.memory.downloadImage = Bitmap(columns: arguments.from(2), bytesPerColumn: height)
            return "keep a picture of \(arguments[0] * 8)×\(height * 8) dots"
        },
        ReceiptCommand("GS /", .fixed(1)) { printer, arguments in
            guard let picture = printer.memory.downloadImage else { return .refused("no picture was kept") }
            return printer.printPicture(picture, mode: arguments[0])
        },
        ReceiptCommand("FS q", .read(logoParameters)) { printer, arguments in
            guard !printer.isInPageMode else { return .refused("not in page mode") }
            return printer.storeLogos(arguments)
        },
        ReceiptCommand("FS p", .fixed(2)) { printer, arguments in
            guard !printer.isInPageMode else { return .refused("not in page mode") }
            return printer.printLogo(arguments)
        },
        ReceiptCommand("GS Q 0", .read(rasterParameters)) { printer, arguments in
            let height = arguments.word(3)
            guard height > 0 else { return .refused("an empty picture") }
            return printer.printPicture(
                Bitmap(columns: arguments.from(5), bytesPerColumn: height), mode: arguments[0], isTurned: false)
        },
    ]

    /// Prints a picture. The mode of `GS v 0`, `GS /` and `FS p` doubles each dot in width (1), in height (2) or both
    /// (3).
    private mutating func printPicture(_ picture: Bitmap, mode: Int, isTurned: Bool = true) -> CommandOutcome {
        guard [0, 1, 2, 3, 48, 49, 50, 51].contains(mode) else { return .refused("no such size") }
        guard acceptsPicture else { return .refused("amid a line: not printed") }
        let scale = (across: mode & 1 + 1, down: mode >> 1 & 1 + 1)
        // Cropped before it is enlarged, which keeps its size in bounds.
        let visible = picture.cropped(width: model.width, height: model.maximumPaperLength).scaled(
            scale.across, scale.down)
        printPicture(visible, isTurned: isTurned)
        let size = mode & 3 == 0 ? "" : ", each \(scale.across)×\(scale.down)"
        let end = picture.width * scale.across > areaWidth ? ", cut off at \(areaWidth)" : ""
        return "\(picture.width)×\(picture.height) dots\(size)\(end)"
    }

    private mutating func printRaster(_ arguments: CommandArguments) -> CommandOutcome {
        let picture = Bitmap(width: arguments.word(1) * 8, height: arguments.word(3), rows: arguments.from(5))
        return printPicture(picture, mode: arguments[0], isTurned: false)
    }

    private mutating func addBitImage(_ arguments: CommandArguments) -> CommandOutcome {
        guard let mode = BitImageMode(rawValue: arguments[0]) else { return .refused("no such mode") }
        let picture = Bitmap(columns: arguments.from(3), bytesPerColumn: mode.bytesPerColumn)
        let visible = picture.cropped(width: areaWidth, height: picture.height).scaled(mode.across, mode.down)
        // Its 24 rows are those of a character of font A.
        add(visible, descent: PrinterFont.a.descent)
        return "\(picture.width) columns of \(picture.height) dots, each dot \(mode.across)×\(mode.down)"
    }

    /// Stores NV bit images (`FS q`, and Star's `ESC FS q`).
    mutating func storeLogos(_ arguments: CommandArguments) -> CommandOutcome {
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

    /// Prints an NV bit image (`FS p`, and Star's `ESC FS p`).
    mutating func printLogo(_ arguments: CommandArguments) -> CommandOutcome {
        guard memory.logos.indices.contains(arguments[0] - 1) else {
            return .refused("no logo \(arguments[0]) was kept")
        }
        return printPicture(memory.logos[arguments[0] - 1], mode: arguments[1])
    }

    // MARK: - Parameters of images

    /// m xL xH yL yH, then x times y bytes.
    @Sendable private static func rasterParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(5) else { return nil }
        let arguments = CommandArguments(head[...])
        return reader.take(arguments.word(1) * arguments.word(3)).map { head + $0 }
    }

    /// m nL nH, then the columns. A mode that does not exist takes no data, which prints as text then.
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
}

/// The modes of bit images (`ESC *`).
private enum BitImageMode: Int {
    case single8 = 0, double8 = 1, single24 = 32, double24 = 33

    var bytesPerColumn: Int { self == .single8 || self == .double8 ? 1 : 3 }
    var across: Int { self == .single8 || self == .single24 ? 2 : 1 }
    /// Eight dots are stretched to 24.
    var down: Int { bytesPerColumn == 1 ? 3 : 1 }
}

// MARK: - Graphics functions (GS ( L, GS 8 L)

extension ReceiptPrinter {
    static let graphicsCommands: [ReceiptCommand] = [
        ReceiptCommand("GS ( L", .block) { $0.graphics($1) },
        ReceiptCommand("GS 8 L", .longBlock) { $0.graphics($1) },
    ]

    private mutating func graphics(_ arguments: CommandArguments) -> CommandOutcome {
        guard arguments[0] == 48 else { return .refused("no such function") }
        switch arguments[1] {
        case 0, 48: return "asks for the size of the NV memory for graphics"
        case 1, 49: return "graphics of \(arguments[2] == 50 ? 180 : 360) dpi"
        case 2, 50: return printPending()
        case 3, 51: return "asks for the free NV memory"
        case 4, 52: return "asks for the free working memory"
        case 64: return "asks for the keys of stored graphics"
        case 65:
            guard Array(arguments.from(2)) == Array("CLR".utf8) else { return .refused("not confirmed") }
            memory.deleteStored()
            return "delete all stored graphics"
        case 66: return deletionOutcome(memory.delete(key(arguments, 2)), key(arguments, 2))
        case 67, 68: return storeGraphics(arguments, isDownload: false)
        case 69: return printGraphics(memory.stored[key(arguments, 2)], arguments)
        case 80: return "asks for the keys of downloaded graphics"
        case 81:
            guard Array(arguments.from(2)) == Array("CLR".utf8) else { return .refused("not confirmed") }
            memory.deleteDownloads()
            return "delete all downloaded graphics"
        case 82: return deletionOutcome(memory.deleteDownload(key(arguments, 2)), key(arguments, 2))
        case 83, 84: return storeGraphics(arguments, isDownload: true)
        case 85: return printGraphics(memory.downloaded[key(arguments, 2)], arguments)
        case 112, 113: return addPending(arguments)
        default: return .refused("no such function")
        }
    }

    private func key(_ arguments: CommandArguments, _ index: Int) -> GraphicsMemory.Key {
        GraphicsMemory.Key(first: arguments[index], second: arguments[index + 1])
    }

    private func deletionOutcome(_ wasStored: Bool, _ key: GraphicsMemory.Key) -> CommandOutcome {
        CommandOutcome(
            wasStored ? "delete the picture \(key.name)" : "no picture \(key.name) to delete", isFault: !wasStored)
    }

    /// a bx by c xL xH yL yH d1…dk from index 2 on; function 113 has columns. Several colours are drawn over each
    /// other.
    private mutating func addPending(_ arguments: CommandArguments) -> CommandOutcome {
        guard [48, 52].contains(arguments[2]), (1...2).contains(arguments[3]), (1...2).contains(arguments[4]) else {
            return .refused("no such tone or size")
        }
        guard acceptsPicture else { return .refused("amid a line: ignored") }
        guard let picture = picture(arguments, sizeAt: 6, dataAt: 10, isColumns: arguments[1] == 113) else {
            return .refused("the picture's bytes are not as many as its size says")
        }
        let visible = picture.cropped(width: model.width, height: model.maximumPaperLength).scaled(
            arguments[3], arguments[4])
        let isRed = arguments[5] == 50
        let before = isRed ? memory.pendingRed : memory.pending
        var whole = Bitmap(
            width: max(visible.width, before?.width ?? 0), height: max(visible.height, before?.height ?? 0))
        if let before { whole.draw(before, x: 0, y: 0) }
        whole.draw(visible, x: 0, y: 0)
        if isRed { memory.pendingRed = whole } else { memory.pending = whole }
        guard arguments[5] <= 50 || arguments[5] > 52 else {
            return .refused("colour \(arguments[5] - 48) is drawn black")
        }
        return
            "keep \(picture.width)×\(picture.height) dots to print, each \(arguments[3])×\(arguments[4])\(isRed ? ", red" : "")"
    }

    private mutating func printPending() -> CommandOutcome {
        let red = memory.pendingRed
        guard
            let picture = memory.pending
                ?? red.map({ Bitmap(width: $0.width, height: $0.height) })
        else { return .refused("no picture waits to be printed") }
        (memory.pending, memory.pendingRed) = (nil, nil)
        guard acceptsPicture else { return .refused("amid a line: not printed") }
        printPicture(picture, red: red, isTurned: false)
        // A page takes graphics as they are stored, and not by this function (Epson, GS ( L function 50).
        if isInPageMode { return .refused("not in page mode: drawn where the page is now") }
        return CommandOutcome(
            "print \(picture.width)×\(picture.height) dots"
                + (picture.width > areaWidth ? ", cut off at \(areaWidth)" : ""))
    }

    /// a kc1 kc2 b xL xH yL yH [c d1…dk] for each of b colours, from index 2 on.
    private mutating func storeGraphics(_ arguments: CommandArguments, isDownload: Bool) -> CommandOutcome {
        let key = key(arguments, 3)
        guard (32...126).contains(key.first), (32...126).contains(key.second) else { return .refused("no such key") }
        let isColumns = arguments[1] == 68 || arguments[1] == 84
        let (width, height) = (arguments.word(6), arguments.word(8))
        let planeLength = isColumns ? width * ((height + 7) / 8) : (width + 7) / 8 * height
        guard width > 0, height > 0, arguments[5] > 0, arguments.count == 10 + arguments[5] * (planeLength + 1) else {
            return .refused("the picture's bytes are not as many as its size says")
        }
        var picture = Bitmap(width: width, height: height)
        var isColoured = false
        for plane in 0..<arguments[5] {
            isColoured = isColoured || arguments[10 + plane * (planeLength + 1)] == 50
            let data = arguments.from(11 + plane * (planeLength + 1)).prefix(planeLength)
            picture.draw(Self.picture(width, height, data, isColumns), x: 0, y: 0)
        }
        guard isDownload ? memory.download(picture, as: key) : memory.store(picture, as: key) else {
            return .refused("no room for it")
        }
        return CommandOutcome(
            "keep \(width)×\(height) dots as \(key.name)\(isDownload ? " until the printer is initialized" : "")"
                + (isColoured ? "; colour 2 will be black" : ""), isFault: isColoured)
    }

    /// kc1 kc2 x y from index 2 on.
    private mutating func printGraphics(_ picture: Bitmap?, _ arguments: CommandArguments) -> CommandOutcome {
        guard let picture else { return .refused("no picture \(key(arguments, 2).name) was kept") }
        guard (1...2).contains(arguments[4]), (1...2).contains(arguments[5]) else { return .refused("no such size") }
        guard acceptsPicture else { return .refused("amid a line: not printed") }
        let visible = picture.cropped(width: model.width, height: model.maximumPaperLength).scaled(
            arguments[4], arguments[5])
        printPicture(visible)
        return "print \(key(arguments, 2).name): \(visible.width)×\(visible.height) dots"
    }

    private func picture(_ arguments: CommandArguments, sizeAt: Int, dataAt: Int, isColumns: Bool) -> Bitmap? {
        let (width, height) = (arguments.word(sizeAt), arguments.word(sizeAt + 2))
        let length = isColumns ? width * ((height + 7) / 8) : (width + 7) / 8 * height
        guard width > 0, height > 0, arguments.count == dataAt + length else { return nil }
        return Self.picture(width, height, arguments.from(dataAt), isColumns)
    }

    private static func picture(_ width: Int, _ height: Int, _ data: ArraySlice<UInt8>, _ isColumns: Bool) -> Bitmap {
        isColumns
            ? Bitmap(columns: data, bytesPerColumn: (height + 7) / 8).cropped(width: width, height: height)
            : Bitmap(width: width, height: height, rows: data)
    }
}
