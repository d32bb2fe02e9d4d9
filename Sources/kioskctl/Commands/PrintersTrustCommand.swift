import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct PrintersTrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Show a printer's certificate or SSH host key, and trust it.",
        discussion: """
            Compare a fingerprint with what the printer's own panel, status page or admin says, then answer with y. \
            Of a print server's host keys, the Ed25519 one is shown where it has one and no other is known; beside it stands the \
            command that prints the same there: ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub. \
            From then on jobs and logins go to whoever has this key at the printer's address, and to nobody else: it takes the place of a CA or a known_hosts file too.

            Without a terminal nobody can compare: then --yes is needed, with the --fingerprint that the printer must \
            have. There is no way to trust whatever is shown.

            EXAMPLES
              kioskctl printers trust office
              kioskctl printers trust office --yes --fingerprint sha256:9f86d081…
            """
    )

    @Option(
        help: ArgumentHelp(
            "The SHA-256 fingerprint that its key or its certificate must have: hexadecimal, with or without colons, or Base64 as ssh-keygen prints it.",
            valueName: "fingerprint"),
        transform: Arguments.fingerprint)
    var fingerprint: Fingerprint?

    @Flag(name: .shortAndLong, help: "Do not ask; only with --fingerprint.")
    var yes = false

    @OptionGroup var printer: NamedPrinter

    func validate() throws {
        guard !yes || fingerprint != nil else {
            throw ValidationError("--yes trusts nothing unseen; add --fingerprint with what the printer must show.")
        }
    }

    func run() async throws {
        let (client, id) = (printer.client, printer.id)
        let shown = try await Interruption.cancelling { try await client.inspectTrust(of: id) }
        guard let identity = shown.identity else {
            throw CommandFailure(
                message: "\(id) shows no certificate: its connection has none; save it with an ipps:// URL")
        }
        try present(shown, identity)
        let key = identity.keyFingerprint
        if let fingerprint, ![key, identity.certificate?.fingerprint].contains(fingerprint) {
            let what = identity.hostKey == nil ? "neither a key nor a certificate" : "no host key"
            throw CommandFailure(
                message:
                    "\(id) shows \(what) with the fingerprint \(fingerprint); nothing is trusted, and nothing was changed"
            )
        }
        if !shown.pins(key) {
            guard try isAgreed(shown, key) else {
                throw CommandFailure(message: "\(id) is not trusted; nothing was changed")
            }
        }
        let status = try await Interruption.cancelling { try await client.trust(key, of: id) }
        let gone = shown.gone(besides: key)
        if !gone.isEmpty { Console.note("\(id) is trusted no longer by \(gone.joined(separator: ", "))") }
        if printer.output.json { return try Console.write(json: status) }
        Console.writeLine("\(id) is trusted by this key from now on; it is \(status.availability.state.rawValue)")
    }

    /// What is asked about has to stand where the question stands, wherever the rest goes.
    private func present(_ shown: PrinterTrust, _ identity: ShownIdentity) throws {
        let text = TrustText.details(shown, identity, now: TrustText.now)
        let isSeen = yes || (Console.isOutputTerminal && !printer.output.json)
        if !isSeen, Console.isErrorTerminal { Console.writeError(text) }
        guard printer.output.json else { return Console.write(text) }
        if !isSeen, !Console.isErrorTerminal { try Console.write(json: shown) }
    }

    private func isAgreed(_ shown: PrinterTrust, _ key: Fingerprint) throws -> Bool {
        if yes { return true }
        let gone = shown.gone(besides: key)
        let instead = gone.isEmpty ? "" : ", and no longer \(gone.joined(separator: ", "))"
        guard let answer = Console.answer(to: "Trust the key \(key) for \(printer.id) from now on\(instead)? [y/N] ")
        else {
            throw CommandFailure(
                message:
                    "there is no terminal to ask at: compare the fingerprints, then add --yes --fingerprint with the right one; nothing was changed"
            )
        }
        return ["y", "yes"].contains(answer.lowercased())
    }
}

extension PrinterTrust {
    fileprivate func pins(_ key: Fingerprint) -> Bool {
        if case .pinned(let pins) = trust { pins == [key] } else { false }
    }

    /// What vouches for the printer now and gives way to `key`.
    fileprivate func gone(besides key: Fingerprint) -> [String] {
        switch trust {
        case .pinned(let pins): pins.filter { $0 != key }.map(\.description)
        case .system, .caFile, .knownHosts: [trust.description]
        case .ask, .none: []
        }
    }
}
