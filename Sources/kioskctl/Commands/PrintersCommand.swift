internal import ArgumentParser

struct PrintersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printers",
        abstract: "List, save, contact and remove printers.",
        subcommands: [
            PrintersListCommand.self, PrintersShowCommand.self, PrintersAddCommand.self, PrintersRemoveCommand.self,
            PrintersContactCommand.self,
        ],
        defaultSubcommand: PrintersListCommand.self
    )
}
