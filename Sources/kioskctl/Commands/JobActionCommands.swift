import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

/// The arguments of commands that act on several jobs.
struct JobActions: ParsableArguments {
    @Argument(help: ArgumentHelp("The jobs' numbers.", valueName: "job"), completion: Completion.jobs)
    var ids: [Job.ID]

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    /// Does `action` with each job, and shows each refusal. Fails at the end if there was one.
    func run(_ action: (BlockingClient, Job.ID) throws -> Job) throws {
        let client = try connection.client
        var failures: [ExitCode] = []
        for id in ids {
            do {
                let job = try action(client, id)
                try output.json
                    ? Console.write(json: job, oneLine: true) : Console.writeLine(JobText.outcome(job).terminalEscaped)
            } catch let error as KioskClientError where error.code == .refused {
                Console.writeMessage(error.message)
                failures.append(error.problem?.code == .notAllowed ? ExitStatus.noPermission : ExitStatus.failed)
            }
        }
        if let first = failures.first { throw failures.allSatisfy { $0 == first } ? first : ExitStatus.failed }
    }
}

struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel jobs.",
        discussion: """
            What is on paper stays there: the job then tells that paper may have come out. \
            One's own jobs; everybody's for operators, and where the queue is shared.

            EXAMPLES
              kioskctl cancel 12
              kioskctl cancel 12 13 14
            """
    )

    @OptionGroup var jobs: JobActions

    func run() throws { try jobs.run { try $0.perform(.cancel($1)) } }
}

struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Print held jobs again, after a look at the paper.",
        discussion: """
            A job whose fate cannot be known is held where printing twice would do harm. This says: print it again. \
            One's own jobs; everybody's for operators, and where the queue is shared.

            EXAMPLES
              kioskctl jobs --state pending-held
              kioskctl release 12
            """
    )

    @OptionGroup var jobs: JobActions

    func run() throws { try jobs.run { try $0.perform(.release($1)) } }
}

struct ReprintCommand: ParsableCommand {
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

    func run() throws {
        let client = try connection.client
        var parameters = ReprintParameters()
        parameters.printer = to
        parameters.idempotencyKey = idempotencyKey
        let job = try client.reprint(id, parameters)
        if wait {
            return try JobWaiting.showOutcomes(
                of: JobWaiting.groupMembers(of: job), client, output, timeout: timeout)
        }
        try output.json
            ? Console.write(json: job, oneLine: true) : Console.writeLine(JobText.acceptance(job).terminalEscaped)
    }
}
