internal import ArgumentParser
internal import KioskAPI
internal import PrintModel

struct PrintersRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a saved printer.",
        discussion: """
            A printer that a role still names is kept: assign the role to others first.

            EXAMPLES
              kioskctl printers remove till-1
            """
    )

    @Argument(
        help: ArgumentHelp("The printer.", valueName: "id"), completion: Completion.printers,
        transform: Arguments.printer)
    var id: PrinterID

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.client.removePrinter(id)
        try output.json ? Console.write(json: ["removed": id]) : Console.writeLine("\(id) is removed")
    }
}
