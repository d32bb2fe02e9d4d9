import ArgumentParser
import KioskAPI
import PrintModel

struct PrintersContactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact",
        abstract: "Ask a printer now whether it is there, and what it is.",
        discussion: """
            Ends with 1 when the printer does not answer. A printer that refused its login, or has another lasting trouble, \
            is asked again after a while: until then only root, kioskd's own user and members of its --admin-group and \
            --operator-group can have it asked; others see what the last contact told.

            EXAMPLES
              kioskctl printers contact till-1
            """
    )

    @OptionGroup var printer: NamedPrinter

    func run() async throws {
        let (client, id) = (printer.client, printer.id)
        let status = try await Interruption.cancelling { try await client.contact(id) }
        try printer.write(status)
        guard status.availability.state != .unreachable else { throw ExitStatus.failed }
    }
}
