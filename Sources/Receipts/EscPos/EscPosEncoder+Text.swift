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
            say(piece.text)
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

    private mutating func say(_ text: NativePiece.Text) {
        switch text {
        case .ascii(let text):
            if !isPageSet { select(page) }
            append(.text(Array(text.utf8), text))
        case .other(let characters): say(characters)
        }
    }

    /// Switches the code page where the plan says so.
    private mutating func say(_ characters: [Character]) {
        var (bytes, shown): ([UInt8], String) = ([], "")
        for character in characters {
            if let next = plan.page(at: said) { (page, isPageSet) = (next, false) }
            if !isPageSet {
                if !bytes.isEmpty { append(.text(bytes, shown)) }
                (bytes, shown) = ([], "")
                select(page)
            }
            said += 1
            bytes += (page ?? .cp437).bytes(of: character) ?? []
            shown.append(character)
        }
        append(.text(bytes, shown))
    }

    private mutating func select(_ page: CodePage?) {
        if let page, let number = printer.codePages[page] { append(.codePage(number, page)) }
        isPageSet = true
    }
}
