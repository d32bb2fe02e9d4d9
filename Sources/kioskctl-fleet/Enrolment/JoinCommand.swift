import ArgumentParser
import KioskDurableFiles
import KioskFleet
import KioskTerminal

/// `kioskctl fleet join`: a kiosk's own key, and what the office has signed of it.
struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Make this kiosk's key, and with what the office signs its credentials.",
        discussion: """
            Without --jwt: makes the kiosk's key in the file of --keys, unless it is there, and shows its public part \
            with the command for the office. The private part never leaves this machine. With --jwt: takes what the \
            office has signed, checks that it is for this key and this site, and writes the file for \
            `kioskd --fleet-credentials`. Run it as the user that kioskd runs as.

            EXAMPLES
              kioskctl fleet join --site 0147 --keys fleet.seed
              kioskctl fleet join --site 0147 --keys fleet.seed --jwt 0147.jwt \
            --output fleet.creds
              kioskctl fleet join --site 0147 --node kiosk-1 --keys fleet.seed --json
            """
    )

    @OptionGroup var kiosk: KioskNameOptions

    @Option(
        help: ArgumentHelp("The file of the kiosk's key, which nobody else may read.", valueName: "file"),
        completion: .file())
    var keys: String

    @Option(
        help: ArgumentHelp("What `kioskctl fleet admit` has written; - is standard input.", valueName: "file"),
        completion: .file())
    var jwt: String?

    @Option(help: ArgumentHelp("With --jwt: the file of credentials to write.", valueName: "file"), completion: .file())
    var output: String?

    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard (jwt == nil) == (output == nil) else {
            throw ValidationError("--jwt and --output go together: what the office has signed, and where it goes.")
        }
        if let output, output == keys { throw ValidationError("--output is the file of --keys; name another.") }
    }

    func run() throws {
        guard let jwt, let output else { return try showKey() }
        let key = try SeedFile.read(keys, .user)
        let content: [UInt8]
        do {
            // One byte more than is taken, so that what is longer is seen as that.
            content = try InputFile.read(jwt, limit: CredentialsFile.maximumLength + 1)
        } catch {
            throw CommandFailure(message: "\(jwt): \(error)")
        }
        let token = try CredentialsFile.token(in: content)
        try check(token, key)
        try AtomicFile.replace(output, with: Array(CredentialsFile.text(token, key).utf8), permissions: 0o600)
        let site = kiosk.site.site
        guard !format.json else {
            return try Console.write(
                json: Joined(
                    publicKey: key.publicKey.text, site: site.text, credentials: output, expiresAt: token.expiresAt))
        }
        let end = token.expiresAt.map { "valid until \(TokenTime.text($0))" } ?? "valid without an end"
        let node = kiosk.node.map { " --fleet-node \($0)" } ?? ""
        Console.write(
            """
            \(output.terminalEscaped): credentials for \(site), \(end)
            Start kioskd with --fleet-site \(site)\(node) --fleet-credentials \(output.terminalEscaped)

            """)
    }

    private func showKey() throws {
        let (key, isNew) = try SeedFile.readOrMake(keys)
        let (site, command) = (kiosk.site.site, "kioskctl fleet admit \(key.publicKey) \(kiosk.text)")
        guard !format.json else {
            return try Console.write(json: Key(publicKey: key.publicKey.text, site: site.text, isNew: isNew))
        }
        Console.write(
            """
            \(key.publicKey)
            At the office: \(command) --dir FOLDER --output \(site).jwt
            Then here:     kioskctl fleet join \(kiosk.text) --keys \(keys.terminalEscaped) --jwt \(site).jwt --output FILE

            """)
    }

    private func check(_ token: UserToken, _ key: NKeyPair) throws {
        guard token.publicKey == key.publicKey else {
            throw CommandFailure(
                message: "the office has signed another key, \(token.publicKey); this kiosk's is \(key.publicKey)")
        }
        guard token.name == kiosk.site.site.text else {
            throw CommandFailure(
                message: "the office has signed this key for the site \(token.name), not for \(kiosk.site.site)")
        }
        guard !token.isExpired(at: TokenTime.now) else {
            throw CommandFailure(
                message:
                    "what the office has signed ended on \(TokenTime.text(token.expiresAt ?? 0)); have it sign again"
            )
        }
    }

    private struct Key: Encodable {
        var publicKey: String
        var site: String
        var isNew: Bool
    }

    private struct Joined: Encodable {
        var publicKey: String
        var site: String
        var credentials: String
        /// In seconds since 1970.
        var expiresAt: Int64?
    }
}
