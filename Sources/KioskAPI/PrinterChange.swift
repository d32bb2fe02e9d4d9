public import PrintModel

/// The body of `PUT /v1/printers/{id}`: the whole printer as it is to be saved; what is left out is unset. Only `trust`
/// and `credentials` are kept where a printer is saved anew at its URL: nobody shall weaken them by leaving them out.
public struct PrinterChange: Hashable, Sendable, Codable {
    public var url: PrinterURL
    public var name: String?
    public var location: String?
    public var profile: String?
    /// Overrides what contact reports.
    public var jobTypes: JobTypes?
    /// The name of the credentials; never the secret. Nil: as saved for this URL, else none.
    public var credentials: String?
    /// That there are to be none, whatever is saved. In JSON: `"credentials": null`.
    public var removesCredentials: Bool
    /// How its identity is proven. Nil: as saved for this URL, else `system`.
    public var trust: Trust?
    /// Whether its login may go over a connection that others can read.
    public var allowsPlainLogin: Bool?

    public init(
        url: PrinterURL, name: String? = nil, location: String? = nil, profile: String? = nil,
        jobTypes: JobTypes? = nil, credentials: String? = nil, removesCredentials: Bool = false, trust: Trust? = nil,
        allowsPlainLogin: Bool? = nil
    ) {
        self.url = url
        self.name = name
        self.location = location
        self.profile = profile
        self.jobTypes = jobTypes
        self.credentials = credentials
        self.removesCredentials = removesCredentials
        self.trust = trust
        self.allowsPlainLogin = allowsPlainLogin
    }

    public init(_ printer: SavedPrinter) {
        self.init(
            url: printer.url, name: printer.name, location: printer.location, profile: printer.profile,
            jobTypes: printer.jobTypes, credentials: printer.credentials, trust: printer.trust,
            allowsPlainLogin: printer.allowsPlainLogin
        )
    }

    /// The printer that this change saves under `id`, over the one that is saved there.
    public func printer(id: PrinterID, over saved: SavedPrinter?) -> SavedPrinter {
        // A key and a login belong to the device: at another URL there is nothing to keep.
        let same = saved?.url == url ? saved : nil
        return SavedPrinter(
            id: id, url: url, name: name, location: location, profile: profile, jobTypes: jobTypes,
            credentials: removesCredentials ? nil : credentials ?? same?.credentials, trust: trust ?? same?.trust,
            allowsPlainLogin: allowsPlainLogin
        )
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case url, name, location, profile
        case jobTypes = "job-types"
        case credentials, trust
        case allowsPlainLogin = "login-without-tls"
    }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            url: container.decode(PrinterURL.self, forKey: .url),
            name: container.decodeIfPresent(String.self, forKey: .name),
            location: container.decodeIfPresent(String.self, forKey: .location),
            profile: container.decodeIfPresent(String.self, forKey: .profile),
            jobTypes: container.decodeIfPresent(JobTypes.self, forKey: .jobTypes),
            credentials: container.decodeIfPresent(String.self, forKey: .credentials),
            removesCredentials: container.contains(.credentials) && container.decodeNil(forKey: .credentials),
            trust: container.decodeIfPresent(Trust.self, forKey: .trust),
            allowsPlainLogin: container.decodeIfPresent(Bool.self, forKey: .allowsPlainLogin)
        )
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(location, forKey: .location)
        try container.encodeIfPresent(profile, forKey: .profile)
        try container.encodeIfPresent(jobTypes, forKey: .jobTypes)
        if removesCredentials {
            try container.encodeNil(forKey: .credentials)
        } else {
            try container.encodeIfPresent(credentials, forKey: .credentials)
        }
        try container.encodeIfPresent(trust, forKey: .trust)
        try container.encodeIfPresent(allowsPlainLogin, forKey: .allowsPlainLogin)
    }
}
