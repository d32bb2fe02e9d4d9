/// A receipt in the language of an ESC/POS printer. What proves that it was printed is the delivery's to add.
package struct EscPosDocument: Hashable, Sendable {
    package var commands: [EscPosCommand]

    package var bytes: [UInt8] { commands.flatMap(\.bytes) }

    /// A command a line, for people.
    package var dump: String { commands.map { $0.description + "\n" }.joined() }

    /// Throws where something was to be drawn and was not, or the printer takes no pictures: nothing of it is printed then.
    package init(
        _ layout: ReceiptLayout, for printer: EscPosPrinter, with drawn: Drawn = .nothing, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) {
        var encoder = try EscPosEncoder(layout, printer, drawn, dithering)
        for line in layout.lines { try encoder.add(line) }
        commands = encoder.commands
    }

    /// What the printer's own characters and codes do not suffice for.
    package static func drawings(
        of layout: ReceiptLayout, for printer: EscPosPrinter, dithering: Dithering = .floydSteinberg
    ) throws(ReceiptError) -> Set<Drawing> {
        try EscPosEncoder(layout, printer, .nothing, dithering).drawings(of: layout)
    }
}
