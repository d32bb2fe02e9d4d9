import ArgumentParser
import KioskAPI
import PrintModel
import Synchronization
import Terminal

struct PrintCommand: AsyncParsableCommand {
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
    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (role == nil) != (printer == nil) else {
            throw ValidationError("Say where to print: either --role <role> or --printer <id>.")
        }
        guard files.count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Standard input (-) can be printed only once.")
        }
        try JobWaiting.validate(timeout: timeout, wait: wait)
    }

    func run() async throws {
        // All files are opened first: if one cannot be opened, nothing is printed.
        let documents = try files.enumerated().map { index, file in
            PrintRun.Document(
                name: file,
                source: try file == "-" ? .standardInput() : .file(file),
                parameters: try parameters(file, index)
            )
        }
        let run = PrintRun(client: connection.client, output: output, wait: wait, timeout: timeout)
        let codes: [ExitCode]
        do {
            codes = try await Interruption.cancelling { try await run.print(documents) }
        } catch is CancellationError {
            try run.writeUnsettled()
            throw CommandFailure(message: run.interruptionMessage, code: ExitStatus.interrupted)
        } catch {
            try run.reportAccepted()
            throw error
        }
        if let worst = JobWaiting.worst(of: codes) { throw worst }
    }

    private func parameters(_ file: String, _ index: Int) throws -> SubmissionParameters {
        let baseName =
            file == "-"
            ? "standard input" : String(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...])
        var parameters = SubmissionParameters()
        parameters.role = role
        parameters.printer = printer
        parameters.name = name ?? baseName.withoutControlCharacters.prefix(utf8Count: APILimits.maximumName)
        parameters.format = type ?? DocumentFormat(fileName: baseName)
        parameters.ticket = ticket.ticket
        parameters.idempotencyKey = idempotencyKey.map { files.count > 1 ? "\($0)-\(index + 1)" : $0 }
        try parameters.check()
        return parameters
    }
}

/// One run of `kioskctl print`: sends documents in order, then waits for their jobs.
private final class PrintRun: Sendable {
    struct Document: Sendable {
        var name: String
        var source: DocumentSource
        var parameters: SubmissionParameters
    }

    private struct State {
        /// The name of the document that is being sent.
        var sending: String?
        /// The accepted jobs whose outcome has not been shown.
        var unsettled: [Job] = []
    }

    private let client: KioskClient
    private let output: OutputOptions
    private let wait: Bool
    private let timeout: Int?
    private let state = Mutex(State())

    init(client: KioskClient, output: OutputOptions, wait: Bool, timeout: Int?) {
        self.client = client
        self.output = output
        self.wait = wait
        self.timeout = timeout
    }

    /// The message on Ctrl-C: what was not sent and which jobs go on.
    var interruptionMessage: String {
        let state = state.withLock(\.self)
        let ids = state.unsettled.map(\.id)
        guard let name = state.sending else { return "interrupted: \(JobWaiting.continuation(of: ids))" }
        let message = "interrupted: \(name) was not sent whole, and nothing of it is printed"
        return ids.isEmpty ? message : "\(message); \(JobWaiting.continuation(of: ids))"
    }

    /// Shows the jobs that were accepted before the run failed: their documents are printed all the same.
    func reportAccepted() throws {
        let jobs = state.withLock(\.unsettled)
        guard let first = jobs.first else { return }
        let numbers = jobs.map { String($0.id) }.joined(separator: ", ")
        let words =
            jobs.count == 1 ? "job \(numbers) was accepted and goes on" : "jobs \(numbers) were accepted and go on"
        Console.writeMessage("\(words); see `kioskctl job \(first.id)`")
        try writeUnsettled()
    }

    /// Writes the unsettled jobs as JSON, which waiting would have done. Without waiting each job was written when it
    /// was accepted.
    func writeUnsettled() throws {
        guard output.json, wait else { return }
        for job in state.withLock(\.unsettled) { try Console.write(json: job, oneLine: true) }
    }

    /// Sends the documents and waits for their jobs. Returns the exit code of each job.
    func print(_ documents: [Document]) async throws -> [ExitCode] {
        var jobs: [Job] = []
        for document in documents {
            state.withLock { $0.sending = document.name }
            let job = try await send(document)
            let members = JobWaiting.groupMembers(of: job)
            state.withLock {
                $0.unsettled += members
                $0.sending = nil
            }
            jobs += members
        }
        guard wait else { return [] }
        var codes: [ExitCode] = []
        let waiting = JobWaiting(client: client, output: output, timeout: timeout)
        for job in jobs {
            codes.append(try await waiting.showOutcome(of: job))
            state.withLock { $0.unsettled.removeAll { $0.id == job.id } }
        }
        return codes
    }

    private func send(_ document: Document) async throws -> Job {
        let meter = ProgressMeter(name: document.name, length: document.source.length)
        let job: Job
        do {
            job = try await client.submit(document.source, document.parameters) { meter.update($0) }
        } catch let error as KioskClientError {
            throw error.inFile(document.name)
        }
        meter.clear()
        for remark in job.remarks ?? [] { Console.writeMessage("\(document.name):\(remark)") }
        if output.json {
            if !wait { try Console.write(json: job, oneLine: true) }
        } else if !wait {
            Console.writeLine(JobText.acceptance(job).terminalEscaped)
        }
        return job
    }
}

/// Shows the progress of sending a large document, on a terminal only.
private final class ProgressMeter: Sendable {
    /// The bytes below which no progress is shown: sending them takes too little time to read it.
    private static let minimumLength: Int64 = 4 << 20

    private let name: String
    private let length: Int64?
    private let shown = Mutex<Int64>(0)

    init(name: String, length: Int64?) {
        self.name = name
        self.length = length
    }

    func update(_ sent: Int64) {
        guard Console.isErrorTerminal, (length ?? sent) >= Self.minimumLength else { return }
        let isDue = shown.withLock { shown in
            guard sent - shown >= Self.minimumLength else { return false }
            shown = sent
            return true
        }
        guard isDue else { return }
        let total = length.map { " of \(Quantities.bytes($0)), \(sent * 100 / max(1, $0)) %" } ?? ""
        Console.progress("\(name.terminalEscaped): \(Quantities.bytes(sent))\(total)")
    }

    func clear() { Console.progress("") }
}
