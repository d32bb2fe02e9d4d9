import PrintModel

/// A receipt in the language of an ESC/POS printer. What proves that it was printed is the delivery's to add.
package struct EscPosDocument: Hashable, Sendable {
    package var commands: [EscPosCommand]

    package var bytes: [UInt8] { commands.reduce(into: []) { $1.write(to: &$0) } }

    /// A command a line, for people.
    package var dump: String { commands.map { $0.description + "\n" }.joined() }

    /// Throws where something was to be drawn and was not, or the printer takes no pictures: nothing of it is printed
    /// then.
    package init(
        _ layout: ReceiptLayout, for printer: EscPosPrinter, with drawn: Drawn = .nothing,
        dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        try self.init(
            layout, for: printer, saying: Self.native(layout, for: printer), with: drawn, dithering: dithering)
    }

    /// What it says in the printer's own characters is known already.
    init(
        _ layout: ReceiptLayout, for printer: EscPosPrinter, saying native: NativeLines, with drawn: Drawn,
        dithering: Dithering
    ) throws(ReceiptError) {
        var encoder = EscPosEncoder(layout, printer, native, drawn, dithering)
        for line in layout.lines { try encoder.add(line) }
        commands = encoder.commands
    }

    static func native(_ layout: ReceiptLayout, for printer: EscPosPrinter) throws(ReceiptError) -> NativeLines {
        let pages = CodePage.allCases.filter { printer.codePages[$0] != nil }
        return try NativeLines(
            layout, pages: pages, current: printer.initialCodePage, largest: TextStyle.scales.upperBound)
    }

    /// What the printer's own characters and codes do not suffice for.
    static func drawings(
        of layout: ReceiptLayout, for printer: EscPosPrinter, saying native: NativeLines, dithering: Dithering
    ) -> Set<Drawing> {
        EscPosEncoder(layout, printer, native, .nothing, dithering).drawings(of: layout)
    }
}
