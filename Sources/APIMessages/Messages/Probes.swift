public import KioskPrintModel

/// The body of `POST /v1/probe`: a printer as it would be saved, which is contacted once and not saved.
public struct ProbeRequest: Hashable, Sendable, Codable {
    /// The printer's URL.
    public var url: PrinterURL
    /// The name of its profile; nil looks for one that fits.
    public var profile: String?
    /// The job types, in place of those that the printer reports.
    public var jobTypes: JobTypes?
    /// The name of the credentials to log in with, never the secret.
    public var credentials: String?
    /// How its identity is proven; nil means `system`.
    public var trust: Trust?
    /// Whether the login may go over a connection that others can read.
    public var allowsPlainLogin: Bool?
    /// The role that it is wanted for.
    public var role: RoleName?

    /// Creates a request.
    public init(
        url: PrinterURL, profile: String? = nil, jobTypes: JobTypes? = nil, credentials: String? = nil,
        trust: Trust? = nil, allowsPlainLogin: Bool? = nil, role: RoleName? = nil
    ) {
        self.url = url
        self.profile = profile
        self.jobTypes = jobTypes
        self.credentials = credentials
        self.trust = trust
        self.allowsPlainLogin = allowsPlainLogin
        self.role = role
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case url, profile
        case jobTypes = "job-types"
        case credentials, trust
        case allowsPlainLogin = "login-without-tls"
        case role
    }

    /// Decodes a request; throws where it has a key that is not known.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            url: container.decode(PrinterURL.self, forKey: .url),
            profile: container.decodeIfPresent(String.self, forKey: .profile),
            jobTypes: container.decodeIfPresent(JobTypes.self, forKey: .jobTypes),
            credentials: container.decodeIfPresent(String.self, forKey: .credentials),
            trust: container.decodeIfPresent(Trust.self, forKey: .trust),
            allowsPlainLogin: container.decodeIfPresent(Bool.self, forKey: .allowsPlainLogin),
            role: container.decodeIfPresent(RoleName.self, forKey: .role)
        )
    }
}

/// The response to `POST /v1/probe`: what one contact with a printer showed, step by step. Every text in it that comes
/// from the printer is to be escaped before display.
public struct ProbeReport: Hashable, Sendable, Codable {
    /// The URL that was contacted.
    public var url: PrinterURL
    /// The steps, in their order; those after a failed one are left out where they need it.
    public var steps: [Step]
    /// What has to be given before the printer can be used.
    public var needs: [Need]
    /// Its state; nil where it was not reached.
    public var availability: Availability?
    /// What it says of itself; nil where it did not get as far.
    public var description: PrinterDescription?
    /// The job types that it would be saved with; nil while none are known.
    public var jobTypes: JobTypes?
    /// Whether it does the jobs of the role that was asked for; nil where that is unknown or no role was named.
    public var doesRole: Bool?
    /// The certificate that it showed.
    public var certificate: Certificate?
    /// The host key that a host behind SSH showed.
    public var hostKey: HostKey?
    /// What the device said that it is, over a connection that proves nothing.
    public var device: DeviceIdentification?
    /// Whether the trust of the request accepts what it showed; nil where it showed nothing.
    public var isTrusted: Bool?
    /// An id that no saved printer has.
    public var suggestedID: PrinterID
    /// A name for people; nil where the printer says nothing that would do.
    public var suggestedName: String?
    /// The profile of its model.
    public var suggestedProfile: String?
    /// A URL that is likely to do, where this one did not.
    public var suggestedURL: PrinterURL?
    /// The saved printers that are the same one.
    public var saved: [SavedMatch]

    /// One thing that was looked at.
    public struct Step: Hashable, Sendable, Codable {
        /// What was looked at.
        public var step: Kind
        /// How it came out.
        public var outcome: Outcome
        /// What was found, as a sentence without a full stop.
        public var message: String
        /// What to do; nil where there is nothing to do.
        public var advice: String?

        /// Creates a step.
        public init(_ step: Kind, _ outcome: Outcome, _ message: String, advice: String? = nil) {
            self.step = step
            self.outcome = outcome
            self.message = message
            self.advice = advice
        }

        /// The steps. More may be added.
        public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
            /// Whether something answers at the address.
            case reach
            /// Whether it is who it says.
            case trust
            /// Whether it lets us in.
            case login
            /// What it is.
            case describe
            /// Whether it prints now.
            case state
            /// Whether it does the role's jobs.
            case role
            /// Which profile fits.
            case profile
            /// Whether it is saved already.
            case saved
        }

        /// The outcomes of a step.
        public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
            /// It is as it should be.
            case passed
            /// It can be saved, and somebody should look at it.
            case warning
            /// It cannot be used as it is.
            case failed
        }
    }

    /// What has to be given before the printer can be used.
    public enum Need: String, Hashable, Sendable, Codable, CaseIterable {
        /// Somebody has to accept its certificate or host key.
        case trust
        /// Credentials, or other ones.
        case login
        /// Another URL.
        case url
        /// A profile, since it does not say how receipts are printed.
        case profile
    }

    /// A saved printer that is the same one.
    public struct SavedMatch: Hashable, Sendable, Codable {
        /// Its id.
        public var printer: PrinterID
        /// What tells it.
        public var by: Sign

        /// Creates a match.
        public init(printer: PrinterID, by sign: Sign) {
            self.printer = printer
            by = sign
        }

        /// What tells that two printers are one.
        public enum Sign: String, Hashable, Sendable, Codable, CaseIterable {
            /// The same URL.
            case url
            /// The same UUID, serial number, hardware address or key.
            case device
        }
    }

    /// Creates a report without findings.
    public init(url: PrinterURL, suggestedID: PrinterID) {
        self.url = url
        self.suggestedID = suggestedID
        (steps, needs, saved) = ([], [], [])
    }

    /// What it showed.
    public var identity: ShownIdentity? {
        certificate.map { .certificate($0) } ?? hostKey.map { .hostKey($0) } ?? device.map { .device($0) }
    }

    /// Whether it was reached, let us in and can be saved as it is.
    public var isUsable: Bool { !steps.contains { $0.outcome == .failed } }

    private enum CodingKeys: String, CodingKey {
        case url, steps, needs, availability, description
        case jobTypes = "job-types"
        case doesRole = "does-role"
        case certificate
        case hostKey = "host-key"
        case device
        case isTrusted = "trusted"
        case suggestedID = "suggested-id"
        case suggestedName = "suggested-name"
        case suggestedProfile = "suggested-profile"
        case suggestedURL = "suggested-url"
        case saved
    }
}

/// The response to `GET /v1/recent-printers`: the printers that are or were saved, each URL once, the last change
/// first.
public struct RecentPrinterList: Hashable, Sendable, Codable {
    /// The printers.
    public var printers: [Entry]

    /// A printer as it was saved last under its URL.
    public struct Entry: Hashable, Sendable, Codable {
        /// Its URL.
        public var url: PrinterURL
        /// The id that it has, or had last.
        public var id: PrinterID
        /// Its name for people.
        public var name: String?
        /// Its profile.
        public var profile: String?
        /// Whether a printer is saved under this URL now.
        public var isSaved: Bool

        /// Creates an entry.
        public init(url: PrinterURL, id: PrinterID, name: String? = nil, profile: String? = nil, isSaved: Bool) {
            self.url = url
            self.id = id
            self.name = name
            self.profile = profile
            self.isSaved = isSaved
        }

        private enum CodingKeys: String, CodingKey {
            case url, id, name, profile
            case isSaved = "saved"
        }
    }

    /// Creates a list.
    public init(printers: [Entry]) { self.printers = printers }
}
