import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write printers, roles and trust as one file, for a backup or another kiosk.",
        discussion: """
            The file is JSON that can be read and compared, and holds no secret. With --secrets there is an encrypted \
            block behind it: the printers' logins with their keys, the access tokens (their digests: the tills keep \
            theirs) and kioskd's own certificate. Only root and kioskd's own administrators get it, on the kiosk \
            itself. Nobody can open it without the passphrase, which is asked for where no file has it.

            EXAMPLES
              kioskctl export > kiosk-7.json
              sudo kioskctl export --secrets --output kiosk-7.export
              sudo kioskctl export --secrets --passphrase-file pass -o kiosk-7.export
            """
    )

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write it here, for nobody else to read (default: to standard output).", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Export logins, tokens and the certificate too, encrypted with a passphrase.")
    var secrets = false

    @OptionGroup var passphrase: PassphraseOptions

    @Flag(help: "Say as JSON what was exported; with --output.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    /// What `--json` writes.
    private struct Summary: Encodable {
        var file: String
        var printers: Int
        var roles: Int
        var secrets: Bool
        var leftOut: [String]

        enum CodingKeys: String, CodingKey {
            case file, printers, roles, secrets
            case leftOut = "left-out"
        }
    }

    func validate() throws {
        guard !json || output != nil else {
            throw ValidationError("--json is for --output; the export itself is JSON.")
        }
        guard secrets || passphrase.passphraseFile == nil else {
            throw ValidationError("--passphrase-file is for --secrets.")
        }
    }

    func run() throws {
        let call: APICall<[UInt8]>
        if secrets {
            let secret = try passphrase.read("the export's passphrase", isNew: true)
            call = try .export(ExportRequest(passphrase: secret.reveal()))
        } else {
            call = .export()
        }
        let bytes = try connection.client.perform(call)
        let document = try ExportDocument(readablePartOf: bytes)
        if let output {
            do throws(SystemError) {
                try OutputFile.replacePrivately(output, with: bytes)
            } catch {
                throw CommandFailure(message: "\(output): the export cannot be written: \(error)")
            }
        } else {
            let text = String(decoding: bytes, as: UTF8.self)
            Console.write(Console.isOutputTerminal ? TerminalJSON.escape(text) : text)
        }
        for line in document.leftOut { Console.writeMessage("left out: \(line)") }
        if json, let output {
            return try Console.write(
                json: Summary(
                    file: output, printers: document.printers.count, roles: document.roles.count, secrets: secrets,
                    leftOut: document.leftOut))
        }
        guard let output else { return }
        let missing =
            secrets || document.logins.isEmpty
            ? "" : "; without the logins \(document.logins.joined(separator: ", ")) (--secrets)"
        Console.writeLine(
            "\(output): \(document.summary)\(missing)".terminalEscaped)
    }
}

/// The option for the passphrase of an export's secrets; without it, a person is asked.
struct PassphraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file whose first line is the passphrase, - for standard input (default: it is asked for).",
            valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    /// Reads the passphrase, or asks for it; a new one twice.
    func read(_ what: String, isNew: Bool) throws -> Secret {
        if let passphraseFile {
            return try PasswordFile.read(
                passphraseFile == "-" ? "/dev/stdin" : passphraseFile, of: what, isPrivate: true)
        }
        guard Console.canAsk else {
            throw CommandFailure(
                message: "\(what) is needed, and nobody is there to be asked; add --passphrase-file FILE")
        }
        guard let typed = Console.askSecretly("\(what): ") else { throw CancellationError() }
        if isNew {
            guard let again = Console.askSecretly("once more: ") else { throw CancellationError() }
            guard again == typed else {
                throw CommandFailure(message: "the two passphrases are not the same; nothing was exported")
            }
        }
        return Secret(typed)
    }
}
