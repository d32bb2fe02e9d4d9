import ArgumentParser
import KioskAPI
import Terminal

struct ProfilesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all that a profile says, with what it inherits.",
        discussion: """
            EXAMPLES
              kioskctl profiles show epson-tm
              kioskctl profiles show generic-80mm --json
            """
    )

    @Argument(help: ArgumentHelp("The profile.", valueName: "name"), completion: Completion.profiles)
    var name: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let profile = try await connection.client.profile(name)
        try output.json ? Console.write(json: profile) : Console.write(ProfileText.details(profile))
    }
}
