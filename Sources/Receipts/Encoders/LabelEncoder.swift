import KioskPrintModel

/// Encodes the pages of a receipt as labels in ZPL II, EPL2 or TSPL. Each page is a label with one picture.
struct LabelEncoder {
    let capabilities: LabelCapabilities

    /// `last`: the receipt's raw commands behind its last page.
    func commands(
        _ pages: [ReceiptPicture.Page], then last: [UInt8], buzzing signal: BuzzerSignal? = nil
    ) throws(ReceiptError) -> [EncodedCommand] {
        guard !pages.isEmpty || !last.isEmpty else { throw ReceiptPicture.nothingToPrint }
        var commands = signal.map(buzz) ?? []
        for page in pages {
            try checkLength(of: page)
            if !page.commands.isEmpty { commands.append(EncodedCommand(raw: page.commands)) }
            let isCut = capabilities.hasCutter && (page.end == .full || page.end == .partial)
            switch capabilities.language {
            case .zpl: commands += zpl(page.matrix, isCut: isCut)
            case .epl: commands += epl(page.matrix, isCut: isCut)
            case .tspl: commands += tspl(page.matrix, isCut: isCut)
            }
        }
        if !last.isEmpty { commands.append(EncodedCommand(raw: last)) }
        return commands
    }

    /// SOUND has a level, 0 to 9, and a time (TSC, "TSPL/TSPL2 Programming Language"); its example has level 5. The other
    /// languages have no such command.
    private func buzz(_ signal: BuzzerSignal) -> [EncodedCommand] {
        guard capabilities.hasBuzzer else { return [] }
        let sound = EncodedCommand("SOUND 5,\(signal.milliseconds)", ending: "\r\n")
        return [EncodedCommand](repeating: sound, count: signal.count)
    }

    private func checkLength(of page: ReceiptPicture.Page) throws(ReceiptError) {
        guard let labelLength = capabilities.labelLength, page.matrix.height > labelLength else { return }
        let dotsPerMillimetre = capabilities.paper.dotsPerMillimetre
        let (printed, label) = (page.matrix.height / dotsPerMillimetre, labelLength / dotsPerMillimetre)
        throw ReceiptError(
            .doesNotFit, "a label of \(printed) mm does not fit one of \(label) mm",
            instead: "less, or cuts between labels")
    }

    /// The maximum number of bytes in one ^GF (Zebra, "ZPL II Programming Guide", ^GF).
    private static let maximumZPLPicture = 99_999

    /// A format from ^XA to ^XZ. White rows are not sent.
    private func zpl(_ matrix: DotMatrix, isCut: Bool) -> [EncodedCommand] {
        var commands = capabilities.darkness.map { [EncodedCommand("~SD\($0 < 10 ? "0" : "")\($0)")] } ?? []
        commands += [
            EncodedCommand("^XA"), EncodedCommand("^PW\(matrix.width)"),
            EncodedCommand("^LL\(capabilities.labelLength ?? matrix.height)"), EncodedCommand("^LH0,0"),
        ]
        // On continuous media the printer would otherwise look for gaps.
        if capabilities.labelLength == nil { commands.append(EncodedCommand("^MNN")) }
        if let speed = capabilities.speed { commands.append(EncodedCommand("^PR\(speed)")) }
        if capabilities.hasCutter { commands.append(EncodedCommand(isCut ? "^MMC" : "^MMT")) }
        var top = 0
        let rows = Self.maximumZPLPicture / max(matrix.stride, 1)
        for band in RasterBand.bands(of: matrix, maximumRows: rows, minimumWhiteRows: 8) {
            switch band {
            case .white(let rows): top += rows
            case .rows(let rows, let width):
                let bytes = matrix.bytes(of: rows, first: width)
                let head = "^FO0,\(top)^GFA,\(bytes.count),\(bytes.count),\(width),"
                let data = ZPLCompression.compressed(bytes, bytesPerRow: width)
                commands.append(
                    EncodedCommand(
                        Array(head.utf8) + data + Array("^FS\n".utf8),
                        head + "(\(rows.count) rows, \(data.count) digits)^FS"))
                top += rows.count
            }
        }
        return commands + [EncodedCommand("^XZ")]
    }

