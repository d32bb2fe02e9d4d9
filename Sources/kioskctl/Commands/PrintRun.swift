import ArgumentParser
import Glibc
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

/// What `kioskctl print` is asked to do.
struct PrintRequest: Equatable {
    /// The files' names, of which - is standard input.
    var files: [String]
    var role: RoleName?
    var printer: PrinterID?
    var format: DocumentFormat?
    /// What the jobs are called; nil calls each as its file.
    var name: String?
    var wait = false
    /// In seconds; nil waits as long as it takes.
    var timeout: Int?
    var idempotencyKey: String?
    var ticket = Ticket()
    /// The file with the job's PIN, which no command line shows.
    var passwordFile: String?
    var passwordEncryption: String?
    /// The file with the password of an encrypted document.
    var documentPasswordFile: String?
    var json = false
    var connection: DaemonChoice

    /// Prints the files, and waits if that is asked for. Throws the worst exit code unless all jobs completed.
    func run() throws {
        // All files are opened first: if one cannot be opened, nothing is printed.
        var ticket = ticket
        if let passwordFile {
            ticket.jobPassword = try PasswordFile.read(passwordFile, of: "the PIN")
            ticket.jobPasswordEncryption = passwordEncryption
        }
        if let documentPasswordFile {
            ticket.documentPassword = try PasswordFile.read(documentPasswordFile, of: "the password")
        }
        let documents = try files.enumerated().map { index, file in
            PrintRun.Document(
                name: file,
                source: try file == "-" ? .standardInput() : .file(file),
                parameters: try parameters(file, index, ticket)
            )
        }
        let run = PrintRun(self, BlockingClient(address: try connection.address()))
        let codes: [ExitCode]
        do {
            codes = try Interruption.cancelling { try run.print(documents) }
        } catch is CancellationError {
            try run.writeUnsettled()
            throw CommandFailure(message: run.interruptionMessage, code: ExitStatus.interrupted)
        } catch {
            try run.reportAccepted()
            throw error
        }
        if let worst = JobWaiting.worst(of: codes) { throw worst }
    }

    private func parameters(_ file: String, _ index: Int, _ ticket: Ticket) throws -> SubmissionParameters {
        let baseName =
            file == "-"
            ? "standard input" : String(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...])
        var parameters = SubmissionParameters()
        parameters.role = role
        parameters.printer = printer
        parameters.name = name ?? baseName.withoutControlCharacters.prefix(utf8Count: APILimits.maximumName)
        parameters.format = format ?? DocumentFormat(fileName: baseName)
        parameters.ticket = ticket
        parameters.idempotencyKey = idempotencyKey.map { files.count > 1 ? "\($0)-\(index + 1)" : $0 }
        try parameters.check()
        return parameters
    }
}

/// One run of `kioskctl print`: sends documents in order, then waits for their jobs.
private final class PrintRun {
    struct Document {
        var name: String
        var source: DocumentSource
        var parameters: SubmissionParameters
    }

    private let request: PrintRequest
    private let client: BlockingClient
    /// The name of the document that is being sent.
    private var sending: String?
    /// The accepted jobs whose outcome has not been shown.
    private var unsettled: [Job] = []

    init(_ request: PrintRequest, _ client: BlockingClient) {
        self.request = request
        self.client = client
    }

    /// The message on Ctrl-C: what was not sent and which jobs go on.
    var interruptionMessage: String {
        let ids = unsettled.map(\.id)
        guard let name = sending else { return "interrupted: \(JobWaiting.continuation(of: ids))" }
        let message = "interrupted: \(name) was not sent whole, and nothing of it is printed"
        return ids.isEmpty ? message : "\(message); \(JobWaiting.continuation(of: ids))"
    }

    /// Shows the jobs that were accepted before the run failed: their documents are printed all the same.
    func reportAccepted() throws {
        guard let first = unsettled.first else { return }
        let numbers = unsettled.map { String($0.id) }.joined(separator: ", ")
        let words =
            unsettled.count == 1 ? "job \(numbers) was accepted and goes on" : "jobs \(numbers) were accepted and go on"
        Console.writeMessage("\(words); see `kioskctl job \(first.id)`")
        try writeUnsettled()
    }

