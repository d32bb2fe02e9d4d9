public import KioskAPIMessages
public import KioskPrintModel

/// The calls for jobs: submit, list, wait, cancel, release, reprint, timeline.
extension KioskClient {
    /// Submits a document. Returns once the daemon has it on disk, or, with `parameters.wait`, once the job is settled
    /// or that time is over. `progress` is called with the number of bytes sent so far.
    ///
    /// Throws a `Problem` when a parameter is not valid, and a `KioskClientError` when the daemon cannot be reached,
    /// refuses the job (`code` is `refused`, and `problem` says why) or the document cannot be read. A wait of more
    /// than `APILimits.maximumWait` seconds takes several requests. Once the first has brought the job, a later one
    /// that fails throws nothing: the job is returned as it was last known, so that nobody sends it again.
    public func submit(
        _ document: DocumentSource, _ parameters: SubmissionParameters,
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws -> Job {
        let call = try APICall.submit(document, parameters)
        let job = try await perform(call, progress: progress)
        if case .bytes(let bytes) = call.body { progress(Int64(bytes.count)) }
        return try await settled(job, within: (parameters.wait ?? 0) - call.wait)
    }

    /// The accepted job once it is settled or these seconds are over; as it was last known where that fails.
    private func settled(_ job: Job, within seconds: Int) async throws -> Job {
        var (job, remaining) = (job, seconds)
        while remaining > 0, !job.isSettled {
            let wait = min(remaining, APILimits.maximumWait)
            do {
                job = try await self.job(job.id, wait: .seconds(wait))
            } catch is KioskClientError {
                break
            }
            remaining -= wait
        }
        return job
    }

    /// Submits a document to a role, with the role's defaults. Waits and throws as `submit(_:_:progress:)` does.
    public func submit(_ document: DocumentSource, to role: RoleName, wait: Duration = .zero) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = role
        parameters.wait = wait > .zero ? wait.wholeSeconds : nil
        return try await submit(document, parameters)
    }

    /// Lists jobs, newest first. The list's `next` as `filter.before` gives the next page.
    public func jobs(_ filter: JobQuery = JobQuery()) async throws -> JobList {
        try await perform(.jobs(filter))
    }

    /// Returns a job; with `wait`, once it is settled or that time is over.
    public func job(_ id: Job.ID, wait: Duration = .zero) async throws -> Job {
        var remaining = wait.wholeSeconds
        while true {
            let call = APICall.job(id, wait: remaining)
            let job = try await perform(call)
            remaining -= call.wait
            if job.isSettled || remaining <= 0 { return job }
        }
    }

    /// Cancels a job, and returns it as it is then. Paper that has come out stays out.
    public func cancel(_ id: Job.ID) async throws -> Job {
        try await perform(.cancel(id))
    }

    /// Prints a held or unconfirmed job again: an operator's decision.
    public func release(_ id: Job.ID) async throws -> Job {
        try await perform(.release(id))
    }

    /// Prints a final job's document again. Returns the new job, which names its origin, once the daemon has it on
    /// disk; waits as `submit(_:_:progress:)` does.
    public func reprint(_ id: Job.ID, _ parameters: ReprintParameters = ReprintParameters()) async throws -> Job {
        let call = APICall.reprint(id, parameters)
        return try await settled(perform(call), within: (parameters.wait ?? 0) - call.wait)
    }

    /// Returns every step of a job, with its times and evidence.
    public func timeline(of id: Job.ID) async throws -> JobTimeline {
        try await perform(.timeline(of: id))
    }
}

/// The calls for previews of receipts and documents.
extension KioskClient {
    /// Shows a receipt or a document as it would be printed: the bytes of a picture or of text, as `form` says. Nothing
    /// is printed or stored.
    public func preview(
        _ document: DocumentSource, _ parameters: PreviewParameters, as form: PreviewForm
    ) async throws -> [UInt8] {
        try await perform(.preview(document, parameters, as: form))
    }

    /// Shows a receipt in characters, with remarks on its parts that have no effect.
    public func preview(
        _ document: DocumentSource, _ parameters: PreviewParameters = PreviewParameters()
    ) async throws -> PreviewText {
        try await perform(.preview(document, parameters))
    }
    /// Shows the sheets on which a document would come out of the printer that `parameters` name, with remarks.
    public func sheets(of document: DocumentSource, _ parameters: PreviewParameters) async throws -> SheetList {
        try await perform(.sheets(of: document, parameters))
    }
}

// MARK: The partner (standby)

/// The calls of a kiosk to its partner.
extension KioskClient {
    /// Has the partner keep a job. Returns once that is on its disk.
    package func hold(_ job: StandbyJob, of node: String, _ id: Job.ID) async throws -> StandbyStanding {
        try await perform(.hold(job, of: node, id))
    }

    /// Tells the partner that a job has come to its end; it forgets the job.
    package func endStandby(of node: String, _ id: Job.ID, in queue: String) async throws {
        try await perform(.endStandby(of: node, id, in: queue))
    }

    /// What the partner has.
    package func standby(_ query: StandbyQuery) async throws -> StandbyList {
        try await perform(.standby(query))
    }
}
