/// How long final jobs and their documents are kept, as a role says it; what is nil is the standard.
///
/// A document lets its job be printed again. It goes when it is too old, or when the newer ones fill `size`; the job
/// goes later.
public struct Retention: Hashable, Sendable, Codable {
    /// Seconds for which a final job stays in the history.
    public var jobs: Int?
    /// Seconds for which a final job's document is kept; 0 keeps none.
    public var documents: Int?
    /// Bytes of final jobs' documents, all together.
    public var size: Int64?

    public init(jobs: Int? = nil, documents: Int? = nil, size: Int64? = nil) {
        self.jobs = jobs
        self.documents = documents
        self.size = size
    }
}

extension Retention {
    public static let standardJobs = 30 * 86_400
    public static let standardDocuments = 86_400
    public static let standardSize: Int64 = 200_000_000

    public var effectiveJobs: Int { jobs ?? Self.standardJobs }
    /// A document never outlives its job.
    public var effectiveDocuments: Int { min(documents ?? Self.standardDocuments, effectiveJobs) }
    public var effectiveSize: Int64 { size ?? Self.standardSize }
}
