import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct ProfilesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the daemon's profiles.",
        discussion: """
            EXAMPLES
              kioskctl profiles list
              kioskctl profiles list --language zpl
            """
    )

    @Option(
        help: ArgumentHelp("Only profiles of printers that take this language.", valueName: "language"),
        completion: .list(PrintingSettings.Language.allCases.map(\.rawValue)), transform: Arguments.language)
    var language: PrintingSettings.Language?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let profiles = try await connection.client.profiles().filter {
            language == nil || $0.printing?.language == language
        }
        if output.json { return try Console.write(json: ProfileList(profiles: profiles)) }
        Console.write(ProfileText.table(profiles))
        if profiles.isEmpty {
            Console.note(
                language == nil ? "no profiles are installed; start kioskd with --profiles" : "there is no such profile"
            )
        }
    }
}
