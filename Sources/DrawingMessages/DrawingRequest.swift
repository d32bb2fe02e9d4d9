package import KioskHelperMessages
package import KioskReceipts

/// A request to `kiosk-draw`. Each request and response is sent in a `MessageFrame`. Numbers are unsigned 32-bit
/// integers, most significant byte first; strings and files are preceded by their length in bytes.
package enum DrawingRequest: Hashable, Sendable {
    case draw(Drawing)
    /// Encodes dots as a PNG file, for a preview.
    case png(DotMatrix)
}

extension DrawingRequest {
    private enum Kind: UInt8 { case text = 1, picture, code, png }

    /// Decodes a message without its frame; throws unless the whole message is one request.
    package init(_ message: some Collection<UInt8>) throws(HelperMessageError) {
        var reader = MessageReader(message)
        guard let kind = Kind(rawValue: try reader.byte()) else {
            throw HelperMessageError("a request of an unknown kind")
        }
        if kind == .png {
            self = .png(try reader.matrix(dots: DrawingLimits.previewDots))
        } else {
            let width = try reader.number(in: 1...DotMatrix.maximumSide)
            let height = try reader.number(in: 1...DotMatrix.maximumSide)
            guard width * height <= DrawingLimits.dots else {
                throw HelperMessageError("a drawing of \(width) × \(height) dots")
            }
            let content: Drawing.Content =
                switch kind {
                case .text: .text(try Self.readText(&reader))
                case .picture: .picture(try Self.readPicture(&reader))
                default: .code(try Self.readCode(&reader))
                }
            self = .draw(Drawing(width: width, height: height, content))
        }
        try reader.end()
    }

    func write(to writer: inout MessageWriter) {
        switch self {
        case .png(let matrix):
            writer.byte(Kind.png.rawValue)
            writer.matrix(matrix)
        case .draw(let drawing):
            switch drawing.content {
            case .text(let text):
                Self.writeHeader(.text, drawing, &writer)
                writer.text(text.text)
                writer.flag(text.isRightToLeft)
                writer.flag(text.emphasis)
                for number in [text.cellWidth, text.cellHeight, text.scaleWidth, text.scaleHeight] {
                    writer.number(number)
                }
            case .picture(let picture):
                Self.writeHeader(.picture, drawing, &writer)
                writer.choice(picture.dithering)
                writer.file(picture.file)
            case .code(let code):
                Self.writeHeader(.code, drawing, &writer)
                writer.choice(code.symbology)
                writer.choice(code.level)
                writer.number(code.scale)
                writer.number(code.columns)
                writer.text(code.text)
            }
        }
    }

    private static func writeHeader(_ kind: Kind, _ drawing: Drawing, _ writer: inout MessageWriter) {
        writer.byte(kind.rawValue)
        writer.number(drawing.width)
        writer.number(drawing.height)
    }

    private static func readText(_ reader: inout MessageReader) throws(HelperMessageError) -> DrawnText {
        let text = try reader.text(limit: DrawingLimits.textLength)
        let isRightToLeft = try reader.flag()
        let emphasis = try reader.flag()
        let cellWidth = try reader.number(in: 1...DrawingLimits.cell)
        let cellHeight = try reader.number(in: 1...DrawingLimits.cell)
        let scaleWidth = try reader.number(in: 1...DrawingLimits.scale)
        return DrawnText(
            text, isRightToLeft: isRightToLeft, emphasis: emphasis, cellWidth: cellWidth, cellHeight: cellHeight,
            scaleWidth: scaleWidth,
            scaleHeight: try reader.number(in: 1...DrawingLimits.scale))
    }

    private static func readPicture(_ reader: inout MessageReader) throws(HelperMessageError) -> DrawnPicture {
        let dithering = try reader.choice(Dithering.self)
        return DrawnPicture(try reader.file(limit: ReceiptLimits.imageLength), dithering: dithering)
    }

    private static func readCode(_ reader: inout MessageReader) throws(HelperMessageError) -> DrawnCode {
        let symbology = try reader.choice(Symbology.self)
        let level = try reader.choice(ReceiptCode.CorrectionLevel.self)
        let scale = try reader.number(in: 1...DrawingLimits.cell)
        let columns = try reader.number(in: 0...ReceiptLimits.columns)
        return DrawnCode(
            symbology, try reader.text(limit: ReceiptCode.maximumDataLength), scale: scale, level: level,
            columns: columns)
    }
}
