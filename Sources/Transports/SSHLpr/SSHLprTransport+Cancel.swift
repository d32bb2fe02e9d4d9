public import PrintModel
import SSH

extension SSHLprTransport {
    /// The queue is asked before and after: LPRng and BSD have no other word for "removed", and give numbers to other
    /// jobs.
    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        try await call(printer) { client in
            guard let id = LprJobID(job) else { throw client.unknownJob(job) }
            let owner = JobOwner.make(job.origin?.user)
            let (dialect, _) = try await client.facts()
            let before = try await client.listing(dialect, owner: owner)
            guard JobReport(id, in: before) != nil else { throw client.notInQueue(id, before) }
            try await client.remove(id, dialect, owner: owner)
        }
    }
}

extension QueueClient {
    fileprivate func remove(_ job: LprJobID, _ dialect: LprSettings.Dialect, owner: String) async throws {
        var command = ShellScript.removal(dialect).command([queue, ShellWord.coded(owner), job.number])
        command.total = deadlines.question
        let result = try await host.live.run(command)
        guard let lines = result.answer, result.exit != .status(RemoteStatus.programMissing) else {
            throw failure(of: result, "lprm")
        }
        let after = try await listing(dialect, owner: owner)
        guard JobReport(job, in: after) != nil else {
            // CUPS's lprm fails where the job had ended before it came.
            if after.wouldShow(job), dialect != .cups || result.exit == .status(0) { return }
            throw notInQueue(job, after)
        }
        let words = lines.joined(separator: " ").withoutControlCharacters.prefix(utf8Count: 300)
        throw TransportError(
            .accessDenied, operation: "lprm",
            message: "\(printer): the host did not remove job \(job.number) (\(words)); remove it there by hand",
            underlying: result.exit.native, remoteJob: job.remoteJob
        )
    }

    fileprivate func notInQueue(_ job: LprJobID, _ listing: QueueListing) -> TransportError {
        let words =
            listing.wouldShow(job)
            ? "job \(job.number) is not in the queue any more"
            : "whether job \(job.number) is in the queue cannot be told\(listing.saying)"
        return TransportError(
            .outcomeUnknown, operation: "lprm", message: "\(printer): \(words); look whether it printed",
            remoteJob: job.remoteJob
        )
    }
}
