// What the registry stores: printers and roles, and the names that a site gives them.

/// A printer in the registry.
public struct SavedPrinter: Hashable, Sendable, Codable, Identifiable {
    /// The id that the site gave it.
    public var id: PrinterID
    /// Its address, which selects the transport.
    public var url: PrinterURL
    /// Its name for people; nil shows the id.
    public var name: String?
    /// Where it stands, for people; nil shows what the printer reports.
    public var location: String?
    /// The printer model profile, by name.
    public var profile: String?
    /// Overrides the job types that a contact reports; nil believes the printer.
    public var jobTypes: JobTypes?
    /// The name of the credentials to log in with; the secret itself is stored elsewhere.
    public var credentials: String?
    /// How its identity is verified; nil is `system`.
    public var trust: Trust?
    /// Whether its login may go over a connection that others can read; the file has to say so. Nil means no.
    public var allowsPlainLogin: Bool?

    /// Creates an entry.
    public init(
        id: PrinterID, url: PrinterURL, name: String? = nil, location: String? = nil, profile: String? = nil,
        jobTypes: JobTypes? = nil, credentials: String? = nil, trust: Trust? = nil, allowsPlainLogin: Bool? = nil
    ) {
        self.id = id
        self.url = url
        self.name = name
        self.location = location
        self.profile = profile
        self.jobTypes = jobTypes
        self.credentials = credentials
        self.trust = trust
        self.allowsPlainLogin = allowsPlainLogin
    }

    enum CodingKeys: String, CodingKey {
        case id, url, name, location, profile
        case jobTypes = "job-types"
        case credentials, trust
        case allowsPlainLogin = "login-without-tls"
    }

    /// The part of the entry that a transport needs.
    public var target: PrinterTarget {
        PrinterTarget(
            url: url, credentials: credentials, trust: trust ?? .system, allowsPlainLogin: allowsPlainLogin ?? false,
            profile: profile
        )
    }
}

/// What a transport needs to reach a printer.
public struct PrinterTarget: Hashable, Sendable {
    /// Its address, which selects the transport.
    public var url: PrinterURL
    /// The name of the credentials to log in with, from the registry; never the secret itself.
    public var credentials: String?
    /// How its identity is verified, where the connection can prove one.
    public var trust: Trust
    /// Whether a login may go over a connection that others can read.
    public var allowsPlainLogin: Bool
    /// The name of its profile in the registry.
    public var profile: String?

    /// Creates a target.
    public init(
        url: PrinterURL, credentials: String? = nil, trust: Trust = .system, allowsPlainLogin: Bool = false,
        profile: String? = nil
    ) {
        self.url = url
        self.credentials = credentials
        self.trust = trust
        self.allowsPlainLogin = allowsPlainLogin
        self.profile = profile
    }
}

/// A name that programs print to, with its printers in order of preference, the job type that they must support, and
/// the rules for its jobs.
public struct Role: Hashable, Sendable, Codable {
    /// The name that programs print to.
    public var name: RoleName
    /// The candidates, first preference first.
    public var printers: [PrinterID]
    /// The choice of the printer for a job.
    public var policy: PrinterPolicy
    /// The job type that a printer must support; nil for any.
    public var jobType: JobTypes?
    /// The defaults for what a job's ticket leaves open.
    public var defaults: Ticket
    /// What happens to a job of which nobody can know whether it was printed.
    public var unconfirmed: UnconfirmedPolicy
    /// Seconds until a job expires; nil is the role's default (`effectiveExpiry`).
    public var expiresAfter: Int?
    /// The most pages of a job, as sides of sheets and of all copies; nil is no limit.
    public var pageLimit: Int?
    /// Whether its jobs are kept at the kiosk's partner too, which takes them over where this kiosk falls silent.
    public var mirror: Bool
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

