extension StarEncoder {
    /// Prints what is on the line, and moves the paper; in raster mode in rows, else in eighths of a millimetre.
    mutating func feed(_ dots: Int) {
        guard dots > 0 else { return }
        guard !isInRasterMode, printer.hasText else {
            enterRasterMode()
            return append(EncodedStep(Self.raster("Y\(dots)\0"), "ESC * r Y \(dots)"))
        }
        var rest = dots * 8 / max(printer.paper.dotsPerMillimetre, 1)
        while rest > 0 {
            append(EncodedStep([0x1B, 0x49, UInt8(min(rest, 255))], "ESC I \(min(rest, 255))"))
            rest -= 255
        }
    }

    /// A printer without this cut does the other one; one without a cutter feeds to where paper is torn off.
    mutating func cut(_ mode: CutMode) {
        let others: [CutMode] = mode == .full ? [.full, .partial] : [.partial, .full]
        guard mode != .feed, let mode = others.first(where: printer.cuts.contains) else {
            return feed(printer.tearFeed)
        }
        if printer.hasText {
            leaveRasterMode()
            append(
                EncodedStep(
                    [0x1B, 0x64, mode == .full ? 2 : 3], "ESC d \(mode == .full ? 2 : 3)  feed and \(mode.rawValue) cut"
                ))
        } else {
            // At the end of a page; both feed first.
            enterRasterMode()
            let number = mode == .full ? 9 : 13
            append(
                EncodedStep(
                    Self.raster("F\(number)\0") + [0x1B, 0x0C, 0],
                    "ESC * r F \(number), ESC FF NUL  feed and \(mode.rawValue) cut"))
        }
    }

    /// The first drawer's pulse is as long as the receipt says, in steps of 10 ms; the second's is always 200 ms.
    mutating func kick(_ kick: DrawerKick) {
        leaveRasterMode()
        guard kick.connector == 1 else { return append(EncodedStep([0x1A], "SUB  drawer 2")) }
        let tens = UInt8(min(max(kick.milliseconds / 10, 1), 127))
        append(EncodedStep([0x1B, 0x07, tens, tens, 0x07], "ESC BEL \(tens) \(tens), BEL  drawer 1"))
    }

    static func raster(_ text: String) -> [UInt8] { [0x1B, 0x2A, 0x72] + Array(text.utf8) }

    /// Without an end of its pages, and nothing done at its own end.
    mutating func enterRasterMode() {
        guard !isInRasterMode else { return }
        isInRasterMode = true
        append(EncodedStep(Self.raster("A") + Self.raster("P0\0") + Self.raster("E1\0"), "ESC * r A, P 0, E 1"))
    }

    mutating func leaveRasterMode() {
        guard isInRasterMode else { return }
        isInRasterMode = false
        append(EncodedStep(Self.raster("B"), "ESC * r B"))
    }

    /// A line that the printer's own characters do not suffice for.
    mutating func addDrawn(_ line: LayoutLine) throws(ReceiptError) {
        let matrix = try painter.matrix(of: line, with: drawn)
        if printer.raster == .rasterMode { enterRasterMode() } else { justify(.left) }
        for band in RasterBand.bands(of: matrix, most: printer.bandRows) {
            switch band {
            case .white(let rows): feed(rows)
            case .rows(let rows, let width): add(matrix, rows, width)
            }
        }
        feed(line.height - matrix.height)
    }

    private mutating func add(_ matrix: DotMatrix, _ rows: Range<Int>, _ width: Int) {
        func word(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(clamping: value >> 8)] }
        let bytes = matrix.bytes(of: rows, first: width)
        let size = "\(width * 8)×\(rows.count), \(bytes.reduce(0) { $0 + $1.nonzeroBitCount }) black"
        switch printer.raster {
        case .graphics:
            append(
                EncodedStep([0x1B, 0x1D, 0x53, 1] + word(width) + word(rows.count) + [0] + bytes, "ESC GS S \(size)"))
        case .rasterMode:
            let lines = stride(from: 0, to: bytes.count, by: max(width, 1)).flatMap {
                [0x62] + word(width) + bytes[$0..<$0 + width]
            }
            append(EncodedStep(lines, "b \(size)"))
        }
    }
}
