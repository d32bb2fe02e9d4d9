import ArgumentParser
import KioskAPI
import PrintModel
import Synchronization
import Terminal

/// One run of `kioskctl print`: sends documents in order, then waits for their jobs.
final class PrintRun: Sendable {
    struct Document: Sendable {
        var name: String
        var source: DocumentSource
        var parameters: SubmissionParameters
    }

    private struct State {
        /// The document on its way.
        var sending: String?
        /// Accepted jobs whose outcome has not been shown.
        var open: [Job] = []
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

    /// What Ctrl-C leaves behind.
    var interruptionMessage: String {
        let state = state.withLock(\.self)
        let ids = state.open.map(\.id)
        guard let name = state.sending else { return "interrupted: \(JobWaiting.whatGoesOn(ids))" }
        let message = "interrupted: \(name) was not sent whole, and nothing of it is printed"
        return ids.isEmpty ? message : "\(message); \(JobWaiting.whatGoesOn(ids))"
    }

    /// Tells of the jobs that were accepted before the run failed: their documents print all the same.
    func showAccepted() throws {
        let jobs = state.withLock(\.open)
        guard let first = jobs.first else { return }
        let numbers = jobs.map { String($0.id) }.joined(separator: ", ")
        let words =
            jobs.count == 1 ? "job \(numbers) was accepted and goes on" : "jobs \(numbers) were accepted and go on"
        Console.note("\(words); see `kioskctl job \(first.id)`")
        try showOpen()
    }

    /// As JSON, what waiting would have shown later; without it each job was shown when it was accepted.
    func showOpen() throws {
        guard output.json, wait else { return }
        for job in state.withLock(\.open) { try Console.write(json: job, oneLine: true) }
    }

    /// The exit code of each job.
    func print(_ documents: [Document]) async throws -> [ExitCode] {
        var jobs: [Job] = []
        for document in documents {
            state.withLock { $0.sending = document.name }
            let job = try await send(document)
            let copies = JobWaiting.copies(of: job)
            state.withLock {
                $0.open += copies
                $0.sending = nil
            }
            jobs += copies
        }
        guard wait else { return [] }
        var codes: [ExitCode] = []
        let waiting = JobWaiting(client: client, output: output, timeout: timeout)
        for job in jobs {
            codes.append(try await waiting.outcome(of: job))
            state.withLock { $0.open.removeAll { $0.id == job.id } }
        }
        return codes
    }

    private func send(_ document: Document) async throws -> Job {
        let meter = ProgressMeter(name: document.name, length: document.source.length)
        let job: Job
        do {
            job = try await client.submit(document.source, document.parameters) { meter.update($0) }
        } catch let error as KioskClientError {
            throw error.about(document.name)
        }
        meter.clear()
        for remark in job.remarks ?? [] { Console.note("\(document.name):\(remark)") }
        if output.json {
            if !wait { try Console.write(json: job, oneLine: true) }
        } else if !wait {
            Console.writeLine(JobText.acceptance(job).shown)
        }
        return job
    }
}
