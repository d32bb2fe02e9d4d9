/// Fields: where they begin, what they are, and their end.
extension LabelPrinter {
    /// Commands of a field; nil for others.
    mutating func beginField(_ command: ZPLReader.Command, _ parameters: ZPLParameters) -> CommandOutcome? {
        switch command.name {
        case "^FO", "^FT":
            field.x = max(0, parameters.number(0) ?? 0)
            field.y = max(0, parameters.number(1) ?? 0)
            field.isTypeset = command.name == "^FT"
            return "field at \(field.x), \(field.y)\(field.isTypeset ? " by its baseline" : "")"
        case "^A": return setFont(command, parameters)
        case "^FD", "^FV":
            field.data = command.parameters
            return ""
        case "^FH":
            field.hexadecimal = command.parameters.first ?? UInt8(ascii: "_")
            return "hexadecimal digits in the data"
        case "^FR":
            field.isReversed = true
            return "white on black, black on white"
        case "^FB":
            field.block = LabelField.Block(
                width: max(0, parameters.number(0) ?? 0), lines: min(max(1, parameters.number(1) ?? 1), 999),
                spacing: parameters.number(2) ?? 0,
                justification: parameters.letter(3) ?? "L")
            return "block \(field.block?.width ?? 0) dots wide"
        case "^FS":
            defer { field = LabelField() }
            return endField()
        default: return barcode(command.name, parameters) ?? graphic(command, parameters)
        }
    }

    /// `^Afo,h,w`.
    private mutating func setFont(_ command: ZPLReader.Command, _ parameters: ZPLParameters) -> CommandOutcome {
        let letters = Array((parameters.text(0) ?? "").uppercased())
        guard let name = letters.first else { return .refused("no font") }
        let orientation = letters.dropFirst().first.flatMap(LabelOrientation.init) ?? settings.orientation
        let font = LabelFont(name, orientation, height: parameters.number(1), width: parameters.number(2))
        field.kind = .text(font)
        return "font \(name), characters \(font.width)×\(font.height) dots, \(orientation)"
    }

    private mutating func endField() -> CommandOutcome {
        if case .picture(let picture, let isWhite)? = field.kind {
            let top = field.isTypeset ? field.y - picture.height : field.y
            place(picture, x: field.x, y: top, isWhite: isWhite)
            return ""
        }
        guard let data = field.data.map(plain) else { return "" }
        if case .barcode(let barcode)? = field.kind { return draw(barcode, data) }
        var font = LabelFont(
            settings.font.name, settings.orientation, height: settings.font.height, width: settings.font.width)
        if case .text(let chosen)? = field.kind { font = chosen }
        let text = decoded(data)
        draw(text, font)
        return CommandOutcome("text \(PaperEvent.quoted(text))")
    }

    /// The data with `^FH`'s digits as bytes, and without line ends.
    private func plain(_ data: [UInt8]) -> [UInt8] {
        var reader = ByteReader(data)
        var bytes: [UInt8] = []
        while let byte = reader.next() {
            if byte == field.hexadecimal, let high = reader.peek(), let low = reader.peek(1),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            {
                reader.skip(2)
                bytes.append(value)
            } else if byte != 0x0A, byte != 0x0D {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private func decoded(_ data: [UInt8]) -> String {
        if settings.isUTF8 { return String(decoding: data, as: UTF8.self) }
        var scalars = String.UnicodeScalarView()
        for byte in data { scalars.append(settings.codePage[byte]) }
        return String(scalars)
    }

    // MARK: Text

    private mutating func draw(_ text: String, _ font: LabelFont) {
        let lines = field.block.map { wrapped(text, font, $0) } ?? [text.unicodeScalars.map(\.self)]
        let rowHeight = font.height + max(-font.height + 1, field.block?.spacing ?? 0)
        let widest = field.block?.width ?? (lines.map(\.count).max() ?? 0) * font.width
        var picture = Bitmap(
            width: min(widest, Self.widest), height: min(rowHeight * (lines.count - 1) + font.height, Self.tallest))
        for (row, line) in lines.enumerated() {
            let free = max(0, picture.width - line.count * font.width)
            let start =
                switch field.block?.justification {
                case "C": free / 2;
                case "R": free;
                default: 0
                }
            for (column, scalar) in line.enumerated() where start + column * font.width < picture.width {
                picture.draw(glyph(scalar, font), x: start + column * font.width, y: row * rowHeight)
            }
        }
        placeTurned(picture, font.orientation, ascent: font.ascent)
    }

    /// Places a picture by its upper left corner, or by its baseline.
    mutating func placeTurned(_ picture: Bitmap, _ orientation: LabelOrientation, ascent: Int) {
        let turned = picture.turned(quarters: orientation.quarters)
        var (x, y) = (field.x, field.y)
        if field.isTypeset {
            switch orientation {
            case .normal: y -= ascent
            case .clockwise: x -= picture.height - ascent
            case .inverted: (x, y) = (x - turned.width, y - (picture.height - ascent))
            case .upwards: (x, y) = (x - ascent, y - turned.height)
            }
        }
        place(turned, x: x, y: y)
    }

    func glyph(_ scalar: Unicode.Scalar, _ font: LabelFont) -> Bitmap {
        let cell = font.height <= PrinterFont.b.height ? PrinterFont.b : .a
        guard let glyph = glyphs.glyph(scalar, width: cell.width, height: cell.height) else {
            return Bitmap(width: font.width, height: font.height)
        }
        return glyph.resized(width: font.width, height: font.height)
    }

    /// Words, as many to a line as fit; `\&` breaks a line. What is more than the block's lines overprints the last
    /// one, so it is dropped.
    private func wrapped(_ text: String, _ font: LabelFont, _ block: LabelField.Block) -> [[Unicode.Scalar]] {
        let room = max(1, block.width / max(1, font.width))
        var lines: [[Unicode.Scalar]] = []
        for part in text.split(separator: "\\&", omittingEmptySubsequences: false) {
            var line: [Unicode.Scalar] = []
            for word in part.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false) {
                if !line.isEmpty, line.count + 1 + word.count > room {
                    lines.append(line)
                    line = []
                }
                line += (line.isEmpty ? [] : [" "]) + word
            }
            lines.append(line)
        }
        return Array(lines.prefix(block.lines))
    }
}
