import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct RolesRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a role; its printers stay saved.",
        discussion: """
            EXAMPLES
              kioskctl roles remove kitchen
            """
    )

    @Argument(
        help: ArgumentHelp("The role.", valueName: "role"), completion: Completion.roles, transform: Arguments.role)
    var role: RoleName

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.client.removeRole(role)
        try output.json ? Console.write(json: ["removed": role]) : Console.writeLine("\(role) is removed")
    }
}
