public import PrintModel

/// The answer of `GET /v1/jobs`: newest first.
public struct JobList: Hashable, Sendable, Codable {
    public var jobs: [Job]
    /// What to ask for with `before` to get the next page; nil when this was the last.
    public var next: Job.ID?

    public init(jobs: [Job], next: Job.ID? = nil) {
        self.jobs = jobs
        self.next = next
    }
}
