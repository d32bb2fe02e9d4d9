/// The features of a printer model that a contact does not report: data from `profiles/`.
public struct PrinterProfile: Hashable, Sendable, Codable {
    /// The file's name without its extension; a printer's `profile` refers to it.
    public var name: String
    /// One line for people.
    public var description: String
    /// Nil for a profile that does not state job types.
    public var jobTypes: JobTypes?
    /// The name of the parent profile, from which this one inherits the keys that it does not state. It does not
    /// inherit what the parent matches.
    public var inherits: String?
    /// The models that it applies to without being named; none for a profile that has to be named.
    public var match: [ModelPattern]
    /// The command sets that it applies to where no profile matches the printer's model: `ESC/POS*`, as in device ids.
    public var commandSets: [ModelPattern]
    /// The quirks of these models.
    public var quirks: [Quirk]
    /// The settings for printing through a Unix host's `lpr`, for printers that name the profile.
    public var lpr: LprSettings?
    /// The status and recovery settings of a receipt printer that is connected directly.
    public var device: DeviceSettings?
    /// The settings for printing receipts or labels; nil where the profile does not state any.
    public var printing: PrintingSettings?
    /// How a printer of pages takes sheets; nil where the profile does not say.
    public var pages: PageSettings?

    /// Creates a profile.
    public init(
        name: String, description: String, jobTypes: JobTypes?, inherits: String? = nil, match: [ModelPattern] = [],
        commandSets: [ModelPattern] = [], quirks: [Quirk] = [], lpr: LprSettings? = nil, device: DeviceSettings? = nil,
        printing: PrintingSettings? = nil, pages: PageSettings? = nil
    ) {
        self.name = name
        self.description = description
        self.jobTypes = jobTypes
        self.inherits = inherits
        self.match = match
        self.commandSets = commandSets
        self.quirks = quirks
        self.lpr = lpr
        self.device = device
        self.printing = printing
        self.pages = pages
    }

    enum CodingKeys: String, CodingKey {
        case name, description
        case jobTypes = "job-types"
        case inherits, match
        case commandSets = "command-sets"
        case quirks, lpr, device, printing, pages
    }
}

/// The properties of a printer by which its profiles are chosen.
public struct PrinterIdentity: Hashable, Sendable {
    /// The profile that the registry names; it comes first.
    public var profile: String?
    /// The printer's `printer-make-and-model`; nil before the first contact.
    public var makeAndModel: String?
    /// The IEEE 1284 device id.
    public var deviceID: String?

    /// Creates an identity from what is known of the printer.
    public init(profile: String? = nil, makeAndModel: String? = nil, deviceID: String? = nil) {
        self.profile = profile
        self.makeAndModel = makeAndModel
        self.deviceID = deviceID
    }
}

