/// A name that programs print to, with its printers in order of preference, the job type that they must support, and
/// the rules for its jobs.
public struct Role: Hashable, Sendable, Codable {
    public var name: RoleName
    /// The candidates, first preference first.
    public var printers: [PrinterID]
    /// The choice of the printer for a job.
    public var policy: PrinterPolicy
    /// The job type that a printer must support; nil for any.
    public var jobType: JobTypes?
    /// The defaults for what a job's ticket leaves open.
    public var defaults: Ticket
    public var unconfirmed: UnconfirmedPolicy
    /// Seconds until a job expires; nil is the role's default (`effectiveExpiry`).
    public var expiresAfter: Int?
    /// How long its jobs and their documents are stored.
    public var keep: Retention

    /// The policy that chooses the printer for a job.
    public enum PrinterPolicy: String, Hashable, Sendable, Codable, CaseIterable {
        /// The first one that is available and can print it.
        case failover
        /// The one with the fewest earlier jobs among those that are available and can print it; among equals the
        /// first.
        case leastBusy = "least-busy"
        /// All of them: each printer gets its own job.
        case all
    }

    /// The policy for an unconfirmed job.
    public enum UnconfirmedPolicy: String, Hashable, Sendable, Codable, CaseIterable {
        /// An operator decides.
        case hold
        /// Print it again: twice is better than never.
        case reprint
        /// Never print it twice.
        case drop
    }

    public init(
        name: RoleName, printers: [PrinterID], policy: PrinterPolicy = .failover, jobType: JobTypes? = nil,
        defaults: Ticket = Ticket(), unconfirmed: UnconfirmedPolicy? = nil, expiresAfter: Int? = nil,
        keep: Retention = Retention()
    ) {
        self.name = name
        self.printers = printers
        self.policy = policy
        self.jobType = jobType ?? Self.standardJobType(of: name)
        self.defaults = defaults
        self.unconfirmed = unconfirmed ?? Self.standardPolicy(of: name)
        self.expiresAfter = expiresAfter
        self.keep = keep
    }

    enum CodingKeys: String, CodingKey {
        case name, printers, policy
        case jobType = "job-type"
        case defaults, unconfirmed
        case expiresAfter = "expires-after"
        case keep
    }
}

extension Role {
    /// The job type that a well-known role requires: the one that it is named after.
    public static func standardJobType(of name: RoleName) -> JobTypes? {
        switch name.rawValue {
        case "receipt", "label", "document": JobTypes(keyword: name.rawValue)
        default: nil
        }
    }

    /// Receipts are reprinted: they are needed now, and a second one does little harm. A second label or document does.
    public static func standardPolicy(of name: RoleName) -> UnconfirmedPolicy {
        switch name.rawValue {
        case "receipt", "kitchen": .reprint
        default: .hold
        }
    }

    /// Seconds until a job expires. The default for a receipt is 10 minutes, for a label 1 hour, for anything else 1
    /// day.
    public var effectiveExpiry: Int {
        if let expiresAfter { return expiresAfter }
        return switch name.rawValue {
        case "receipt", "kitchen": 600
        case "label": 3600
        default: 86_400
        }
    }
}

extension Role {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            name: container.decode(RoleName.self, forKey: .name),
            printers: container.decode([PrinterID].self, forKey: .printers),
            policy: container.decodeIfPresent(PrinterPolicy.self, forKey: .policy) ?? .failover,
            jobType: container.decodeIfPresent(String.self, forKey: .jobType).map { keyword in
                guard let jobType = JobTypes(keyword: keyword) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .jobType, in: container, debugDescription: "\"\(keyword)\" is not a job type"
                    )
                }
                return jobType
            },
            defaults: container.decodeIfPresent(Ticket.self, forKey: .defaults) ?? Ticket(),
            unconfirmed: container.decodeIfPresent(UnconfirmedPolicy.self, forKey: .unconfirmed),
            expiresAfter: container.decodeIfPresent(Int.self, forKey: .expiresAfter),
            keep: container.decodeIfPresent(Retention.self, forKey: .keep) ?? Retention()
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(printers, forKey: .printers)
        if policy != .failover { try container.encode(policy, forKey: .policy) }
        try container.encodeIfPresent(jobType?.keywords.first, forKey: .jobType)
        if defaults != Ticket() { try container.encode(defaults, forKey: .defaults) }
        try container.encode(unconfirmed, forKey: .unconfirmed)
        try container.encodeIfPresent(expiresAfter, forKey: .expiresAfter)
        if keep != Retention() { try container.encode(keep, forKey: .keep) }
    }
}

/// How long a role's final jobs and their documents are stored; nil is the default.
///
/// While its document is stored, a job can be reprinted. A document is removed when it is too old, or when newer ones
/// fill `size`; the job is removed later.
public struct Retention: Hashable, Sendable, Codable {
    /// Seconds for which a final job stays in the history.
    public var jobs: Int?
    /// Seconds for which a final job's document is stored; 0 stores none.
    public var documents: Int?
    /// Total bytes of final jobs' documents.
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
