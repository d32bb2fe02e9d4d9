import ArgumentParser

struct PrintersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers",
        abstract: "List, save, contact, trust and remove printers.",
        subcommands: [
            PrintersListCommand.self, PrintersShowCommand.self, PrintersAddCommand.self, PrintersRemoveCommand.self,
            PrintersContactCommand.self, PrintersTrustCommand.self,
        ],
        defaultSubcommand: PrintersListCommand.self
    )
}
