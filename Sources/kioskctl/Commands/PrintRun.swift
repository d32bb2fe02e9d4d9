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
            let numbers = ids.map { String($0) }.joined(separator: " ")
            guard let first = ids.first else { return "interrupted: nothing was printed" }
            let jobs = ids.count == 1 ? "job \(first) goes on" : "jobs \(numbers) go on"
            return "interrupted: \(jobs); see `kioskctl job \(first)`, or stop with `kioskctl cancel \(numbers)`"
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
        let end = timeout.map { ContinuousClock.now + .seconds($0) }
        for (index, job) in jobs.enumerated() {
            phase.withLock { $0 = .waiting(jobs[index...].map(\.id)) }
            codes.append(try show(outcome: await settle(job, end: end)))
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

    private func show(outcome job: Job) throws -> ExitCode {
        let code = JobText.exitStatus(job)
        if output.json {
            try Console.write(json: job, oneLine: true)
        } else if code == .success {
            Console.writeLine(JobText.outcome(job).shown)
        } else {
            Console.note(JobText.outcome(job))
        }
        return code
    }

    /// How long one request waits: short where somebody watches the state change.
    private static let slice = Duration.seconds(APILimits.maximumWait)
    private static let watchedSlice = Duration.seconds(1)

    private func settle(_ job: Job, end: ContinuousClock.Instant?) async throws -> Job {
        let slice = Console.isErrorTerminal ? Self.watchedSlice : Self.slice
        var job = job
        defer { Console.progress("") }
        while !job.isSettled {
            let remaining = end.map { max(.zero, $0 - .now) } ?? slice
            job = try await patiently { try await client.job(job.id, wait: min(slice, remaining)) }
            guard end.map({ ContinuousClock.now < $0 }) ?? true else { break }
            if !job.isSettled { Console.progress(JobText.outcome(job).shown) }
        }
        return job
    }

    /// How often a daemon that restarts is asked again, and how far apart: the job is on its disk.
    private static let tries = 120
    private static let pause = Duration.milliseconds(500)

    private func patiently(_ question: () async throws -> Job) async throws -> Job {
        for _ in 0..<Self.tries {
            do {
                return try await question()
            } catch let error as KioskClientError where [.daemonNotRunning, .connectionLost].contains(error.code) {
                try await Task.sleep(for: Self.pause)
            }
        }
        return try await question()
    }
}
