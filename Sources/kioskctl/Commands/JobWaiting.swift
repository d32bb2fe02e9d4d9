import ArgumentParser
import KioskAPI
import PrintModel
import Terminal

/// Waiting until jobs are settled, and telling how each ended.
struct JobWaiting: Sendable {
    private let client: KioskClient
    private let output: OutputOptions
    private let end: ContinuousClock.Instant?

    /// `timeout` is in seconds from now, for all jobs together; nil waits as long as it takes.
    init(client: KioskClient, output: OutputOptions, timeout: Int?) {
        self.client = client
        self.output = output
        end = timeout.map { .now + .seconds($0) }
    }

    static func validate(timeout: Int?, wait: Bool) throws {
        guard let timeout else { return }
        guard wait else { throw ValidationError("--timeout bounds the waiting; add --wait.") }
        guard timeout > 0 else { throw ValidationError("--timeout is \(timeout); write seconds from 1.") }
    }

    /// The job, and the others of its group, of which no more is known here than their numbers.
    static func copies(of job: Job) -> [Job] {
        guard let group = job.group else { return [job] }
        return group.map { id in
            guard id != job.id else { return job }
            var copy = Job(
                id: id, name: job.name, role: job.role, printer: nil, user: job.user, format: job.format,
                documentLength: job.documentLength, ticket: job.ticket, createdAt: job.createdAt,
                expiresAt: job.expiresAt)
            copy.group = group
            return copy
        }
    }

    /// Waits for the jobs and shows how each ended; throws the worst exit code of any but success. Ctrl-C ends the
    /// waiting.
    static func finish(_ jobs: [Job], _ client: KioskClient, _ output: OutputOptions, timeout: Int?) async throws {
        let waiting = JobWaiting(client: client, output: output, timeout: timeout)
        let codes: [ExitCode]
        do {
            codes = try await Interruption.cancelling {
                var codes: [ExitCode] = []
                for job in jobs { codes.append(try await waiting.outcome(of: job)) }
                return codes
            }
        } catch is CancellationError {
            throw CommandFailure(message: interruption(jobs.map(\.id)), code: ExitStatus.interrupted)
        }
        if let worst = worst(of: codes) { throw worst }
    }

    /// What somebody must look at comes first.
    static func worst(of codes: [ExitCode]) -> ExitCode? {
        let order = [
            ExitStatus.jobUnconfirmed, ExitStatus.jobFailed, ExitStatus.jobCanceled, ExitStatus.jobUnsettled,
        ]
        return order.first { codes.contains($0) }
    }

    /// Waits for a job and shows its outcome; the exit code says it too.
    func outcome(of job: Job) async throws -> ExitCode {
        let job = try await settle(job)
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

    private func settle(_ job: Job) async throws -> Job {
        let slice = Console.isErrorTerminal ? Self.watchedSlice : Self.slice
        var job = job
        defer { Console.progress("") }
        while !job.isSettled {
            job = try await patiently(job, slice)
            guard remaining > .zero else { break }
            if !job.isSettled { Console.progress(JobText.outcome(job).shown) }
        }
        return job
    }

    /// How often a daemon that restarts is asked again, and how far apart: the job is on its disk.
    private static let tries = 120
    private static let pause = Duration.milliseconds(500)

    /// What is left of the timeout.
    private var remaining: Duration { end.map { max(.zero, $0 - .now) } ?? .seconds(Int64.max) }

    /// The job as it is now; as it was when the daemon stays away until the timeout.
    private func patiently(_ job: Job, _ slice: Duration) async throws -> Job {
        var tries = 0
        var isTold = false
        while true {
            do {
                return try await client.job(job.id, wait: min(slice, remaining))
            } catch let error as KioskClientError where Self.isAway(error) || error.retryAfter != nil {
                // One that answers at all may be asked for as long as it takes.
                if let pause = error.retryAfter {
                    if !isTold { Console.note("\(error.message); asking again every \(pause.components.seconds) s") }
                    isTold = true
                    try await Task.sleep(for: min(pause, remaining))
                    guard remaining > .zero else { return lastKnown(job, error) }
                    continue
                }
                tries += 1
                guard remaining > .zero else { return lastKnown(job, error) }
                guard tries <= Self.tries, error.code != .timedOut else { throw error }
                try await Task.sleep(for: min(Self.pause, remaining))
                guard remaining > .zero else { return lastKnown(job, error) }
            }
        }
    }

    private static func isAway(_ error: KioskClientError) -> Bool {
        [.daemonNotRunning, .connectionLost, .timedOut].contains(error.code)
    }

    private func lastKnown(_ job: Job, _ error: KioskClientError) -> Job {
        Console.note("\(error.message); what follows is the last that is known of the job")
        return job
    }

    /// What Ctrl-C leaves behind.
    static func interruption(_ ids: [Job.ID]) -> String { "interrupted: \(whatGoesOn(ids))" }

    static func whatGoesOn(_ ids: [Job.ID]) -> String {
        let numbers = ids.map { String($0) }.joined(separator: " ")
        guard let first = ids.first else { return "nothing was printed" }
        let jobs = ids.count == 1 ? "job \(first) goes on" : "jobs \(numbers) go on"
        return "\(jobs); see `kioskctl job \(first)`, or stop with `kioskctl cancel \(numbers)`"
    }
}
