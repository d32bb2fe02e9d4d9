import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

struct ReprintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprint",
        abstract: "Print a job's document again, as a new job.",
        discussion: """
            The new job has the document and the ticket of the first, goes where that was sent or to another printer, and \
            names its origin. Documents are kept for a while, as each role says; see `kioskctl roles list`. \
            One's own jobs; everybody's for operators, and where the queue is shared. Whoever asks needs the right to open \
            the drawer where the document does.

            EXAMPLES
              kioskctl reprint 12
              kioskctl reprint 12 --to till-2 --wait
              kioskctl jobs --since 1h --name invoice
            """
    )

    @Argument(help: ArgumentHelp("The job's number.", valueName: "job"), completion: Completion.jobs)
    var id: Job.ID

    @Option(
        help: ArgumentHelp("The printer to print to, and no other.", valueName: "printer"),
        completion: Completion.printers, transform: Arguments.printer)
    var to: PrinterID?

    @Flag(help: "Wait until the new job is settled.")
    var wait = false

    @Option(help: ArgumentHelp("Seconds to wait at most; else as long as it takes.", valueName: "seconds"))
    var timeout: Int?

    @Option(help: ArgumentHelp("Asking the same again under this key makes no second job.", valueName: "key"))
    var idempotencyKey: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws { try JobWaiting.validate(timeout: timeout, wait: wait) }

    func run() async throws {
        let client = connection.client
        var parameters = ReprintParameters()
        parameters.printer = to
        parameters.idempotencyKey = idempotencyKey
        let job = try await client.reprint(id, parameters)
        if wait { return try await JobWaiting.finish(JobWaiting.copies(of: job), client, output, timeout: timeout) }
        try output.json ? Console.write(json: job, oneLine: true) : Console.writeLine(JobText.acceptance(job).shown)
    }
}
