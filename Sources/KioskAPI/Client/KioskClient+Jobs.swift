import NIOCore
import NIOHTTP1
public import PrintModel

extension KioskClient {
    /// Submits a document. Returns once the daemon has it on disk, or, with `parameters.wait`, once the job is settled
    /// or that time is over. `progress` is told the bytes that have left, in order.
    public func submit(
        _ document: DocumentSource, _ parameters: SubmissionParameters,
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws -> Job {
        try parameters.check()
        var request = ClientRequest(
            method: .POST, path: parameters.path, headers: parameters.headers,
            timeout: timeout(wait: parameters.wait ?? 0), isRepeatable: parameters.idempotencyKey != nil
        )
        switch document.content {
        case .bytes(let bytes):
            request.body = .bytes(ByteBuffer(bytes: bytes))
        case .descriptor(let handle, let name):
            let reader = DocumentReader(handle, length: document.length, name: name, socket: socket)
            request.body = .document(reader, progress: progress)
            if document.length == nil { request.isRepeatable = false }
        }
        let answer = try checked(await exchange(request))
        if case .bytes(let bytes) = document.content { progress(Int64(bytes.count)) }
        return try value(of: answer, as: Job.self)
    }

    /// Submits a document to a role, with everything else as the role has it.
    public func submit(_ document: DocumentSource, to role: RoleName, wait: Duration = .zero) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = role
        parameters.wait = wait > .zero ? wait.wholeSeconds : nil
        return try await submit(document, parameters)
    }

    /// Newest first; `next` of the list is what to put into `filter.before` for the next page.
    public func jobs(_ filter: JobFilter = JobFilter()) async throws -> JobList {
        try await request(.GET, filter.path, as: JobList.self)
    }

    /// One job; with `wait`, once it is settled or that time is over.
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

    /// Cancels a job; returns it as it is then. What is on paper stays there.
    public func cancel(_ id: Job.ID) async throws -> Job {
        try await request(.DELETE, APIPaths.job(id), as: Job.self)
    }

    /// An operator's word that a held or unconfirmed job is to be printed again.
    public func release(_ id: Job.ID) async throws -> Job {
        try await request(.POST, APIPaths.release(id), as: Job.self)
    }

    /// Prints a final job's document again; returns the new job, which names its origin, once the daemon has it on
    /// disk.
    public func reprint(_ id: Job.ID, _ parameters: ReprintParameters = ReprintParameters()) async throws -> Job {
        let key = parameters.idempotencyKey.map { [(name: APIHeaders.idempotencyKey, value: $0)] } ?? []
        let request = ClientRequest(
            method: .POST, path: APIPaths.reprint(id) + parameters.suffix, headers: key,
            timeout: timeout(wait: parameters.wait ?? 0), isRepeatable: parameters.idempotencyKey != nil
        )
        return try value(of: checked(await exchange(request)), as: Job.self)
    }

    /// Every step of a job, with its times and evidence.
    public func timeline(of id: Job.ID) async throws -> JobTimeline {
        try await request(.GET, APIPaths.timeline(id), as: JobTimeline.self)
    }
}

extension Duration {
    /// Rounded up, and bounded by what a request can say.
    var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: max(0, min(seconds, Int64(Int32.max))) + (attoseconds > 0 ? 1 : 0))
    }
}
