import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

/// What every command about one saved printer takes.
struct NamedPrinter: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The printer.", valueName: "id"), completion: Completion.printers,
        transform: Arguments.printer)
    var id: PrinterID

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    var client: KioskClient { connection.client }

    func write(_ status: PrinterStatus) throws {
        try output.json ? Console.write(json: status) : Console.write(PrinterText.details(status))
    }
}
