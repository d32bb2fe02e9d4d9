import ArgumentParser

struct ProfilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "List, show and check what is known of models of printers.",
        subcommands: [ProfilesListCommand.self, ProfilesShowCommand.self, ProfilesCheckCommand.self],
        defaultSubcommand: ProfilesListCommand.self
    )
}
