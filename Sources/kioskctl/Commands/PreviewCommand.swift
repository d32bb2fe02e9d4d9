internal import ArgumentParser
internal import KioskAPI
internal import PrintModel
internal import Terminal

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a receipt as it would be printed, before any paper is spent.",
        discussion: """
            The daemon lays the receipt out as for printing; nothing is printed or kept. Without --output it is shown in \
            characters. A file is read as ReceiptLine markup, or as JSON where it is named .json.

            EXAMPLES
              kioskctl preview order.receipt
              kioskctl preview order.receipt --printer till-1
              kioskctl preview order.receipt --profile generic-58mm -o order.png
              kioskctl preview order.receipt.json --columns 42
            """
    )

    @Argument(help: ArgumentHelp("The receipt; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("On the paper of this printer.", valueName: "id"),
        completion: Completion.printers, transform: Arguments.printer)
    var printer: PrinterID?

    @Option(help: ArgumentHelp("On the paper of printers with this profile.", valueName: "name"), completion: Completion.profiles)
    var profile: String?

    @Option(help: ArgumentHelp("On paper with so many characters a line (default: 48, a roll of 80 mm).", valueName: "n"))
    var columns: Int?

    @Option(
        name: [.long, .customLong("format")],
        help: ArgumentHelp("The receipt's format: receiptline or receipt-json.", valueName: "format"),
        completion: Completion.receiptFormats, transform: Arguments.format)
    var type: DocumentFormat?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write it there instead: a picture as .png or .svg, or characters as .txt.", valueName: "file"),
        completion: .file(), transform: PreviewFile.init)
    var output: PreviewFile?

    @Flag(help: "Write JSON, as the daemon's API has it.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard [printer != nil, profile != nil, columns != nil].count(where: \.self) <= 1 else {
            throw ValidationError("Name one paper: --printer, --profile or --columns.")
        }
        if let columns, !PreviewParameters.columns.contains(columns) {
            let range = PreviewParameters.columns
            throw ValidationError("--columns is \(columns); write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        guard output == nil || !json else { throw ValidationError("Write a file (--output) or JSON (--json), not both.") }
    }

    func run() async throws {
        let document = try file == "-" ? DocumentSource.standardInput() : .file(file)
        let client = connection.client
        do {
            if let output {
                let bytes = try await Interruption.cancelling { try await client.preview(document, parameters, as: output.form) }
                return try output.write(bytes)
            }
            let preview = try await Interruption.cancelling { try await client.preview(document, parameters) }
            if json { return try Console.write(json: preview) }
            for remark in preview.remarks { Console.note(remark.about(file).description) }
            // A terminal would obey what a receipt may hold.
            Console.write(Console.isOutputTerminal ? preview.text.shownLines : preview.text)
        } catch let error as KioskClientError {
            throw error.about(file)
        }
    }

    private var parameters: PreviewParameters {
        var parameters = PreviewParameters()
        parameters.paper = printer.map { .printer($0) } ?? profile.map { .profile($0) } ?? columns.map { .columns($0) }
        parameters.format = type ?? (file.lowercased().hasSuffix(".json") ? .receiptJSON : .receiptLine)
        return parameters
    }
}

extension String {
    fileprivate var shownLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).shown }.joined(separator: "\n")
    }
}
