/// Collects the elements in a closure from top to bottom. A string becomes a centred line.
@resultBuilder package enum ReceiptBuilder {
    package static func buildExpression(_ element: ReceiptElement) -> [ReceiptElement] { [element] }
    package static func buildExpression(_ elements: [ReceiptElement]) -> [ReceiptElement] { elements }
    package static func buildExpression(_ text: String) -> [ReceiptElement] { [.text(text)] }
    package static func buildBlock(_ parts: [ReceiptElement]...) -> [ReceiptElement] { parts.flatMap(\.self) }
    package static func buildOptional(_ part: [ReceiptElement]?) -> [ReceiptElement] { part ?? [] }
    package static func buildEither(first part: [ReceiptElement]) -> [ReceiptElement] { part }
    package static func buildEither(second part: [ReceiptElement]) -> [ReceiptElement] { part }
    package static func buildArray(_ parts: [[ReceiptElement]]) -> [ReceiptElement] { parts.flatMap(\.self) }
}

extension Receipt {
    /// Creates a receipt from the elements in a closure.
    /// ```
    /// Receipt {
    ///     ReceiptElement.text("Corner Shop", style: .double)
    ///     for item in basket { ReceiptElement.columns(item.name, item.price) }
    ///     ReceiptElement.rule
    ///     ReceiptElement.columns("TOTAL", "€5.97", style: .bold)
    ///     ReceiptElement.qr("https://example.org/r/1234")
    ///     ReceiptElement.cut(.partial)
    /// }
    /// ```
    package init(@ReceiptBuilder _ content: () -> [ReceiptElement]) { self.init(content()) }
}

extension ReceiptElement {
    /// A line of text. Control characters other than line feeds are left out.
    package static func text(
        _ text: String, align: HorizontalAlignment = .center, style: TextStyle = TextStyle()
    ) -> ReceiptElement {
        .row(ReceiptRow([ReceiptCell(text.withoutControls, alignment: align, style: style)]))
    }

    /// A row of columns. The first is aligned left, the last right, and those between are centred.
    package static func columns(_ texts: String..., style: TextStyle = TextStyle()) -> ReceiptElement {
        .row(
            ReceiptRow(
                texts.enumerated().map { index, text in
                    ReceiptCell(
                        text.withoutControls,
                        alignment: index == 0 ? .left : index == texts.count - 1 ? .right : .center, style: style)
                }))
    }

    /// A change of settings. A setting that is nil stays unchanged.
    package static func set(
        widths: [ColumnWidth]? = nil, border: ColumnBorder? = nil, align: HorizontalAlignment? = nil,
        wrap: TextWrapping? = nil, font: ReceiptFont? = nil, spacing: LineSpacing? = nil, turn: TurnedLines? = nil,
        color: TextColor? = nil
    ) -> ReceiptElement {
        .settings(
            LineSettings(
                widths: widths, border: border, alignment: align, wrapping: wrap, font: font, spacing: spacing,
                turn: turn, color: color))
    }

    package static func qr(_ data: String, cell: Int = 4, level: ReceiptCode.CorrectionLevel = .m) -> ReceiptElement {
        .code(ReceiptCode(data, .qrcode, cell: cell, level: level))
    }

    /// A picture that the printer has in its memory. `substitute` is a PNG or JPEG file for printers that have none.
    package static func logo(_ name: StoredLogo.Name, substitute: [UInt8]? = nil) -> ReceiptElement {
        .logo(StoredLogo(name, substitute: substitute.map { ReceiptImage($0) }))
    }

    package static func barcode(_ data: String, _ symbology: Symbology, readable: Bool = true) -> ReceiptElement {
        .code(ReceiptCode(data, symbology, readable: readable))
    }
}

extension TextStyle {
    package static var bold: TextStyle { TextStyle(emphasis: true) }
    /// With a thick line below it.
    package static var thickUnderline: TextStyle { TextStyle(underline: true, thickUnderline: true) }
    /// Twice as wide and high.
    package static var double: TextStyle { TextStyle(width: 2, height: 2) }
}

extension ColumnWidth: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self = .characters(value) }
}

extension String {
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }))
    }
}
