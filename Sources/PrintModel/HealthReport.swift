/// The health of the engine, for monitoring.
public struct HealthReport: Hashable, Sendable, Codable {
    /// The worst of the checks.
    public var status: Status
    public var checks: [Check]
    public var printersAvailable: Int
    public var printersSaved: Int
    public var jobsWaiting: Int
    /// Jobs that wait for an operator because they are unconfirmed.
    public var jobsUnconfirmed: Int
    /// The number of jobs known to be lost because the queue was damaged, until the damaged file is removed; nil for
    /// none.
    public var jobsLost: Int?
    /// The age of the job that waits longest, in whole seconds; nil when none waits.
    public var oldestWaitingSeconds: Int?

    /// The status, in the order and with the numbers of the exit codes of monitoring plugins.
    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        case ok, warning, critical, unknown

        public var exitCode: Int32 {
            switch self {
            case .ok: 0
            case .warning: 1
            case .critical: 2
            case .unknown: 3
            }
        }

        /// The order of severity: critical, warning, unknown, ok.
        fileprivate var weight: Int {
            switch self {
            case .ok: 0
            case .unknown: 1
            case .warning: 2
            case .critical: 3
            }
        }
    }

    public struct Check: Hashable, Sendable, Codable {
        /// A stable kebab-case code: `printer-unreachable`, `role-without-printer`, `registry-refused` …
        public var code: String
        /// The printer, role or file that was checked; nil for the engine itself.
        public var subject: String?
        public var status: Status
        public var message: String

        public init(code: String, subject: String? = nil, status: Status, message: String) {
            self.code = code
            self.subject = subject
            self.status = status
            self.message = message
        }
    }

    public init(
        checks: [Check], printersAvailable: Int, printersSaved: Int, jobsWaiting: Int, jobsUnconfirmed: Int,
        jobsLost: Int? = nil,
        oldestWaitingSeconds: Int?
    ) {
        self.status = checks.map(\.status).max { $0.weight < $1.weight } ?? .ok
        self.checks = checks
        self.printersAvailable = printersAvailable
        self.printersSaved = printersSaved
        self.jobsWaiting = jobsWaiting
        self.jobsUnconfirmed = jobsUnconfirmed
        self.jobsLost = jobsLost
        self.oldestWaitingSeconds = oldestWaitingSeconds
    }

    enum CodingKeys: String, CodingKey {
        case status, checks
        case printersAvailable = "printers-available"
        case printersSaved = "printers-saved"
        case jobsWaiting = "jobs-waiting"
        case jobsUnconfirmed = "jobs-unconfirmed"
        case jobsLost = "jobs-lost"
        case oldestWaitingSeconds = "oldest-waiting-seconds"
    }
}
