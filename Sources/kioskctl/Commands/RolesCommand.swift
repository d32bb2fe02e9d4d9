import ArgumentParser

struct RolesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles",
        abstract: "List, assign and remove roles.",
        subcommands: [RolesListCommand.self, RolesAssignCommand.self, RolesRemoveCommand.self],
        defaultSubcommand: RolesListCommand.self
    )
}
