import ArgumentParser
import KioskAPI
import PrintModel

struct PrintersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all that is known of a printer.",
        discussion: """
            EXAMPLES
              kioskctl printers show till-1
            """
    )

    @OptionGroup var printer: NamedPrinter

    func run() async throws {
        try printer.write(await printer.client.printer(printer.id))
    }
}