    /// Creates a role; nil for `jobType` and `unconfirmed` means the standard of a well-known name.
    public init(
        name: RoleName, printers: [PrinterID], policy: PrinterPolicy = .failover, jobType: JobTypes? = nil,
        defaults: Ticket = Ticket(), unconfirmed: UnconfirmedPolicy? = nil, expiresAfter: Int? = nil,
        pageLimit: Int? = nil, mirror: Bool = false, keep: Retention = Retention()
    ) {
        self.name = name
        self.printers = printers
        self.policy = policy
        self.pageLimit = pageLimit
        self.mirror = mirror
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
        case pageLimit = "page-limit"
        case mirror, keep
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
    /// Decodes a role; keys that are missing have their defaults.
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
            pageLimit: container.decodeIfPresent(Int.self, forKey: .pageLimit),
            mirror: container.decodeIfPresent(Bool.self, forKey: .mirror) ?? false,
            keep: container.decodeIfPresent(Retention.self, forKey: .keep) ?? Retention()
        )
    }

    /// Encodes the keys that differ from their defaults.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(printers, forKey: .printers)
        if policy != .failover { try container.encode(policy, forKey: .policy) }
        try container.encodeIfPresent(jobType?.keywords.first, forKey: .jobType)
        if defaults != Ticket() { try container.encode(defaults, forKey: .defaults) }
        try container.encode(unconfirmed, forKey: .unconfirmed)
        try container.encodeIfPresent(expiresAfter, forKey: .expiresAfter)
        try container.encodeIfPresent(pageLimit, forKey: .pageLimit)
        if mirror { try container.encode(mirror, forKey: .mirror) }
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

    /// Creates a retention.
    public init(jobs: Int? = nil, documents: Int? = nil, size: Int64? = nil) {
        self.jobs = jobs
        self.documents = documents
        self.size = size
    }
}

extension Retention {
    /// The default of `jobs`, in seconds: 30 days.
    public static let standardJobs = 30 * 86_400
    /// The default of `documents`, in seconds: one day.
    public static let standardDocuments = 86_400
    /// The default of `size`, in bytes: 200 MB.
    public static let standardSize: Int64 = 200_000_000

    /// Seconds for which a final job stays in the history.
    public var effectiveJobs: Int { jobs ?? Self.standardJobs }
    /// A document never outlives its job.
    public var effectiveDocuments: Int { min(documents ?? Self.standardDocuments, effectiveJobs) }
    /// Total bytes of final jobs' documents.
    public var effectiveSize: Int64 { size ?? Self.standardSize }
}

// MARK: - Names

/// A kebab-case name that people give: lower-case letters and digits in words joined by single hyphens.
public protocol KebabCaseName: Hashable, Sendable, Codable, CustomStringConvertible, Comparable {
    /// The name.
    var rawValue: String { get }
    /// Reads a name; nil unless it is well-formed and has at most 63 characters.
    init?(rawValue: String)
}

/// Long enough for any site, short enough for a path component, a log line and a table.
private let maximumNameLength = 63

extension KebabCaseName {
    /// The name.
    public var description: String { rawValue }
    /// Orders by the name.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    fileprivate static func isWellFormed(_ text: String) -> Bool {
        guard (1...maximumNameLength).contains(text.utf8.count) else { return false }
        // Neither the beginning nor the end of a word is a hyphen.
        var isWord = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): isWord = true
            case UInt8(ascii: "-") where isWord: isWord = false
            default: return false
            }
        }
        return isWord
    }

    /// The text of a literal in source code; a malformed one is a programming error.
    fileprivate static func wellFormed(_ literal: StaticString) -> String {
        let text = literal.description
        precondition(isWellFormed(text), "\"\(text)\" is not a kebab-case name")
        return text
    }

    /// Decodes a name.
    /// - Throws: `DecodingError` for a string that is none.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ Self(rawValue: $0) }, problem: { "\"\($0)\" is not a kebab-case name" })
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

/// The name of a role, which programs print to: `receipt`, `label`, `document`, or the site's own (`kitchen`,
/// `baggage-tag`).
public struct RoleName: KebabCaseName {
    /// The name.
    public let rawValue: String
    /// Reads a name; nil unless it is well-formed and has at most 63 characters.
    public init?(rawValue: String) {
        guard Self.isWellFormed(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// The id that a site gives to a saved printer: `till-1`, `back-office`.
public struct PrinterID: KebabCaseName {
    /// The id.
    public let rawValue: String
    /// Reads an id; nil unless it is well-formed and has at most 63 characters.
    public init?(rawValue: String) {
        guard Self.isWellFormed(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

extension RoleName: ExpressibleByStringLiteral {
    /// A name in source code; read any other text with `init(rawValue:)`.
    public init(stringLiteral text: StaticString) {
        rawValue = Self.wellFormed(text)
    }
}

extension PrinterID: ExpressibleByStringLiteral {
    /// A name in source code; read any other text with `init(rawValue:)`.
    public init(stringLiteral text: StaticString) {
        rawValue = Self.wellFormed(text)
    }
}