/// A pattern on a printer's make and model: `*` stands for any characters, the letter case of ASCII does not matter.
public struct ModelPattern: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The pattern as written in the profile.
    public let text: String
    /// The lower-cased bytes between the asterisks.
    private let parts: [[UInt8]]

    /// RFC 8011 §5.4.9 bounds `printer-make-and-model` at 127 octets.
    package static let maximumLength = 127

    /// Creates a pattern; any string is one.
    public init(_ text: String) {
        self.text = text
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Self.folded)
    }

    /// Decodes a pattern from its text.
    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

    /// Encodes the pattern's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The pattern as written in the profile.
    public var description: String { text }

    package var hasAsterisk: Bool { parts.count > 1 }
    package var literalLength: Int { parts.reduce(0) { $0 + $1.count } }

    /// Whether the whole of a make and model matches.
    public func matches(_ makeAndModel: String) -> Bool {
        guard let first = parts.first, let last = parts.last else { return false }
        var rest = Self.folded(makeAndModel.utf8)[...]
        guard hasAsterisk else { return rest.elementsEqual(first) }
        guard rest.starts(with: first) else { return false }
        rest = rest.dropFirst(first.count)
        // Matching each part at its first occurrence leaves the most for the later parts.
        for part in parts.dropFirst().dropLast() {
            guard let end = Self.end(of: part, in: rest) else { return false }
            rest = rest[end...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// The index after the first occurrence of a part; nil where it does not occur.
    private static func end(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard text.count >= part.count else { return nil }
        let start = (text.startIndex...(text.endIndex - part.count)).first { text[$0...].starts(with: part) }
        return start.map { $0 + part.count }
    }

    private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}

/// A deviation of a printer model from its protocol, as a profile states it: data from `profiles/`.
public struct Quirk: Hashable, Sendable, Codable {
    /// The deviation.
    public var name: Name
    /// The value: `close`, `1.1`, `localhost`.
    public var value: String
    /// What the printer does without the quirk, in one line.
    public var why: String
    /// The URL of the source.
    public var source: String
    /// The profile that states it.
    public var profile: String

    /// Creates a quirk.
    public init(name: Name, value: String, why: String, source: String, profile: String) {
        self.name = name
        self.value = value
        self.why = why
        self.source = source
        self.profile = profile
    }

    /// The quirks that transports support, with the values of each.
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
        /// HTTP's `Connection`: `close` after every exchange, or an explicit `keep-alive`.
        case connection
        /// HTTP's `Expect: 100-continue` before a document: `on`.
        case expect
        /// HTTP's `Host` instead of the URL's: a `host` or `host:port`.
        case host
        /// The IPP version to send first: `2.0`, `1.1` or `1.0`.
        case ippVersion = "ipp-version"
        /// `requesting-user-name`: `omit` it, or send its plain ASCII letters and digits only (`plain`).
        case requestingUserName = "requesting-user-name"
        /// Whether to use Create-Job and Send-Document where advertised: `off`.
        case createJob = "create-job"
        /// Whether to use gzip where advertised: `off`.
        case compression
        /// Whether to send a document before its length is known, in HTTP's chunks: `off`.
        case chunked
        /// Whether to use Get-Notifications where advertised: `off`.
        case notifications

        /// The values that the quirk accepts; nil where any string is valid.
        public var values: [String]? {
            switch self {
            case .connection: ["close", "keep-alive"]
            case .expect: ["on"]
            case .host: nil
            case .ippVersion: ["2.0", "1.1", "1.0"]
            case .requestingUserName: ["omit", "plain"]
            case .createJob, .compression, .chunked, .notifications: ["off"]
            }
        }
    }
}

/// The settings for printing through a Unix host's `lpr`, as the printer's profile states them. What it leaves open is
/// detected or has the default of this type.
public struct LprSettings: Hashable, Sendable, Codable {
    /// Nil detects it on the host.
    public var dialect: Dialect?
    /// How the document reaches the host.
    public var upload: Upload
    /// Nil sends documents unchanged.
    public var conversion: Conversion?
    /// How the user's page quota is queried; nil where none is kept.
    public var quota: Quota?

    /// The implementation of `lpr`, `lpq` and `lprm` on the host: their options and output differ.
    public enum Dialect: String, Hashable, Sendable, Codable, CaseIterable {
        /// CUPS, LPRng, or the `lpr` of BSD.
        case cups, lprng, bsd
    }

    /// The ways in which a document reaches the host.
    public enum Upload: String, Hashable, Sendable, Codable, CaseIterable {
        /// To the standard input of `lpr`.
        case stream
        /// To a file by SFTP, which `lpr` then reads.
        case sftp
    }

    /// The conversions on the host before printing.
    public enum Conversion: String, Hashable, Sendable, Codable, CaseIterable {
        /// PDF becomes PostScript on the host (`pdftops`), pages are chosen and arranged there (`psselect`, `psnup`).
        case postScript = "postscript"
    }

    /// The command on the host that reports how many pages the user may still print.
    public struct Quota: Hashable, Sendable, Codable {
        /// Program and arguments; `%queue` and `%user` in an argument are replaced.
        public var command: [String]
        /// A regular expression whose first group is the number of pages left.
        public var pattern: String

        /// Creates a quota query.
        public init(command: [String], pattern: String) {
            self.command = command
            self.pattern = pattern
        }
    }

    /// Creates settings; the defaults suit a host whose spooler prints the document's format.
    public init(dialect: Dialect? = nil, upload: Upload = .stream, conversion: Conversion? = nil, quota: Quota? = nil) {
        self.dialect = dialect
        self.upload = upload
        self.conversion = conversion
        self.quota = quota
    }
}