    /// EPL2 (Zebra, "EPL2 Programmer's Manual"): pictures by GW, in which 0 is black.
    private func epl(_ matrix: DotMatrix, isCut: Bool) -> [EncodedCommand] {
        let (length, gap) = (capabilities.labelLength, capabilities.labelGap)
        // The line feed ends whatever came before.
        var commands = [EncodedCommand("\nN"), EncodedCommand("q\(matrix.width)")]
        // A gap of 0 stands for continuous media.
        commands.append(EncodedCommand("Q\(length ?? matrix.height),\(length == nil ? 0 : gap)"))
        if let speed = capabilities.speed { commands.append(EncodedCommand("S\(speed)")) }
        if let darkness = capabilities.darkness { commands.append(EncodedCommand("D\(darkness)")) }
        commands += pictures(matrix) { rows, width in "GW0,\(rows.lowerBound),\(width),\(rows.count)," }
        commands.append(EncodedCommand("P1"))
        if isCut { commands.append(EncodedCommand("C")) }
        return commands
    }

    /// TSPL (TSC, "TSPL/TSPL2 Programming Language"): pictures by BITMAP, in which 0 is black.
    private func tspl(_ matrix: DotMatrix, isCut: Bool) -> [EncodedCommand] {
        let (length, gap) = (capabilities.labelLength, capabilities.labelGap)
        var lines = [
            "SIZE \(millimetres(matrix.width)) mm,\(millimetres(length ?? matrix.height)) mm",
            "GAP \(millimetres(length == nil ? 0 : gap)) mm,0 mm",
            "DIRECTION 0", "REFERENCE 0,0",
        ]
        if let speed = capabilities.speed { lines.append("SPEED \(speed)") }
        if let darkness = capabilities.darkness { lines.append("DENSITY \(darkness)") }
        if capabilities.hasCutter { lines.append("SET CUTTER OFF") }
        lines.append("CLS")
        var commands = lines.map { EncodedCommand($0, ending: "\r\n") }
        commands += pictures(matrix) { rows, width in "BITMAP 0,\(rows.lowerBound),\(width),\(rows.count),0," }
        commands.append(EncodedCommand("PRINT 1,1", ending: "\r\n"))
        if isCut { commands.append(EncodedCommand("CUT", ending: "\r\n")) }
        return commands
    }

