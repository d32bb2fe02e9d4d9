/// What programs print to: printers in order of preference, the job type that they must do, and how jobs are handled.
public struct Role: Hashable, Sendable, Codable {
    public var name: RoleName
    /// The candidates, first preference first.
    public var printers: [PrinterID]
    /// Which of them gets a job.
    public var policy: PrinterPolicy
    /// The job type that a printer must support; nil asks for none.
    public var jobType: JobTypes?
    /// What a job's ticket leaves open.
    public var defaults: Ticket
    public var unconfirmed: UnconfirmedPolicy
    /// Seconds for which a job is worth printing; nil is the role's standard (`standardExpiry`).
    public var expiresAfter: Int?
    /// How long its jobs and their documents are kept.
    public var keep: Retention

    /// Which of a role's printers gets a job.
    public enum PrinterPolicy: String, Hashable, Sendable, Codable, CaseIterable {
        /// The first that is available and can print it.
        case failover
        /// Of those that are available and can print it the one with the fewest jobs before this one; of equals the
        /// first.
        case leastBusy = "least-busy"
        /// Each of them a copy: one job becomes as many as there are printers.
        case all
    }

    /// What becomes of a job whose fate cannot be known.
    public enum UnconfirmedPolicy: String, Hashable, Sendable, Codable, CaseIterable {
        /// An operator decides.
        case hold
        /// Again: twice is better than never.
        case reprint
        /// Never twice.
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
    /// The well-known roles need the job type of their name.
    public static func standardJobType(of name: RoleName) -> JobTypes? {
        switch name.rawValue {
        case "receipt", "label", "document": JobTypes(keyword: name.rawValue)
        default: nil
        }
    }

    /// A receipt is wanted now and a copy does little harm; a doubled label or document does.
    public static func standardPolicy(of name: RoleName) -> UnconfirmedPolicy {
        switch name.rawValue {
        case "receipt", "kitchen": .reprint
        default: .hold
        }
    }

    /// In seconds: a receipt 10 minutes, a label 1 hour, anything else 1 day.
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
                        forKey: .jobType, in: container, debugDescription: "\"\(keyword)\" is no job type"
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
