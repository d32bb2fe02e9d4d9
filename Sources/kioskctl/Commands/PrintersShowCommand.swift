internal import ArgumentParser
internal import KioskAPI
internal import PrintModel

struct PrintersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all that is known of a printer.",
        discussion: """
            EXAMPLES
              kioskctl printers show till-1
            """
    )

    @Argument(
        help: ArgumentHelp("The printer.", valueName: "id"), completion: Completion.printers,
        transform: Arguments.printer)
    var id: PrinterID

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let status = try await connection.client.printer(id)
        if output.json { return try Console.write(json: status) }
        Console.write(PrinterText.details(status))
    }
}
