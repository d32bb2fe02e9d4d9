import ArgumentParser
import KioskDurableFiles
import KioskFleet
import KioskTerminal

/// `kioskctl fleet admit`: signs a kiosk's key.
struct AdmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admit",
        abstract: "Admit a kiosk to the fleet, for one site.",
        discussion: """
            Signs a kiosk's public key, and writes the JWT that `kioskctl fleet join --jwt` takes at the kiosk. It is \
            no secret: without the kiosk's private key it is worth nothing. It gives the rights of a kiosk of this \
            site and no others, and the hub need not be told of it. `kioskctl fleet renew` renews it before it ends.

            EXAMPLES
              kioskctl fleet admit UCK5… --site 0147 --dir fleet-authority
              kioskctl fleet admit UCK5… --site 0147 --dir fleet-authority --output 0147.jwt
              kioskctl fleet admit UCK5… --site 0147 --dir fleet-authority --days 30 --json
            """
    )

    @OptionGroup var key: PublicKeyArgument
    @OptionGroup var kiosk: KioskNameOptions
    @OptionGroup var authority: AuthorityOptions

    @Option(help: ArgumentHelp("For how many days.", valueName: "n"))
    var days = 365

    @Option(
        help: ArgumentHelp("Write the JWT to this file (default: standard output).", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard (1...3650).contains(days) else { throw ValidationError("--days is \(days); write 1 to 3650.") }
    }

    func run() throws {
        let (now, site) = (TokenTime.now, kiosk.site.site)
        let end = now + Int64(days) * TokenTime.day
        let token = try authority.folder.admit(key.publicKey, to: site, node: kiosk.node, at: now, until: end)
        if let output { try AtomicFile.replace(output, with: Array("\(token.text)\n".utf8), permissions: 0o644) }
        guard !format.json else {
            return try Console.write(
                json: Admitted(publicKey: key.publicKey.text, site: site.text, expiresAt: end, jwt: token.text))
        }
        if output == nil { Console.writeLine(token.text) }
        // Standard output may be the JWT alone.
        Console.writeMessage("\(key.publicKey) is admitted to \(site) until \(TokenTime.text(end))")
    }

    private struct Admitted: Encodable {
        var publicKey: String
        var site: String
        /// In seconds since 1970.
        var expiresAt: Int64
        var jwt: String
    }
}
