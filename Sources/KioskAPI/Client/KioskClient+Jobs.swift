import NIOCore
import NIOHTTP1
public import PrintModel

/// The calls for jobs: submit, preview, list, wait, cancel, release, reprint, timeline.
extension KioskClient {
    /// Submits a document. Returns once the daemon has it on disk, or, with `parameters.wait`, once the job is settled
    /// or that time is over. `progress` is called with the number of bytes sent so far.
    public func submit(
        _ document: DocumentSource, _ parameters: SubmissionParameters,
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws -> Job {
        try parameters.check()
        let request = ClientRequest(
            method: .POST, path: parameters.path, headers: parameters.headers,
            body: document.requestBody(socket: socket, progress: progress),
            timeout: timeout(wait: parameters.wait ?? 0),
            isRepeatable: parameters.idempotencyKey != nil && document.isRepeatable
        )
        let response = try await send(request)
        if case .bytes(let bytes) = request.body { progress(Int64(bytes.readableBytes)) }
        return try value(of: response, as: Job.self)
    }

    /// Submits a document to a role, with the role's defaults.
    public func submit(_ document: DocumentSource, to role: RoleName, wait: Duration = .zero) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = role
        parameters.wait = wait > .zero ? wait.wholeSeconds : nil
        return try await submit(document, parameters)
    }

    /// Lists jobs, newest first. The list's `next` as `filter.before` gives the next page.
    public func jobs(_ filter: JobFilter = JobFilter()) async throws -> JobList {
        try await request(.GET, filter.path, as: JobList.self)
    }

    /// Returns a job; with `wait`, once it is settled or that time is over.
    public func job(_ id: Job.ID, wait: Duration = .zero) async throws -> Job {
        var remaining = wait.wholeSeconds
        while true {
            let seconds = min(remaining, APILimits.maximumWait)
            let query = seconds > 0 ? "?\(WaitParameter.key)=\(seconds)" : ""
            let job = try await request(.GET, APIPaths.job(id) + query, wait: seconds, as: Job.self)
            remaining -= seconds
            if job.isSettled || remaining <= 0 { return job }
        }
    }

    /// Cancels a job, and returns it as it is then. Paper that has come out stays out.
    public func cancel(_ id: Job.ID) async throws -> Job {
        try await request(.DELETE, APIPaths.job(id), as: Job.self)
    }

    /// Prints a held or unconfirmed job again: an operator's decision.
    public func release(_ id: Job.ID) async throws -> Job {
        try await request(.POST, APIPaths.release(id), as: Job.self)
    }

    /// Prints a final job's document again. Returns the new job, which names its origin, once the daemon has it on
    /// disk.
    public func reprint(_ id: Job.ID, _ parameters: ReprintParameters = ReprintParameters()) async throws -> Job {
        let key = parameters.idempotencyKey.map { [(name: APIHeaders.idempotencyKey, value: $0)] } ?? []
        let request = ClientRequest(
            method: .POST, path: APIPaths.reprint(id) + parameters.suffix, headers: key,
            timeout: timeout(wait: parameters.wait ?? 0), isRepeatable: parameters.idempotencyKey != nil
        )
        return try value(of: await send(request), as: Job.self)
    }

    /// Returns every step of a job, with its times and evidence.
    public func timeline(of id: Job.ID) async throws -> JobTimeline {
        try await request(.GET, APIPaths.timeline(id), as: JobTimeline.self)
    }
}

// MARK: - Previews

extension KioskClient {
    /// Shows a receipt as it would be printed: the bytes of a picture or of text, as `form` says. Nothing is printed or
    /// stored.
    public func preview(
        _ document: DocumentSource, _ parameters: PreviewParameters, as form: PreviewForm
    ) async throws -> [UInt8] {
        Array(try await previewResponse(document, parameters, form).body.readableBytesView)
    }

    /// Shows a receipt in characters, with remarks on its parts that have no effect.
    public func preview(
        _ document: DocumentSource, _ parameters: PreviewParameters = PreviewParameters()
    ) async throws -> PreviewText {
        try value(of: await previewResponse(document, parameters, .json), as: PreviewText.self)
    }

    private func previewResponse(
        _ document: DocumentSource, _ parameters: PreviewParameters, _ form: PreviewForm
    ) async throws -> ClientResponse {
        var request = ClientRequest(
            method: .POST, path: parameters.path, headers: [("Accept", form.rawValue)],
            body: document.requestBody(socket: socket, progress: { _ in }), timeout: timeout(wait: 0),
            isRepeatable: document.isRepeatable)
        if let format = parameters.format { request.headers.append(("Content-Type", format.mimeType)) }
        return try await send(request)
    }

    /// The same document in memory, if it could be read only once. A document longer than any receipt is cut.
    package func rereadable(_ document: DocumentSource) async throws -> DocumentSource {
        try await document.rereadable(limit: Self.maximumReceiptLength, socket: socket)
    }

    /// More bytes than the daemon accepts for a receipt.
    private static let maximumReceiptLength = 8 << 20
}

extension Duration {
    /// The duration in seconds, rounded up and limited to what a request can say.
    fileprivate var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: max(0, min(seconds, Int64(Int32.max))) + (attoseconds > 0 ? 1 : 0))
    }
}
