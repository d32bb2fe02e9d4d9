import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet revoke`: throws a kiosk out.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Throw a kiosk out of the fleet, for good.",
        discussion: """
            Notes it in the authority's folder and tells the hub, which ends the kiosk's connection at once and lets \
            it in no more. If the hub cannot be reached it ends with 69: call it again. A key that was revoked stays \
            so. accounts.conf is written anew: put it on the hub's servers when they are next set up.

            EXAMPLES
              kioskctl fleet revoke UCK5… --dir fleet-authority
              kioskctl fleet revoke UCK5… --dir fleet-authority --json
            """
    )

    @OptionGroup var key: PublicKeyArgument
    @OptionGroup var authority: AuthorityOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Hub") var hub: HubOptions

    func run() async throws {
        let folder = authority.folder
        let account = try folder.revoke(key.publicKey, at: TokenTime.now)
        var hub = hub
        hub.credentials = hub.credentials ?? folder.systemCredentials
        do {
            try await hub.withHub { session in
                try await session.retrying { try await session.accounts.send(account: account) }
            }
        } catch {
            Console.writeMessage("the key is revoked in \(folder.path), and the hub does not know yet; call this again")
            throw error
        }
        guard !output.json else {
            return try Console.write(json: ["publicKey": key.publicKey.text, "state": "revoked"])
        }
        Console.writeLine("\(key.publicKey): revoked, and the hub lets it in no more")
    }
}
