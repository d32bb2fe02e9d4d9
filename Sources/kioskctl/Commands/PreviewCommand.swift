import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a receipt or a document as it would be printed, before any paper is spent.",
        discussion: """
            The daemon lays it out as for printing; nothing is printed or kept. Without --output it is shown in the \
            terminal: as a picture where that is known to show pictures (Kitty, Ghostty, iTerm2, WezTerm, mintty; not \
            within tmux or screen), else a receipt in characters and a document as a table of its sheets. What is lost \
            on that paper, or not heeded, is told on standard error.

            A file is read as ReceiptLine markup, or as JSON where it is named .json; PDF files, pictures, and text \
            with --type text/plain are shown as the sheets of one printer: --printer is needed for them. They are on \
            its best paper, as the ticket says. What lies in the border that the printer cannot print on is faint. \
            Sides are turned as their reader holds them.

            EXAMPLES
              kioskctl preview order.receipt
              kioskctl preview order.receipt --printer till-1
              kioskctl preview order.receipt --profile generic-58mm -o order.png
              kioskctl preview order.receipt.json --columns 42
              kioskctl preview manual.pdf --printer office --number-up 2
              kioskctl preview manual.pdf -p office --pages 1-8 --show 5-8 -o sheets.png
            """
    )

    @Argument(
        help: ArgumentHelp("The receipt or document; - is standard input.", valueName: "file"), completion: .file())
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
        help: ArgumentHelp(
            "The format: receiptline, receipt-json or a media type such as application/pdf.", valueName: "format"),
        completion: Completion.receiptFormats, transform: Arguments.format)
    var type: DocumentFormat?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write it there instead: a picture as .png, of a receipt also as .svg, or characters as .txt.",
            valueName: "file"),
        completion: .file(), transform: PreviewFile.init)
    var output: PreviewFile?

    @Flag(help: "Show it in characters, whatever the terminal can show.")
    var text = false

    @Flag(help: "Write JSON, as the daemon's API has it.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The sides of a document's sheets that its picture shows, such as 3 or 5-8, at most 16 (default: the first 4).",
            valueName: "range"),
        transform: Self.sides)
    var show: PageRange?

    @Option(
        help: ArgumentHelp(
            "The dots per inch of a document's picture (default: 100, less where it would be too large).",
            valueName: "n"))
    var dpi: Int?

    @Option(
        help: ArgumentHelp("A file whose first line is the password of an encrypted PDF file.", valueName: "file"),
        completion: .file())
    var documentPasswordFile: String?

    @OptionGroup(title: "Ticket of a document") var ticket: TicketOptions
    @OptionGroup var connection: ConnectionOptions

    @Sendable private static func sides(_ text: String) throws -> PageRange {
        guard let range = PageRange(text) else {
            throw ValidationError("\"\(text)\" is no range of sides; write 3 or 5-8")
        }
        return range
    }

    func validate() throws {
        if let dpi, !PreviewParameters.resolutions.contains(dpi) {
            let range = PreviewParameters.resolutions
            throw ValidationError("--dpi is \(dpi); write a number from \(range.lowerBound) to \(range.upperBound)")
        }
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
        let client = try connection.client
        do {
            let source = try file == "-" ? DocumentSource.standardInput() : .file(file)
            let document = try Interruption.cancelling { try client.rereadable(source) }
            let parameters = try parameters(document)
            if parameters.isForDocument {
                try show(Interruption.cancelling { try client.perform(.sheets(of: document, parameters)) }) { form in
                    try client.perform(.preview(document, parameters, as: form))
                }
            } else {
                try show(Interruption.cancelling { try client.perform(.preview(document, parameters)) }) { form in
                    try client.perform(.preview(document, parameters, as: form))
                }
            }
        } catch let error as KioskClientError {
            throw error.inFile(file)
        }
    }

    /// Shows what the daemon says of it, or the form of it that is wanted, which `load` gets.
    private func show(_ preview: some ShownPreview, _ load: (PreviewForm) throws -> [UInt8]) throws {
        if json { return try Console.write(json: preview) }
        for remark in preview.remarks { Console.writeMessage(remark.inFile(file).description) }
        if let output {
            let bytes =
                try output.form == .text
                ? Array(preview.text.utf8) : Interruption.cancelling { try load(output.form) }
            return try output.write(bytes)
        }
        if !text, Console.isOutputTerminal, let pictures = TerminalPictures.current, let picture = try picture(load) {
            return Console.write(pictures.text(showing: picture))
        }
        // A terminal would obey control characters in the receipt.
        Console.write(Console.isOutputTerminal ? preview.text.terminalEscapedLines : preview.text)
    }

    /// The preview as a picture. If it cannot be drawn, shows a message and returns nil.
    private func picture(_ load: (PreviewForm) throws -> [UInt8]) throws -> [UInt8]? {
        do {
            return try Interruption.cancelling { try load(.png) }
        } catch let error as KioskClientError {
            Console.writeMessage("there is no picture of it: \(error.message)")
            return nil
        }
    }

    private func parameters(_ document: DocumentSource) throws -> PreviewParameters {
        var parameters = PreviewParameters()
        parameters.paper = printer.map { .printer($0) } ?? profile.map { .profile($0) } ?? columns.map { .columns($0) }
        parameters.format = type ?? format(of: document)
        (parameters.ticket, parameters.show, parameters.resolution) = (ticket.ticket, show, dpi)
        if let documentPasswordFile {
            parameters.ticket.documentPassword = try PasswordFile.read(documentPasswordFile, of: "the password")
        }
        guard parameters.isForDocument else {
            guard parameters.ticket == Ticket(), show == nil, dpi == nil else {
                throw ValidationError(
                    "A ticket, --show and --dpi are for documents such as PDF files; this is a receipt.")
            }
            return parameters
        }
        guard printer != nil else {
            throw ValidationError("How a document comes out depends on its printer; name one with --printer.")
        }
        return parameters
    }

    /// The format by the file's name, or of standard input by its first bytes. What has no pages is a receipt.
    private func format(of document: DocumentSource) -> DocumentFormat {
        if file.lowercased().hasSuffix(".json") { return .receiptJSON }
        let withPages: Set<DocumentFormat> = [.pdf, .jpeg, .png, .tiff, .webP]
        if let named = DocumentFormat(fileName: file), withPages.contains(named) { return named }
        if file == "-", case .bytes(let bytes) = document.body,
            let found = DocumentFormat(firstBytes: bytes.prefix(DocumentFormat.detectionLength)),
            withPages.contains(found)
        {
            return found
        }
        return .receiptLine
    }
}

/// What the daemon says of a preview: in characters, with remarks.
private protocol ShownPreview: Encodable {
    var text: String { get }
    var remarks: [Problem.Finding] { get }
}

extension PreviewText: ShownPreview {}
extension SheetList: ShownPreview {}

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
