/// A printer as the registry keeps it.
public struct SavedPrinter: Hashable, Sendable, Codable, Identifiable {
    public var id: PrinterID
    public var url: PrinterURL
    /// What people call it; the id where there is none.
    public var name: String?
    public var location: String?
    /// The printer model profile, by name.
    public var profile: String?
    /// Overrides what contact reports; nil believes the printer.
    public var jobTypes: JobTypes?
    /// The name of the credentials to log in with; the secret itself stands elsewhere.
    public var credentials: String?
    /// How its identity is proven; nil is `system`.
    public var trust: Trust?
    /// Said in words in the file: its login may go over a connection that others can read. Nil is no.
    public var allowsPlainLogin: Bool?

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

    public var target: PrinterTarget {
        PrinterTarget(
            url: url, credentials: credentials, trust: trust ?? .system, allowsPlainLogin: allowsPlainLogin ?? false,
            profile: profile
        )
    }
}
