import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PrintersAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Save a printer, contact it, and show what that learnt.",
        discussion: """
            With --replace, everything is saved anew. Only --trust and --credentials, where they are not given and the URL stays, \
            are kept as they were.

            EXAMPLES
              kioskctl printers add till-1 ipp://192.0.2.10/ipp/print --role receipt
              kioskctl printers add office ipp://office.example --location "Back office"
              kioskctl printers add gate ipps://gate.example --trust ask --credentials gate
              kioskctl printers add kitchen socket://192.0.2.12 --profile generic-80mm
              kioskctl printers add bar 'serial:/dev/serial/by-id/usb-FTDI_FT232R-if00-port0?baud=115200+flow=hard'
              kioskctl printers add office-2 lpd://192.0.2.13/raw --job-types document
              kioskctl printers add till-2 'usb://EPSON/TM-T20III?serial=X4XB012345' --role receipt
              kioskctl printers add box ipp://192.0.2.11/ipp/print --job-types label -r label
            """
    )

    @Argument(
        help: ArgumentHelp("What to call it: till-1, back-office.", valueName: "id"), transform: Arguments.printer)
    var id: PrinterID

    @Argument(
        help: ArgumentHelp(
            """
            Where it is: ipp://host/ipp/print, ssh+lpr://user@host/queue, lpd://host/queue, socket://host, \
            usb://Maker/Model?serial=S, serial:/dev/…?baud=115200 …
            """,
            valueName: "url"),
        transform: Arguments.url)
    var url: PrinterURL

    @Option(help: ArgumentHelp("What people call it.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Where it stands.", valueName: "place"))
    var location: String?

    @Option(
        help: ArgumentHelp("What it is for, whatever it says itself; with commas between.", valueName: "types"),
        completion: Completion.jobTypes, transform: Arguments.jobTypes)
    var jobTypes: JobTypes?

    @Option(help: ArgumentHelp("Its model's profile.", valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("The name of the credentials to log in with.", valueName: "name"))
    var credentials: String?

    @Flag(help: "With --replace: log in no more.")
    var noCredentials = false

    @Option(
        help: ArgumentHelp(
            "How its identity is proven: system (a known CA or known_hosts; the standard), ca:FILE, known-hosts:FILE, sha256:FINGERPRINT, ask (accept it with `printers trust`) or none (not at all).",
            valueName: "how"),
        completion: Completion.trust, transform: Arguments.trust)
    var trust: Trust?

    @Flag(help: "Let its login go over connections that others can read, or to whoever answers (--trust none).")
    var loginWithoutTls = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Append it to this role's printers; may be repeated.", valueName: "role"),
        completion: Completion.roles, transform: Arguments.role)
    var role: [RoleName] = []

    @Flag(help: "Overwrite a printer that is saved under this id.")
    var replace = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if noCredentials, credentials != nil { throw ValidationError("--credentials or --no-credentials, not both") }
    }

    func run() throws {
        let client = try connection.client
        if !replace { try refuseSaved(client) }
        let change = PrinterChange(
            url: url, name: name, location: location, profile: profile, jobTypes: jobTypes, credentials: credentials,
            removesCredentials: noCredentials, trust: trust, allowsPlainLogin: loginWithoutTls ? true : nil)
        _ = try client.perform(.save(change, as: id))
        for name in role { try append(to: name, client) }
        let status = try client.perform(.contact(id))
        try output.json ? Console.write(json: status) : Console.write(PrinterText.details(status))
        for warning in warnings(of: status.printer) { Console.writeMessage(warning) }
        if let note = note(on: status) { Console.writeMessage(note) }
    }

    /// Warnings about settings that are unsafe, though wanted.
    private func warnings(of printer: SavedPrinter) -> [String] {
        var warnings: [String] = []
        if printer.trust == Trust.none {
            warnings.append("\(id) is not verified: whoever answers at \(printer.url) gets its documents and logins")
        }
        if printer.url.namesAdapterByNumber {
            warnings.append(
                "\(id) is saved by a number that another adapter may have after the next start; see ls -l /dev/serial/by-id, and save it by its name there"
            )
        }
        if printer.sendsLoginsPlain {
            warnings.append(
                printer.url.scheme == .ipp
                    ? "\(id) may be logged in to without TLS: others on the network can read its password"
                    : "\(id) may be logged in to without being verified: whoever answers in its place gets its password"
            )
        }
        return warnings
    }

    private func note(on status: PrinterStatus) -> String? {
        let reasons = status.availability.reasons.map(\.keyword)
        if reasons.contains("host-key-revoked") {
            return
                "\(id) is saved, but gets nothing: a known_hosts file revokes the host key that it shows; find out who answers there, and give the host a new key"
        }
        for (prefix, noun) in [("certificate-", "certificate"), ("host-key-", "host key")]
        where reasons.contains(where: { $0.hasPrefix(prefix) }) {
            return
                "\(id) is saved, but gets nothing before its \(noun) is trusted; look at it with `kioskctl printers trust \(id)`"
        }
        guard status.availability.state == .unreachable else { return nil }
        return "\(id) is saved, but did not answer; try again with `kioskctl printers contact \(id)`"
    }

    private func refuseSaved(_ client: BlockingClient) throws {
        do {
            let saved = try client.perform(.printer(id))
            throw CommandFailure(
                message: "\(id) is saved already, for \(saved.printer.url); choose another id, or add --replace"
            )
        } catch let error as KioskClientError where error.problem?.code == .unknownPrinter {}
    }

    private func append(to name: RoleName, _ client: BlockingClient) throws {
        var change = try client.roleChange(name)
        guard !change.printers.contains(id) else { return }
        change.printers.append(id)
        _ = try client.perform(.save(change, as: name))
    }
}
