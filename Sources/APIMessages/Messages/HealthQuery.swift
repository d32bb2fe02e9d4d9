public import KioskPrintModel

/// The query of `GET /v1/health`: what is judged, whether printers are asked first, and from when on it warns. What is
/// nil is the daemon's own.
public struct HealthQuery: Hashable, Sendable {
    /// Judges by this role alone: its printers and its jobs.
    public var role: RoleName?
    /// Judges by this printer alone; not together with a role.
    public var printer: PrinterID?
    /// The whole seconds that printers get to answer, where they are contacted now; nil judges by what is known.
    public var contact: Int?
    /// Seconds from which on a job that waits is a WARNING.
    public var waitingWarning: Int?
    /// Seconds from which on it is CRITICAL; it never is where nobody says so.
    public var waitingCritical: Int?
    /// The number of undecided unconfirmed jobs from which on they are CRITICAL.
    public var unconfirmedCritical: Int?
    /// Days before its end from which on a certificate or an access token is a WARNING.
    public var expiryWarning: Int?
    /// Free space in MiB below which the state directory is a WARNING.
    public var freeSpaceWarning: Int?

    public init() {}

    /// The longest time for printers to answer, in seconds.
    public static let maximumContact = 60
    /// The ranges of the thresholds, by their names in the query.
    package static let ranges: [(key: String, range: ClosedRange<Int>)] = [
        ("contact", 1...maximumContact), ("waiting-warning", 1...maximumSeconds),
        ("waiting-critical", 1...maximumSeconds), ("unconfirmed-critical", 1...1_000_000),
        ("expiry-warning", 0...3650), ("free-space-warning", 0...1_000_000_000),
    ]
    /// A year.
    private static let maximumSeconds = 366 * 86_400

    private static var numbers: [String: WritableKeyPath<HealthQuery, Int?>] {
        [
            "contact": \.contact, "waiting-warning": \.waitingWarning, "waiting-critical": \.waitingCritical,
            "unconfirmed-critical": \.unconfirmedCritical, "expiry-warning": \.expiryWarning,
            "free-space-warning": \.freeSpaceWarning,
        ]
    }

    /// Reads a query. Throws a `Problem`.
    public init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["role", "printer"] + Self.ranges.map(\.key))
        role = try items.value("role", write: "a role's name") { RoleName(rawValue: $0) }
        printer = try items.value("printer", write: "a printer's name") { PrinterID(rawValue: $0) }
        guard role == nil || printer == nil else {
            throw Problem(
                .invalidParameter, detail: "role and printer are both named; name a role or a printer, not both"
            )
        }
        for (key, range) in Self.ranges {
            guard let path = Self.numbers[key] else { continue }
            self[keyPath: path] = try items.value(
                key, write: "a whole number from \(range.lowerBound) to \(range.upperBound)"
            ) { Int(digits: $0, in: range) }
        }
    }

    /// The path of a request with this query.
    public var path: String {
        var items = QueryItems()
        items.add("role", role?.rawValue)
        items.add("printer", printer?.rawValue)
        for (key, _) in Self.ranges {
            guard let path = Self.numbers[key] else { continue }
            items.add(key, self[keyPath: path].map { String($0) })
        }
        return APIPaths.health + items.suffix
    }
}
