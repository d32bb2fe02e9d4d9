/// The line that is composed and then printed.
extension ReceiptPrinter {
    /// Dots from the left margin to the end of what can be printed.
    var areaWidth: Int { page?.width ?? min(state.areaWidth, max(0, model.width - state.leftMargin)) }

    /// Whether a command may come that is taken at the start of a line only.
    var isAtLineStart: Bool { line.isEmpty && column == 0 }

    /// Whether a picture of its own may come. On a page it may stand anywhere.
    var takesPicture: Bool { isAtLineStart || page != nil }

    /// Dots that so many horizontal motion units come to.
    func across(_ units: Int) -> Int { units * model.dotsPerInch / max(1, state.horizontalUnits) }

    func down(_ units: Int) -> Int { units * model.dotsPerInch / max(1, state.verticalUnits) }

    /// Puts a character at the present place; where it does not fit, the line is printed first.
    mutating func place(_ scalar: Unicode.Scalar, isWide: Bool) {
        var style = state.style
        var font = style.font
        if isWide {
            font = .kanji
            style.spacing = state.kanjiSpacing.right
            column += state.kanjiSpacing.left * style.widthScale
        }
        let cell = painter.cell(scalar, style, cell: font)
        if column + cell.width > areaWidth, column > 0 { printLine(feeding: state.lineSpacing) }
        add(cell, descent: font.descent * style.heightScale)
    }

    /// Puts a picture at the present place, and moves behind it.
    mutating func add(_ picture: Bitmap, descent: Int) {
        let room = max(0, areaWidth - column)
        let visible = picture.cropped(width: room, height: picture.height)
        if visible.width > 0 { line.append(LineItem(x: column, picture: visible, descent: descent)) }
        column = min(areaWidth, column + picture.width)
    }

    /// Prints what is on the line and feeds so many dots, but at least the line's own height.
    mutating func printLine(feeding rows: Int) {
        let ascent = line.reduce(0) { max($0, $1.ascent) }
        let descent = line.reduce(0) { max($0, $1.descent) }
        if page != nil {
            page?.print(line, feeding: max(0, rows))
        } else {
            if !line.isEmpty { roll.draw(picture(ascent: ascent, descent: descent), x: state.leftMargin) }
            roll.feed(max(rows, ascent + descent))
        }
        line = []
        column = 0
    }

    private func picture(ascent: Int, descent: Int) -> Bitmap {
        var picture = Bitmap(width: areaWidth, height: ascent + descent)
        let end = line.reduce(column) { max($0, $1.x + $1.picture.width) }
        let start = state.justification.start(of: end, in: areaWidth)
        for item in line { picture.draw(item.picture, x: start + item.x, y: ascent - item.ascent) }
        return state.isUpsideDown ? picture.turnedUpsideDown : picture
    }

    /// Prints a picture of its own, such as a logo or a barcode; the paper moves by its height, whatever the line
    /// spacing is.
    mutating func printPicture(_ picture: Bitmap) {
        let visible = picture.cropped(width: areaWidth, height: model.longestPaper)
        if page != nil {
            page?.place(visible, x: column)
            column = min(areaWidth, column + visible.width)
        } else {
            let start = state.justification.start(of: visible.width, in: areaWidth)
            roll.draw(state.isUpsideDown ? visible.turnedUpsideDown : visible, x: state.leftMargin + start)
            roll.feed(visible.height)
        }
    }
}
