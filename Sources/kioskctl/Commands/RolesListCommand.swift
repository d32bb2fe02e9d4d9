import ArgumentParser
import KioskAPI
import Terminal

struct RolesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List roles and their printers.",
        discussion: """
            EXAMPLES
              kioskctl roles list
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let roles = try await connection.client.roles()
        if output.json { return try Console.write(json: RoleList(roles: roles)) }
        Console.write(RoleText.table(roles))
        if roles.isEmpty { Console.note("no role is saved; assign one with `kioskctl roles assign`") }
    }
}
