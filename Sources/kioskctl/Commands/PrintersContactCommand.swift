internal import ArgumentParser
internal import KioskAPI
internal import PrintModel

struct PrintersContactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact",
        abstract: "Ask a printer now whether it is there, and what it is.",
        discussion: """
            Ends with 1 when the printer does not answer.

            EXAMPLES
              kioskctl printers contact till-1
            """
    )

    @Argument(
        help: ArgumentHelp("The printer.", valueName: "id"), completion: Completion.printers,
        transform: Arguments.printer)
    var id: PrinterID

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let client = connection.client
        let id = id
        let status = try await Interruption.cancelling { try await client.contact(id) }
        try output.json ? Console.write(json: status) : Console.write(PrinterText.details(status))
        guard status.availability.state != .unreachable else { throw ExitStatus.failed }
    }
}
