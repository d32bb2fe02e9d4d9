import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

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

    @OptionGroup var printer: NamedPrinter

    func run() async throws {
        try await printer.client.removePrinter(printer.id)
        try printer.output.json
            ? Console.write(json: ["removed": printer.id]) : Console.writeLine("\(printer.id) is removed")
    }
}
