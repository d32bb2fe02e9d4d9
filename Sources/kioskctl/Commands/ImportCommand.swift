import ArgumentParser
import Glibc
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a file that kioskctl export wrote.",
        discussion: """
            The whole file is checked before anything changes. What stands here and is different stays, unless \
            --replace; what the file does not have is never removed. The table says what becomes of each printer, \
            role, login, token and file; what printing still needs stands on standard error. A second import of the \
            same file changes nothing. `kioskctl audit` shows it.

            ACTIONS
              add      it was not here
              replace  it was here, and different
              keep     it is here, and different; --replace replaces it
              same     it is here already
              skip     it cannot be used here

            EXAMPLES
              kioskctl import kiosk-7.export --dry-run
              sudo kioskctl import kiosk-7.export --replace
              kioskctl import kiosk-7.export --without-secrets
              kioskctl import kiosk-7.json --host https://kiosk-8.local --token-file token
            """
    )

    @Argument(help: ArgumentHelp("The export; - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Change nothing, and say what would change.")
    var dryRun = false

    @Flag(help: "Replace what is here and different.")
    var replace = false

    @Flag(help: "Leave the export's secrets alone, and import what can be read.")
    var withoutSecrets = false

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard !withoutSecrets || passphrase.passphraseFile == nil else {
            throw ValidationError("--passphrase-file opens the secrets, and --without-secrets leaves them alone.")
        }
        guard file != "-" || passphrase.passphraseFile != "-" else {
            throw ValidationError("The export and the passphrase cannot both be standard input.")
        }
    }

    func run() throws {
        let bytes = try Self.content(of: file)
        let document: ExportDocument
        do {
            // Before anybody is asked for a passphrase.
            document = try ExportDocument(readablePartOf: bytes)
        } catch let problem as Problem {
            throw CommandFailure(message: "\(file): \(problem)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(message: "\(file): it is not text, and so no export of kioskd")
        }
        var request = ImportRequest(export: text, replaces: replace, isDryRun: dryRun)
        if document.hasSecrets, !withoutSecrets {
            request.passphrase = try passphrase.read("the passphrase of \(file)", isNew: false).reveal()
        } else if passphrase.passphraseFile != nil {
            throw CommandFailure(message: "\(file): it holds no secrets; leave --passphrase-file out")
        }
        let report = try connection.client.perform(.import(request))
        if output.json { return try Console.write(json: report) }
        Console.write(ImportText.table(report))
        for line in report.missing { Console.writeMessage("missing: \(line)") }
        Console.writeMessage(ImportText.sentence(report))
    }

    /// A file's bytes, or those of standard input, up to the longest that an export can be.
    private static func content(of path: String) throws -> [UInt8] {
        guard let stream = fopen(path == "-" ? "/dev/stdin" : path, "re") else {
            throw CommandFailure(message: "\(path): the export cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= APILimits.maximumExport {
            let count = fread(&piece, 1, piece.count, stream)
            if count == 0 { break }
            bytes += piece[..<count]
        }
        guard ferror(stream) == 0 else {
            throw CommandFailure(message: "\(path): the export cannot be read: \(String(cString: strerror(errno)))")
        }
        guard bytes.count <= APILimits.maximumExport else {
            throw CommandFailure(
                message:
                    "\(path): it is longer than \(APILimits.maximumExport) bytes, and no export of kioskd is; name another file"
            )
        }
        return bytes
    }
}

/// Formats reports of imports for people.
enum ImportText {
    static func table(_ report: ImportReport, _ style: Style = .current) -> String {
        let hasNotes = report.changes.contains { $0.message != nil }
        var columns: [Table.Column] = [.init(heading: "WHAT"), .init(heading: "NAME"), .init(heading: "ACTION")]
        if hasNotes { columns.append(.init(heading: "NOTE")) }
        var table = Table(columns)
        for change in report.changes {
            var cells: [Table.Cell] = [
                .init(change.kind.rawValue), .init(change.name), .init(change.action.rawValue, color(change.action)),
            ]
            if hasNotes { cells.append(.init(change.message ?? "")) }
            table.add(cells)
        }
        return table.text(style)
    }

    /// How many things of each action.
    static func sentence(_ report: ImportReport) -> String {
        let counts = ImportReport.Action.allCases.compactMap { action in
            let count = report.changes.count { $0.action == action }
            return count == 0 ? nil : "\(count) \(action.rawValue)"
        }
        let text = counts.isEmpty ? "the export is empty" : counts.joined(separator: ", ")
        let hint = report.changes.contains { $0.action == .keep } ? "; --replace replaces what is kept" : ""
        return (report.isDryRun ? "nothing was changed; it would be: \(text)" : "imported: \(text)") + hint
    }

    private static func color(_ action: ImportReport.Action) -> Style.Color? {
        switch action {
        case .add: .green
        case .replace, .keep: .yellow
        case .same: .gray
        case .skip: .red
        }
    }
}
