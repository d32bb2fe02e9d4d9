internal import ArgumentParser
internal import KioskAPI
internal import PrintModel
internal import Synchronization

/// One run of `kioskctl print`: sends documents in order, then waits for their jobs.
final class PrintRun: Sendable {
    struct Document: Sendable {
        var name: String
        var source: DocumentSource
        var parameters: SubmissionParameters
    }

    private enum Phase {
        case sending(String)
        case waiting([Job.ID])
    }

    private let client: KioskClient
    private let output: OutputOptions
    private let wait: Bool
    private let timeout: Int?
    private let phase = Mutex(Phase.waiting([]))

    init(client: KioskClient, output: OutputOptions, wait: Bool, timeout: Int?) {
        self.client = client
        self.output = output
        self.wait = wait
        self.timeout = timeout
    }

    /// What Ctrl-C leaves behind.
    var interruptionMessage: String {
        switch phase.withLock(\.self) {
        case .sending(let name):
            return "interrupted: \(name) was not sent whole, and nothing of it is printed"
        case .waiting(let ids):
            return JobWaiting.interruption(ids)
        }
    }

    /// The exit code of each job.
    func print(_ documents: [Document]) async throws -> [ExitCode] {
        var jobs: [Job] = []
        for document in documents {
            phase.withLock { $0 = .sending(document.name) }
            jobs.append(try await send(document))
        }
        guard wait else { return [] }
        var codes: [ExitCode] = []
        let waiting = JobWaiting(client: client, output: output, timeout: timeout)
        for (index, job) in jobs.enumerated() {
            phase.withLock { $0 = .waiting(jobs[index...].map(\.id)) }
            codes.append(try await waiting.outcome(of: job))
        }
        return codes
    }

    private func send(_ document: Document) async throws -> Job {
        let meter = ProgressMeter(name: document.name, length: document.source.length)
        let job = try await client.submit(document.source, document.parameters) { meter.update($0) }
        meter.clear()
        if output.json {
            if !wait { try Console.write(json: job, oneLine: true) }
        } else if !wait {
            Console.writeLine(JobText.acceptance(job).shown)
        }
        return job
    }
}