    /// Writes the unsettled jobs as JSON, which waiting would have done. Without waiting each job was written when it
    /// was accepted.
    func writeUnsettled() throws {
        guard request.json, request.wait else { return }
        for job in unsettled { try Console.write(json: job, oneLine: true) }
    }

    /// Sends the documents and waits for their jobs. Returns the exit code of each job.
    func print(_ documents: [Document]) throws -> [ExitCode] {
        var jobs: [Job] = []
        for document in documents {
            sending = document.name
            let job = try send(document)
            let members = JobWaiting.groupMembers(of: job)
            unsettled += members
            sending = nil
            jobs += members
        }
        guard request.wait else { return [] }
        var codes: [ExitCode] = []
        let waiting = JobWaiting(client: client, json: request.json, timeout: request.timeout)
        for job in jobs {
            codes.append(try waiting.showOutcome(of: job))
            unsettled.removeAll { $0.id == job.id }
        }
        return codes
    }

    private func send(_ document: Document) throws -> Job {
        var meter = ProgressMeter(name: document.name, length: document.source.length)
        let job: Job
        do {
            job = try client.submit(document.source, document.parameters) { meter.update($0) }
        } catch let error as KioskClientError {
            throw error.inFile(document.name)
        }
        meter.clear()
        for remark in job.remarks ?? [] { Console.writeMessage("\(document.name):\(remark)") }
        if request.json {
            if !request.wait { try Console.write(json: job, oneLine: true) }
        } else if !request.wait {
            Console.writeLine(JobText.acceptance(job).terminalEscaped)
        }
        return job
    }
}

/// A file with a secret, which no command line shows.
enum PasswordFile {
    /// The first line. Messages say `what` it is. Where it `isPrivate`, a file that every user can read is
    /// refused, and one that is not UTF-8.
    static func read(_ path: String, of what: String, isPrivate: Bool = false) throws -> Secret {
        guard let file = fopen(path, "re") else {
            throw CommandFailure(
                message: "\(path): \(what) cannot be read: \(String(cString: strerror(errno)))", code: ExitStatus.failed
            )
        }
        defer { fclose(file) }
        var status = stat()
        if isPrivate, fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o007 != 0
        {
            throw CommandFailure(
                message: "\(path): every user of this machine can read \(what); change that with `chmod o= \(path)`",
                code: ExitStatus.failed)
        }
        var buffer = [CChar](repeating: 0, count: maximumLength)
        guard fgets(&buffer, CInt(buffer.count), file) != nil else {
            throw CommandFailure(
                message: "\(path): the file is empty; write \(what) in its first line", code: ExitStatus.failed)
        }
        let line = buffer.prefix { $0 != 0 && $0 != 10 && $0 != 13 }.map { UInt8(bitPattern: $0) }
        guard let text = String(validating: line, as: UTF8.self) else {
            guard !isPrivate else {
                throw CommandFailure(
                    message:
                        "\(path): \(what) is not text in UTF-8; make one that is with `openssl rand -base64 24 > \(path)`",
                    code: ExitStatus.failed)
            }
            return Secret(String(decoding: line, as: UTF8.self))
        }
        return Secret(text)
    }

    /// More than any of them has.
    private static let maximumLength = 1024
}

/// Shows the progress of sending a large document, on a terminal only.
private struct ProgressMeter {
    /// The bytes below which no progress is shown: sending them takes too little time to read it.
    private static let minimumLength: Int64 = 4 << 20

    private let name: String
    private let length: Int64?
    private var shown: Int64 = 0

    init(name: String, length: Int64?) {
        self.name = name
        self.length = length
    }

    mutating func update(_ sent: Int64) {
        guard Console.isErrorTerminal, (length ?? sent) >= Self.minimumLength else { return }
        guard sent - shown >= Self.minimumLength else { return }
        shown = sent
        let total = length.map { " of \(Quantities.bytes($0)), \(sent * 100 / max(1, $0)) %" } ?? ""
        Console.progress("\(name.terminalEscaped): \(Quantities.bytes(sent))\(total)")
    }

    func clear() { Console.progress("") }
}