    /// A length in millimetres with one decimal, rounded up.
    private func millimetres(_ dots: Int) -> String {
        let dotsPerMillimetre = capabilities.paper.dotsPerMillimetre
        let tenths = (dots * 10 + dotsPerMillimetre - 1) / dotsPerMillimetre
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// The rows of a band, few enough for a printer with little memory.
    private static let bandRows = 256

    private func pictures(_ matrix: DotMatrix, _ head: (Range<Int>, Int) -> String) -> [EncodedCommand] {
        RasterBand.bands(of: matrix, maximumRows: Self.bandRows, minimumWhiteRows: 8).compactMap { band in
            guard case .rows(let rows, let width) = band else { return nil }
            let text = head(rows, width)
            return EncodedCommand(
                Array(text.utf8) + matrix.bytes(of: rows, first: width).map { ~$0 } + Array("\r\n".utf8),
                text + "(\(width * rows.count) bytes)")
        }
    }
}

/// Compresses dots as hexadecimal digits with repeat counts (ZPL II Programming Guide, "Alternative data compression
/// scheme").
enum ZPLCompression {
    static func compressed(_ bytes: [UInt8], bytesPerRow: Int) -> [UInt8] {
        var (text, previous): ([UInt8], ArraySlice<UInt8>?) = ([], nil)
        for start in stride(from: 0, to: bytes.count, by: max(bytesPerRow, 1)) {
            let row = bytes[start..<min(start + bytesPerRow, bytes.count)]
            if let previous, previous.elementsEqual(row) {
                text.append(UInt8(ascii: ":"))
            } else {
                append(row, to: &text)
            }
            previous = row
        }
        return text
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func append(_ row: ArraySlice<UInt8>, to text: inout [UInt8]) {
        // A comma fills the row with white.
        let end = row.lastIndex { $0 != 0 }.map { $0 + 1 } ?? row.startIndex
        var (digit, count): (UInt8, Int) = (0, 0)
        for byte in row[..<end] {
            for nibble in [byte >> 4, byte & 15] {
                if nibble == digit, count > 0 { count += 1; continue }
                append(digit, count, to: &text)
                (digit, count) = (nibble, 1)
            }
        }
        append(digit, count, to: &text)
        if end < row.endIndex { text.append(UInt8(ascii: ",")) }
    }

    /// Appends the repeat count, of which `g` to `z` are multiples of 20 and `G` to `Y` the ones, then the digit.
    private static func append(_ digit: UInt8, _ count: Int, to text: inout [UInt8]) {
        var rest = count
        guard rest > 0 else { return }
        if rest > 1 {
            while rest > 419 {
                text += [UInt8(ascii: "z"), digits[Int(digit)]]
                rest -= 400
            }
            if rest >= 20 { text.append(UInt8(ascii: "f") + UInt8(rest / 20)) }
            if !rest.isMultiple(of: 20) { text.append(UInt8(ascii: "F") + UInt8(rest % 20)) }
        }
        text.append(digits[Int(digit)])
    }
}

/// The capabilities and settings of a label printer that takes only pictures.
package struct LabelCapabilities: Hashable, Sendable {
    package var paper: ReceiptPaper
    package var language: Language
    /// The length of a label, in dots; nil for continuous media, which end where the print does.
    package var labelLength: Int?
    /// The gap between two labels, in dots.
    package var labelGap: Int
    package var hasCutter: Bool
    /// The darkness in the language's own units; nil leaves the printer's setting.
    package var darkness: Int?
    /// Inches per second; nil leaves the printer's setting.
    package var speed: Int?
    /// Whether it has a buzzer, which TSPL sounds.
    package var hasBuzzer: Bool

    package enum Language: String, Hashable, Sendable, CaseIterable {
        /// ZPL II (Zebra).
        case zpl
        /// EPL2 (Eltron, Zebra).
        case epl
        /// TSPL (TSC).
        case tspl
    }

    package init(
        paper: ReceiptPaper, language: Language, labelLength: Int? = nil, labelGap: Int = 24, hasCutter: Bool = false,
        darkness: Int? = nil,
        speed: Int? = nil, hasBuzzer: Bool = false
    ) {
        self.hasBuzzer = hasBuzzer && language == .tspl
        self.paper = paper
        self.language = language
        self.labelLength = labelLength
        self.labelGap = labelGap
        self.hasCutter = hasCutter
        (self.darkness, self.speed) = (darkness, speed)
    }

    /// The capabilities that a profile describes. Labels are never wider than the head.
    init(_ settings: PrintingSettings, _ language: Language) {
        var settings = settings
        func dots(_ millimetres: Int) -> Int { (millimetres * settings.dpi * 10 + 127) / 254 }
        let label = settings.label
        if let label { settings.dots = min(settings.dots, dots(label.width)) }
        self.init(
            paper: ReceiptPaper(settings), language: language,
            labelLength: label.flatMap { $0.gap > 0 ? dots($0.height) : nil },
            labelGap: dots(label?.gap ?? 0), hasCutter: !settings.cuts.isEmpty, darkness: label?.darkness,
            speed: label?.speed, hasBuzzer: settings.buzzer)
    }
}
