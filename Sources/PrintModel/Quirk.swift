/// One way in which a model of printer departs from its protocol, as a profile states it: data from `profiles/`.
public struct Quirk: Hashable, Sendable, Codable {
    public var name: Name
    /// What the name takes: `close`, `1.1`, `localhost`.
    public var value: String
    /// What the printer does without it, in one line.
    public var why: String
    /// Where that was learnt: a URL.
    public var source: String
    /// The profile that states it.
    public var profile: String

    public init(name: Name, value: String, why: String, source: String, profile: String) {
        self.name = name
        self.value = value
        self.why = why
        self.source = source
        self.profile = profile
    }

    /// The quirks that transports know to answer, with the values that each takes.
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
        /// HTTP's `Connection`: `close` after every exchange, or `keep-alive` said aloud.
        case connection
        /// HTTP's `Expect: 100-continue` before a document: `on`.
        case expect
        /// HTTP's `Host` in place of the URL's: a `host` or `host:port`.
        case host
        /// The IPP version to speak first: `2.0`, `1.1` or `1.0`.
        case ippVersion = "ipp-version"
        /// `requesting-user-name`: `omit` it, or send its plain ASCII letters and digits only (`plain`).
        case requestingUserName = "requesting-user-name"
        /// Create-Job and Send-Document although advertised: `off`.
        case createJob = "create-job"
        /// gzip although advertised: `off`.
        case compression
        /// Get-Notifications although advertised: `off`.
        case notifications

        /// Nil where any text will do.
        public var values: [String]? {
            switch self {
            case .connection: ["close", "keep-alive"]
            case .expect: ["on"]
            case .host: nil
            case .ippVersion: ["2.0", "1.1", "1.0"]
            case .requestingUserName: ["omit", "plain"]
            case .createJob, .compression, .notifications: ["off"]
            }
        }
    }
}

/// What profiles are chosen by.
public struct PrinterIdentity: Hashable, Sendable {
    /// The profile that the registry names; it comes first.
    public var profile: String?
    /// As the printer said it; nil before the first contact.
    public var makeAndModel: String?
    /// The IEEE 1284 device id.
    public var deviceID: String?

    public init(profile: String? = nil, makeAndModel: String? = nil, deviceID: String? = nil) {
        self.profile = profile
        self.makeAndModel = makeAndModel
        self.deviceID = deviceID
    }
}
