import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PrintersTrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Show a printer's certificate, SSH host key or serial number, and trust it.",
        discussion: """
            Compare a fingerprint with what the printer's own panel, status page or admin says, then answer with y. \
            Of a print server's host keys, the Ed25519 one is shown where it has one and no other is known; beside it stands the \
            command that prints the same there: ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub. \
            From then on jobs and logins go to whoever has this key at the printer's address, and to nobody else: it takes the place of a CA or a known_hosts file too.

            A printer under socket:// proves nothing: it is known by the serial number that it reports, or by its hardware \
            address, since its first contact. Where another device stands at its address later, it gets nothing \
            (identity-changed) until it is trusted by this command.

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

    func run() throws {
        let (client, id) = (try printer.client, printer.id)
        let shown = try Interruption.cancelling { try client.perform(.inspectTrust(of: id)) }
        guard let identity = shown.identity else {
            throw CommandFailure(
                message:
                    "\(id) shows nothing to trust it by: no certificate, no host key, no serial number; save it with an ipps:// URL where it has one"
            )
        }
        try present(shown, identity)
        let key = identity.keyFingerprint
        if let fingerprint, ![key, identity.certificate?.fingerprint].contains(fingerprint) {
            let what =
                identity.certificate != nil ? "neither a key nor a certificate" : "no \(identity.longNoun)"
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
        let status = try Interruption.cancelling { try client.perform(.trust(key, of: id)) }
        let replaced = shown.replaced(by: key)
        if !replaced.isEmpty {
            Console.writeMessage("\(id) is trusted no longer by \(replaced.joined(separator: ", "))")
        }
        if printer.output.json { return try Console.write(json: status) }
        Console.writeLine(
            "\(id) is trusted by this \(identity.noun) from now on; it is \(status.availability.state.rawValue)")
    }

    /// Shows what the printer shows. It must be visible where the question is asked, wherever the result goes.
    private func present(_ shown: PrinterTrust, _ identity: ShownIdentity) throws {
        let text = TrustText.details(shown, identity, now: Timestamp.now)
        let isSeen = yes || (Console.isOutputTerminal && !printer.output.json)
        if !isSeen, Console.isErrorTerminal { Console.writeError(text) }
        guard printer.output.json else { return Console.write(text) }
        if !isSeen, !Console.isErrorTerminal { try Console.write(json: shown) }
    }

    private func isAgreed(_ shown: PrinterTrust, _ key: Fingerprint) throws -> Bool {
        if yes { return true }
        let replaced = shown.replaced(by: key)
        let instead = replaced.isEmpty ? "" : ", and no longer \(replaced.joined(separator: ", "))"
        let noun = shown.identity?.noun ?? "key"
        guard let answer = Console.ask("Trust the \(noun) \(key) for \(printer.id) from now on\(instead)? [y/N] ")
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

    /// The trust settings that trusting `key` replaces.
    fileprivate func replaced(by key: Fingerprint) -> [String] {
        switch trust {
        case .pinned(let pins): pins.filter { $0 != key }.map(\.description)
        // The device of the first contact, which nobody chose.
        case .system where device != nil: []
        case .system, .caFile, .knownHosts: [trust.description]
        case .ask, .none: []
        }
    }
}

extension ShownIdentity {
    /// What is trusted, in a sentence.
    fileprivate var noun: String { device == nil ? "key" : "device" }
    fileprivate var longNoun: String { hostKey == nil ? noun : "host key" }
}

/// Formats a certificate, a host key or a device for people who decide whether to trust it. Its texts come from whoever
/// responded.
enum TrustText {
    static func details(
        _ shown: PrinterTrust, _ identity: ShownIdentity, now: Timestamp, _ style: Style = .current
    ) -> String {
        var details = Details(shown.printer.rawValue)
        let isFirstContact = identity.device != nil && shown.trust == .system
        let trust = isFirstContact ? "the device of the first contact" : shown.trust.description
        details.add("trust", trust, shown.trust == .none ? .red : nil)
        if shown.trust == .none {
            details.add("trusted", "not verified (trust: none)", .red)
        } else {
            details.add("trusted", shown.isTrusted ? "yes" : "no", shown.isTrusted ? .green : .red)
        }
        details.add("why not", shown.problem)
        switch identity {
        case .certificate(let certificate): add(certificate, now: now, to: &details)
        case .hostKey(let key): details.add("host key", key.algorithm)
        case .device(let device):
            details.add("make and model", [device.make, device.model].compactMap(\.self).joined(separator: " "))
            details.add("serial number", device.serialNumber ?? "none")
            details.add("hardware address", device.hardwareAddress)
        }
        if case .pinned(let pins) = shown.trust, !pins.contains(identity.keyFingerprint) {
            for pin in pins { add("old \(identity.noun)'s SHA-256", pin, as: identity, to: &details) }
            add("new \(identity.noun)'s SHA-256", identity.keyFingerprint, as: identity, to: &details)
        } else {
            add("\(identity.noun)'s SHA-256", identity.keyFingerprint, as: identity, to: &details)
        }
        if let certificate = identity.certificate {
            add("certificate's SHA-256", certificate.fingerprint, as: identity, to: &details)
        }
        if let path = identity.hostKey.flatMap({ hostKeyFiles[$0.algorithm] }) {
            details.add("compare there", "ssh-keygen -l -f \(path)")
        }
        return details.text(style)
    }

    /// The files of an OpenSSH server's host keys (sshd_config(5), "HostKey").
    private static let hostKeyFiles = [
        "ssh-ed25519": "/etc/ssh/ssh_host_ed25519_key.pub", "ecdsa-sha2-nistp256": "/etc/ssh/ssh_host_ecdsa_key.pub",
        "ssh-rsa": "/etc/ssh/ssh_host_rsa_key.pub",
    ]

    private static func add(_ certificate: Certificate, now: Timestamp, to details: inout Details) {
        details.add("subject", certificate.subject)
        details.add("issuer", certificate.isSelfSigned ? "itself (self-signed)" : certificate.issuer)
        details.add("names", certificate.names.joined(separator: ", "))
        details.add("valid from", certificate.notBefore.description + (certificate.notBefore > now ? " (not yet)" : ""))
        let isExpired = certificate.notAfter < now
        details.add(
            "valid until", certificate.notAfter.description + (isExpired ? " (expired)" : ""), isExpired ? .red : nil)
        details.add("key", certificate.key)
    }

    /// Adds a fingerprint in two forms: as printers' pages and browsers, or ssh-keygen, show it, and as the registry
    /// stores it.
    private static func add(
        _ label: String, _ fingerprint: Fingerprint, as identity: ShownIdentity, to details: inout Details
    ) {
        details.add(label, identity.hostKey == nil ? fingerprint.withColons : fingerprint.openSSH)
        details.add("", fingerprint.description)
    }
}

extension Fingerprint {
    /// As browsers and printers' pages show it: `9F:86:D0:…`.
    var withColons: String {
        octets.map { octet in
            let digits = String(octet, radix: 16, uppercase: true)
            return digits.utf8.count < 2 ? "0\(digits)" : digits
        }.joined(separator: ":")
    }
}
