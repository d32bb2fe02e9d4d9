import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet authority`: who decides who comes into a fleet.
struct AuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "Make the keys that decide who comes into a fleet.",
        discussion: """
            EXAMPLES
              kioskctl fleet authority create --dir fleet-authority
              kioskctl fleet authority create --dir fleet-authority --name shops --json
            """,
        subcommands: [CreateAuthorityCommand.self]
    )
}

/// `kioskctl fleet authority create`: a folder of new keys.
struct CreateAuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a folder of keys, credentials, and the hub's list of accounts.",
        discussion: """
            Makes the keys of the hub's operator and its accounts, credentials of an admin (all of the fleet's \
            account), of an office (sends jobs, reads reports) and of the hub's own account (revokes), and \
            accounts.conf, which each server of the hub includes in its configuration. Nothing that exists is \
            overwritten. Who has the folder decides who comes in: keep it off the hub and the kiosks, and keep a copy.

            EXAMPLES
              kioskctl fleet authority create --dir fleet-authority
              kioskctl fleet authority create --dir fleet-authority --name shops --json
            """
    )

    @Option(help: ArgumentHelp("The folder to make.", valueName: "folder"), completion: .directory)
    var dir: String

    @Option(help: ArgumentHelp("The fleet's name, as the hub's logs show it.", valueName: "name"))
    var name = "fleet"

    @Option(
        help: ArgumentHelp("Where the hub's servers keep accounts that they are told of.", valueName: "folder"))
    var serverDir = "/var/lib/nats/accounts"

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...64).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw ValidationError("--name is 1 to 64 bytes without control characters.") }
        guard serverDir.hasPrefix("/"), !serverDir.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw ValidationError("--server-dir is the whole path of a folder, such as /var/lib/nats/accounts.")
        }
        guard !dir.isEmpty else { throw ValidationError("--dir is empty; name a folder to make.") }
    }

    func run() throws {
        let folder = try AuthorityFolder.create(dir, name: name, serverFolder: serverDir, at: TokenTime.now)
        guard !output.json else { return try Console.write(json: Made(name: name, folder: folder)) }
        Console.write(
            """
            \(folder.path.terminalEscaped): the keys of the fleet \(name.terminalEscaped). Keep it secret, and keep a copy elsewhere.
              \(AuthorityFolder.hubConfiguration)  for each server of the hub: include it in its configuration
              \(AuthorityFolder.adminCredentials)    for `kioskctl fleet setup --credentials`
              \(AuthorityFolder.officeCredentials)   for those who send jobs
              \(AuthorityFolder.systemCredentials)   for `kioskctl fleet revoke` and `renew`, which find it here

            """)
    }

    private struct Made: Encodable {
        var name: String
        var dir: String
        var hubConfiguration: String
        var adminCredentials: String
        var officeCredentials: String
        var systemCredentials: String

        init(name: String, folder: AuthorityFolder) {
            (self.name, dir) = (name, folder.path)
            hubConfiguration = "\(dir)/\(AuthorityFolder.hubConfiguration)"
            adminCredentials = "\(dir)/\(AuthorityFolder.adminCredentials)"
            officeCredentials = "\(dir)/\(AuthorityFolder.officeCredentials)"
            systemCredentials = folder.systemCredentials
        }
    }
}
