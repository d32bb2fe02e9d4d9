import PrintModel

extension EscPosEncoder {
    /// Text of the printer's own characters, and the lines of boxes.
    mutating func add(_ line: TextLine, _ pieces: [NativePiece], height: Int) {
        justify(.left)
        let width = printer.paper.cell(of: line.font).width
        let rest = space(height)
        var position = 0
        for piece in pieces {
            select(line.font, piece.style)
            let start = piece.column * width
            if start != position { append(.position(start)) }
            say(piece)
            position = start + piece.width * width
        }
        append(.lineFeed)
        feed(rest)
    }

    private mutating func select(_ font: ReceiptFont, _ style: TextStyle) {
        let number: UInt8 = font == .b && printer.paper.fontB != nil ? 1 : 0
        if self.font != number { append(.font(number)) }
        if emphasis != style.emphasis { append(.emphasis(style.emphasis)) }
        if underline != style.underline { append(.underline(style.underline)) }
        if invert != style.invert { append(.invert(style.invert)) }
        let plain = TextStyle(width: style.width, height: style.height)
        if scale != plain { append(.scale(width: style.width, height: style.height)) }
        (self.font, emphasis, underline, invert, scale) = (number, style.emphasis, style.underline, style.invert, plain)
    }

    private mutating func say(_ piece: NativePiece) {
        for word in speech.say(piece) {
            switch word {
            case .page(let page): if let number = printer.codePages[page] { append(.codePage(number, page)) }
            case .text(let bytes, let shown): append(.text(bytes, shown))
            }
        }
    }
}
