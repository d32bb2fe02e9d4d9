/// A printer in the registry.
public struct SavedPrinter: Hashable, Sendable, Codable, Identifiable {
    public var id: PrinterID
    public var url: PrinterURL
    /// Its name for people; nil shows the id.
    public var name: String?
    public var location: String?
    /// The printer model profile, by name.
    public var profile: String?
    /// Overrides the job types that a contact reports; nil believes the printer.
    public var jobTypes: JobTypes?
    /// The name of the credentials to log in with; the secret itself is stored elsewhere.
    public var credentials: String?
    /// How its identity is verified; nil is `system`.
    public var trust: Trust?
    /// Whether its login may go over a connection that others can read; the file has to say so. Nil is no.
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

/// What a transport needs to reach a printer.
public struct PrinterTarget: Hashable, Sendable {
    public var url: PrinterURL
    /// The name of the credentials to log in with, from the registry; never the secret itself.
    public var credentials: String?
    /// How its identity is verified, where the connection can prove one.
    public var trust: Trust
    /// Whether a login may go over a connection that others can read.
    public var allowsPlainLogin: Bool
    /// The name of its profile in the registry.
    public var profile: String?

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
