import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

/// Waits until jobs are settled, and shows how each ended.
struct JobWaiting {
    private let client: BlockingClient
    private let json: Bool
    private let end: ContinuousClock.Instant?

    /// `timeout` is in seconds from now, for all jobs together; nil waits without limit.
    init(client: BlockingClient, json: Bool, timeout: Int?) {
        self.client = client
        self.json = json
        end = timeout.map { .now + .seconds($0) }
    }

    static func validate(timeout: Int?, wait: Bool) throws {
        guard let timeout else { return }
        guard wait else { throw ValidationError("--timeout bounds the waiting; add --wait.") }
        guard timeout > 0 else { throw ValidationError("--timeout is \(timeout); write seconds from 1.") }
    }

    /// The jobs of a job's group. Of the others only the ids are known here: they are made from this one.
    static func groupMembers(of job: Job) -> [Job] {
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

    /// Waits for jobs and shows how each ended. Throws the worst exit code unless all completed. Ctrl-C ends the
    /// waiting.
    static func showOutcomes(of jobs: [Job], _ client: BlockingClient, _ output: OutputOptions, timeout: Int?) throws {
        let waiting = JobWaiting(client: client, json: output.json, timeout: timeout)
        let codes: [ExitCode]
        do {
            codes = try Interruption.cancelling {
                var codes: [ExitCode] = []
                for job in jobs { codes.append(try waiting.showOutcome(of: job)) }
                return codes
            }
        } catch is CancellationError {
            throw CommandFailure(
                message: "interrupted: \(continuation(of: jobs.map(\.id)))", code: ExitStatus.interrupted)
        }
        if let worst = worst(of: codes) { throw worst }
    }

    /// The worst of the exit codes; nil if all are success. The worst job is the one that needs a person's attention.
    static func worst(of codes: [ExitCode]) -> ExitCode? {
        let order = [
            ExitStatus.jobUnconfirmed, ExitStatus.jobFailed, ExitStatus.jobCanceled, ExitStatus.jobUnsettled,
        ]
        return order.first { codes.contains($0) }
    }

    /// Waits for a job, shows its outcome and returns its exit code.
    func showOutcome(of accepted: Job) throws -> ExitCode {
        let job = try settle(accepted)
        let code = ExitStatus.code(of: job)
        // What its printer lacked is known only now: what was left out is told beside "completed".
        let known = accepted.remarks ?? []
        for remark in job.remarks ?? [] where !json && !known.contains(remark) {
            Console.writeMessage("job \(job.id): \(remark)")
        }
        let obstacle = obstacle(of: job)
        if json {
            try Console.write(json: job, oneLine: true)
        } else if code == .success {
            Console.writeLine(JobText.outcome(job).terminalEscaped)
        } else {
            Console.writeMessage(JobText.outcome(job, obstacle: obstacle))
        }
        return code
    }

    /// Why a pending job is not printed, by the state of each of its printers; nil where one of them would take it, or
    /// where the job itself says more.
    private func obstacle(of job: Job) -> String? {
        guard job.state == .pending, job.message?.isEmpty != false, job.stateReasons.isEmpty, job.isWithheld != true
        else { return nil }
        let printers: [PrinterStatus]
        if let printer = job.printer {
            guard let status = try? client.perform(.printer(printer)) else { return nil }
            printers = [status]
        } else {
            var filter = PrinterFilter()
            filter.role = job.role
            guard let role = job.role, let list = try? client.perform(.printers(filter)) else { return nil }
            printers = list.printers
            guard !printers.isEmpty else {
                return "role \(role) has no printer; give it one with `kioskctl roles assign \(role) PRINTER`"
            }
        }
        guard printers.allSatisfy({ !$0.availability.isAvailable }) else { return nil }
        return printers.map(PrinterText.obstacle).joined(separator: "; ")
    }

    /// How long one request waits: short on a terminal, where the state is shown as it changes.
    private static let requestWait = Duration.seconds(APILimits.maximumWait)
    private static let terminalRequestWait = Duration.seconds(1)
    /// After so long a job that nobody prints is told of, once.
    private static let firstRequestWait = Duration.seconds(3)

    private func settle(_ job: Job) throws -> Job {
        var job = job
        var isTold = Console.isErrorTerminal
        var wait = isTold ? Self.terminalRequestWait : Self.firstRequestWait
        defer { Console.progress("") }
        while !job.isSettled {
            job = try fetch(job, wait: wait)
            guard remaining > .zero, !job.isSettled else { break }
            let obstacle = obstacle(of: job)
            Console.progress(JobText.outcome(job, obstacle: obstacle).terminalEscaped)
            if !isTold {
                isTold = true
                wait = Self.requestWait
                if obstacle != nil { Console.writeMessage(JobText.outcome(job, obstacle: obstacle)) }
            }
        }
        return job
    }

    /// How often a daemon that restarts is tried again, and the delay in between. The job is on the daemon's disk.
    private static let tries = 120
    private static let pause = Duration.milliseconds(500)

    /// The rest of the timeout.
    private var remaining: Duration { end.map { max(.zero, $0 - .now) } ?? .seconds(Int64.max) }

    /// The job as it is after up to `wait`. Tries again while the daemon does not respond; the job as it was, if that
    /// lasts until the timeout.
    private func fetch(_ job: Job, wait: Duration) throws -> Job {
        var tries = 0
        var isReported = false
        while true {
            do {
                return try client.job(job.id, wait: min(wait, remaining))
            } catch let error as KioskClientError where Self.isUnavailable(error) || error.retryAfter != nil {
                // A daemon that responds is tried without limit.
                if let pause = error.retryAfter {
                    if !isReported {
                        Console.writeMessage("\(error.message); asking again every \(pause.components.seconds) s")
                    }
                    isReported = true
                    try Interruption.sleep(for: min(pause, remaining))
                    guard remaining > .zero else { return lastKnown(job, error) }
                    continue
                }
                tries += 1
                guard remaining > .zero else { return lastKnown(job, error) }
                guard tries <= Self.tries, error.code != .timedOut else { throw error }
                try Interruption.sleep(for: min(Self.pause, remaining))
                guard remaining > .zero else { return lastKnown(job, error) }
            }
        }
    }

    private static func isUnavailable(_ error: KioskClientError) -> Bool {
        [.daemonNotRunning, .connectionLost, .timedOut].contains(error.code)
    }

    private func lastKnown(_ job: Job, _ error: KioskClientError) -> Job {
        Console.writeMessage("\(error.message); what follows is the last that is known of the job")
        return job
    }

    /// The message on Ctrl-C: which jobs go on.
    static func continuation(of ids: [Job.ID]) -> String {
        let numbers = ids.map { String($0) }.joined(separator: " ")
        guard let first = ids.first else { return "nothing was printed" }
        let jobs = ids.count == 1 ? "job \(first) goes on" : "jobs \(numbers) go on"
        return "\(jobs); see `kioskctl job \(first)`, or stop with `kioskctl cancel \(numbers)`"
    }
}
