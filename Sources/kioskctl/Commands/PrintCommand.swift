import ArgumentParser
import KioskAPIMessages
import KioskPrintModel

struct PrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Print files, each as a job of its own.",
        discussion: """
            The job is on the daemon's disk before this returns. With --wait it returns when the job is settled, and \
            says how that is known: the printer's own confirmation, or less where the printer tells less. Ctrl-C ends \
            the waiting; the job goes on.

            EXAMPLES
              kioskctl print receipt.txt --role receipt
              kioskctl print order.receipt --role receipt --drawer
              kioskctl print receipt.txt --role receipt --wait --timeout 20
              pdftotext bill.pdf - | kioskctl print - --role document --copies 2
              till | kioskctl print - --format receiptline --role receipt
              kioskctl print payslip.pdf --printer office --job-password-file pin.txt
              kioskctl print statement.pdf --role document --document-password-file pw.txt
              kioskctl print label.zpl --printer shipping --idempotency-key order-4711
            """
    )

    @Argument(help: ArgumentHelp("Files to print; - is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The role to print to: any of its printers.", valueName: "role"),
        completion: Completion.roles, transform: Arguments.role)
    var role: RoleName?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The printer to print to, and no other.", valueName: "id"),
        completion: Completion.printers, transform: Arguments.printer)
    var printer: PrinterID?

    @Option(
        name: [.long, .customLong("format")],
        help: ArgumentHelp(
            "The document's format: a media type such as text/plain, or receiptline or receipt-json for receipts. Else the file's name tells, else its first bytes.",
            valueName: "format"),
        completion: Completion.receiptFormats, transform: Arguments.format)
    var type: DocumentFormat?

    @Option(help: ArgumentHelp("What the job is called; else as its file.", valueName: "name"))
    var name: String?

    @Flag(help: "Wait until the job is settled.")
    var wait = false

    @Option(help: ArgumentHelp("Seconds to wait at most; else as long as it takes.", valueName: "seconds"))
    var timeout: Int?

    @Option(
        help: ArgumentHelp(
            "Sending the same again under this key makes no second job. With several files, -1, -2 … is appended.",
            valueName: "key"))
    var idempotencyKey: String?

    @OptionGroup(title: "Ticket") var ticket: TicketOptions

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the PIN that is typed at the printer before it prints.", valueName: "file"),
        completion: .file())
    var jobPasswordFile: String?

    @Option(
        help: ArgumentHelp("How the PIN goes to the printer; else as it takes it.", valueName: "keyword"),
        completion: .list(["none", "sha2-256", "md5"]))
    var jobPasswordEncryption: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the password of an encrypted PDF file.", valueName: "file"),
        completion: .file())
    var documentPasswordFile: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (role == nil) != (printer == nil) else {
            throw ValidationError("Say where to print: either --role <role> or --printer <id>.")
        }
        guard files.count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Standard input (-) can be printed only once.")
        }
        guard jobPasswordEncryption == nil || jobPasswordFile != nil else {
            throw ValidationError("--job-password-encryption is for a PIN; add --job-password-file.")
        }
        try JobWaiting.validate(timeout: timeout, wait: wait)
    }

    /// What is to be printed, and how.
    var request: PrintRequest {
        PrintRequest(
            files: files, role: role, printer: printer, format: type, name: name, wait: wait, timeout: timeout,
            idempotencyKey: idempotencyKey, ticket: ticket.ticket, passwordFile: jobPasswordFile,
            passwordEncryption: jobPasswordEncryption, documentPasswordFile: documentPasswordFile, json: output.json,
            connection: connection.choice)
    }

    func run() throws { try request.run() }
}
