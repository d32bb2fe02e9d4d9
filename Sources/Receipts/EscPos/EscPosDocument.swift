/// A receipt in the language of an ESC/POS printer. What proves that it was printed is the delivery's to add.
package struct EscPosDocument: Hashable, Sendable {
    package var commands: [EscPosCommand]

    package var bytes: [UInt8] { commands.flatMap(\.bytes) }

    /// A command a line, for people.
    package var dump: String { commands.map { $0.description + "\n" }.joined() }

    /// Throws where the printer's own characters, codes or cutter do not suffice: nothing of it is printed then.
    package init(_ layout: ReceiptLayout, for printer: EscPosPrinter) throws(ReceiptError) {
        var encoder = try EscPosEncoder(layout, printer)
        for line in layout.lines { try encoder.add(line) }
        commands = encoder.commands
    }
}
