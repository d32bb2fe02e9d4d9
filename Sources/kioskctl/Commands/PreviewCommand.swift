import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a receipt as it would be printed, before any paper is spent.",
        discussion: """
            The daemon lays the receipt out as for printing; nothing is printed or kept. Without --output it is shown in \
            the terminal: as a picture where that is known to show pictures (Kitty, Ghostty, iTerm2, WezTerm, mintty; not \
            within tmux or screen), else in characters. What the receipt loses on that paper, or says and is not heeded, is \
            told on standard error. A file is read as ReceiptLine markup, or as JSON where it is named .json.

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

    @Option(
        help: ArgumentHelp("On the paper of printers with this profile.", valueName: "name"),
        completion: Completion.profiles)
    var profile: String?

    @Option(
        help: ArgumentHelp("On paper with so many characters a line (default: 48, a roll of 80 mm).", valueName: "n"))
    var columns: Int?

    @Option(
        name: [.long, .customLong("format")],
        help: ArgumentHelp("The receipt's format: receiptline or receipt-json.", valueName: "format"),
        completion: Completion.receiptFormats, transform: Arguments.format)
    var type: DocumentFormat?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write it there instead: a picture as .png or .svg, or characters as .txt.", valueName: "file"),
        completion: .file(), transform: PreviewFile.init)
    var output: PreviewFile?

    @Flag(help: "Show it in characters, whatever the terminal can show.")
    var text = false

    @Flag(help: "Write JSON, as the daemon's API has it.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard [printer != nil, profile != nil, columns != nil].count(where: \.self) <= 1 else {
            throw ValidationError("Name one paper: --printer, --profile or --columns.")
        }
        if let columns, !PreviewParameters.columns.contains(columns) {
            let range = PreviewParameters.columns
            throw ValidationError(
                "--columns is \(columns); write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        guard [output != nil, json, text].count(where: \.self) <= 1 else {
            throw ValidationError("Write a file (--output), JSON (--json) or characters (--text), one of them.")
        }
    }

    func run() throws {
        let client = connection.client
        do {
            let source = try file == "-" ? DocumentSource.standardInput() : .file(file)
            let document = try Interruption.cancelling { try client.rereadable(source) }
            let preview = try Interruption.cancelling { try client.perform(.preview(document, parameters)) }
            if json { return try Console.write(json: preview) }
            for remark in preview.remarks { Console.writeMessage(remark.inFile(file).description) }
            if let output { return try output.write(try bytes(of: preview, as: output.form, document, client)) }
            if !text, Console.isOutputTerminal, let pictures = TerminalPictures.current,
                let picture = try picture(document, client)
            {
                return Console.write(pictures.text(showing: picture))
            }
            // A terminal would obey control characters in the receipt.
            Console.write(Console.isOutputTerminal ? preview.text.terminalEscapedLines : preview.text)
        } catch let error as KioskClientError {
            throw error.inFile(file)
        }
    }

    private func bytes(
        of preview: PreviewText, as form: PreviewForm, _ document: DocumentSource, _ client: BlockingClient
    ) throws -> [UInt8] {
        guard form != .text else { return Array(preview.text.utf8) }
        return try Interruption.cancelling { try client.perform(.preview(document, parameters, as: form)) }
    }

    /// The preview as a picture. If it cannot be drawn, shows a message and returns nil.
    private func picture(_ document: DocumentSource, _ client: BlockingClient) throws -> [UInt8]? {
        do {
            return try Interruption.cancelling { try client.perform(.preview(document, parameters, as: .png)) }
        } catch let error as KioskClientError {
            Console.writeMessage("there is no picture of it: \(error.message)")
            return nil
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
    /// The text with each line escaped.
    fileprivate var terminalEscapedLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).terminalEscaped }.joined(
            separator: "\n")
    }
}

/// The file that a preview is written to. Its ending gives the form.
struct PreviewFile: Hashable, Sendable {
    let path: String
    let form: PreviewForm

    @Sendable init(_ path: String) throws {
        let forms: [(ending: String, form: PreviewForm)] = [(".png", .png), (".svg", .svg), (".txt", .text)]
        guard let match = forms.first(where: { path.lowercased().hasSuffix($0.ending) }) else {
            throw ValidationError(
                "\"\(path)\" has no ending of a preview; write one of \(forms.map(\.ending).joined(separator: ", "))")
        }
        self.path = path
        form = match.form
    }

    /// Writes the file, in place of one that exists.
    func write(_ bytes: [UInt8]) throws {
        do {
            try OutputFile.write(bytes, to: path)
        } catch {
            throw CommandFailure(message: "\(path) cannot be written: \(error); name another file with --output")
        }
    }
}
