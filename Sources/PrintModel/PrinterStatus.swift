/// A saved printer and its present state.
public struct PrinterStatus: Hashable, Sendable, Codable {
    public var printer: SavedPrinter
    public var availability: Availability
    /// The result of the last successful contact; nil before the first.
    public var description: PrinterDescription?
    /// The job types that the printer's profile states; nil without one.
    public var profileJobTypes: JobTypes?
    /// Its model's quirks, from every profile that matches it, the most specific first.
    public var quirks: [Quirk]
    /// When it was last contacted, successfully or not.
    public var contactedAt: Timestamp?
    /// The time of the next contact, where an earlier one would be useless unless an operator acts: after a refused
    /// login, for example.
    public var nextContactAt: Timestamp?
    /// The roles that name it.
    public var roles: [RoleName]
    /// The number of jobs that wait for it or that it prints.
    public var jobCount: Int

    public init(
        printer: SavedPrinter, availability: Availability = .unknown, description: PrinterDescription? = nil,
        profileJobTypes: JobTypes? = nil, quirks: [Quirk] = [], contactedAt: Timestamp? = nil, roles: [RoleName] = [],
        jobCount: Int = 0
    ) {
        self.printer = printer
        self.availability = availability
        self.description = description
        self.profileJobTypes = profileJobTypes
        self.quirks = quirks
        self.contactedAt = contactedAt
        self.roles = roles
        self.jobCount = jobCount
    }

    enum CodingKeys: String, CodingKey {
        case printer, availability, description
        case profileJobTypes = "profile-job-types"
        case quirks
        case contactedAt = "contacted-at"
        case nextContactAt = "next-contact-at"
        case roles
        case jobCount = "job-count"
    }

    /// The job types in force: the admin's override, else the profile's, else those that a contact reported. Nil while
    /// none are known, for example behind a spooler that does not describe its printers.
    public var jobTypes: JobTypes? {
        printer.jobTypes ?? profileJobTypes ?? description.flatMap { $0.jobTypes.isEmpty ? nil : $0.jobTypes }
    }

    /// Whether the printer supports all of `jobTypes`; nil while that is unknown.
    public func supports(_ jobTypes: JobTypes) -> Bool? {
        self.jobTypes.map { $0.isSuperset(of: jobTypes) }
    }
}

/// Whether a printer can take a job now, and why not. One model for IPP state reasons, ESC/POS status, USB port status
/// and `lpq`.
public struct Availability: Hashable, Sendable, Codable {
    public var state: State
    /// All reasons that the printer reported, in its order.
    public var reasons: [StateReason]
    /// A sentence for people: the error that made it unreachable, or the printer's own state message.
    public var message: String?

    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case ready
        /// Prints a job, and accepts more.
        case busy
        /// Prints, but needs attention soon: paper is low.
        case attention
        /// Reachable, but does not print until a reason is removed.
        case stopped
        /// Could not be contacted.
        case unreachable
        /// Never contacted yet, or its response gives no state.
        case unknown
    }

    public init(_ state: State, reasons: [StateReason] = [], message: String? = nil) {
        self.state = state
        self.reasons = reasons
        self.message = message
    }

    public static let unknown = Availability(.unknown)

    /// Whether a job sent now would be printed.
    public var isAvailable: Bool {
        switch state {
        case .ready, .busy, .attention: true
        case .stopped, .unreachable, .unknown: false
        }
    }
}

/// One of a printer's state reasons: an IPP keyword (RFC 8011 §5.4.12) with its severity. The status of other protocols
/// is translated to the same keywords.
public struct StateReason: Hashable, Sendable, Codable {
    /// Without the severity suffix: `media-empty`, `cover-open`.
    public var keyword: String
    public var severity: Severity

    public enum Severity: String, Hashable, Sendable, Codable, Comparable {
        case report, warning, error

        private var weight: Int {
            switch self {
            case .report: 0
            case .warning: 1
            case .error: 2
            }
        }
        public static func < (left: Severity, right: Severity) -> Bool { left.weight < right.weight }
    }

    public init(keyword: String, severity: Severity) {
        self.keyword = keyword
        self.severity = severity
    }

    /// Reads `media-empty-error`; nil for `none`. A keyword without a suffix is an error (RFC 8011 §5.4.12).
    public init?(ippKeyword: String) {
        guard ippKeyword != "none", !ippKeyword.isEmpty else { return nil }
        for severity in [Severity.report, .warning, .error] {
            let suffix = "-\(severity.rawValue)"
            if ippKeyword.hasSuffix(suffix), ippKeyword.utf8.count > suffix.utf8.count {
                self.init(keyword: String(ippKeyword.dropLast(suffix.count)), severity: severity)
                return
            }
        }
        self.init(keyword: ippKeyword, severity: .error)
    }

    /// The keyword with its severity suffix.
    public var ippKeyword: String { "\(keyword)-\(severity.rawValue)" }
}
