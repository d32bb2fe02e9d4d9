public import KioskPrintModel

/// The printers that `GET /v1/printers` lists: those that match every condition.
public struct PrinterFilter: Hashable, Sendable {
    /// The job types that a printer must all do. The types of a printer that was never contacted are unknown: it is
    /// not listed.
    public var jobTypes: JobTypes = []
    /// True lists the printers that would take a job now, false the others, nil all.
    public var available: Bool?
    /// The printers of this role, in its order.
    public var role: RoleName?

    public init() {}

    /// Reads a query. Throws a `Problem`. `job-type` may be a comma-separated list.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["job-type", "available", "role"])
        let names = JobTypes.keywords.map(\.keyword).joined(separator: ", ")
        jobTypes =
            try items.value("job-type", write: "job types with commas between, of \(names)", parse: Self.jobTypes) ?? []
        available = try items.value("available", write: "true or false") { Bool(parameter: $0) }
        role = try items.value("role", write: "a role's name") { RoleName(rawValue: $0) }
    }

    private static func jobTypes(_ text: String) -> JobTypes? {
        QueryItems.list(text) { JobTypes(keyword: $0) }?.reduce(into: JobTypes()) { $0.formUnion($1) }
    }

    /// The path of a request with this filter.
    public var path: String {
        var items = QueryItems()
        items.add("job-type", jobTypes.isEmpty ? nil : jobTypes.keywords.joined(separator: ","))
        items.add("available", available.map(String.init))
        items.add("role", role?.rawValue)
        return APIPaths.printers + items.suffix
    }
}

/// The response to `GET /v1/printers`, in the registry's order.
public struct PrinterList: Hashable, Sendable, Codable {
    /// The saved printers and their states.
    public var printers: [PrinterStatus]
    public init(printers: [PrinterStatus]) { self.printers = printers }
}

/// The body of `PUT /v1/printers/{id}`: the whole printer as it is to be saved. Whatever is left out is unset, except
/// `trust` and `credentials`: they are kept where the printer keeps its URL, so that nobody weakens them by leaving
/// them out.
public struct PrinterChange: Hashable, Sendable, Codable {
    /// The printer's URL.
    public var url: PrinterURL
    /// Its name for people.
    public var name: String?
    /// Where it stands, for people.
    public var location: String?
    /// The name of its profile.
    public var profile: String?
    /// The job types, in place of those that the printer reports.
    public var jobTypes: JobTypes?
    /// The name of the credentials, never the secret. Nil keeps those that are saved for this URL.
    public var credentials: String?
    /// Whether to remove the saved credentials. In JSON: `"credentials": null`.
    public var removesCredentials: Bool
    /// How the printer's identity is proven. Nil keeps what is saved for this URL, else means `system`.
    public var trust: Trust?
    /// Whether the login may go over a connection that others can read.
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

    /// The change that saves a printer as it is.
    public init(_ printer: SavedPrinter) {
        self.init(
            url: printer.url, name: printer.name, location: printer.location, profile: printer.profile,
            jobTypes: printer.jobTypes, credentials: printer.credentials, trust: printer.trust,
            allowsPlainLogin: printer.allowsPlainLogin
        )
    }

    /// The printer that this change saves under `id`, in place of `saved`.
    public func printer(id: PrinterID, over saved: SavedPrinter?) -> SavedPrinter {
        // A key and a login belong to the device: at another URL neither is kept.
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

/// The body of `POST /v1/printers/{id}/trust`: the public key that a person, or a script that knows it, has verified.
public struct TrustChange: Hashable, Sendable, Codable {
    /// The fingerprint of the key that the printer shows (`ShownIdentity.keyFingerprint`).
    public var keyFingerprint: Fingerprint

    public init(keyFingerprint: Fingerprint) { self.keyFingerprint = keyFingerprint }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case keyFingerprint = "key-fingerprint"
    }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        keyFingerprint = try container.decode(Fingerprint.self, forKey: .keyFingerprint)
    }
}

/// The response to `GET /v1/profiles`, by name: the printer models that the daemon knows, each with the settings that
/// it inherits.
public struct ProfileList: Hashable, Sendable, Codable {
    /// The profiles, by name.
    public var profiles: [PrinterProfile]
    public init(profiles: [PrinterProfile]) { self.profiles = profiles }
}

/// The parameters of `POST /v1/printers/{id}/identify`.
public struct IdentifyParameters: Hashable, Sendable {
    /// What the printer shows on its panel, where it can.
    public var message: String?

    public init(message: String? = nil) { self.message = message }

    private static let key = "message"

    /// Reads a request's query. Throws a `Problem`.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: [Self.key])
        message = items[Self.key]
        guard let message else { return }
        guard (1...APILimits.maximumPanelMessage).contains(message.utf8.count), !message.hasControlCharacters else {
            throw Problem.invalid(
                Self.key, message,
                write: "1 to \(APILimits.maximumPanelMessage) bytes of text without control characters")
        }
    }

    /// The query of a client's request, with its question mark.
    var suffix: String {
        var items = QueryItems()
        items.add(Self.key, message)
        return items.suffix
    }
}
