/// The health of the engine, for monitoring.
public struct HealthReport: Hashable, Sendable, Codable {
    /// The worst of the checks.
    public var status: Status
    /// The checks that are not OK, and those that are with something to know; empty where there is neither.
    public var checks: [Check]
    /// The number of printers that would print a job now.
    public var printersAvailable: Int
    /// The number of printers in the registry.
    public var printersSaved: Int
    /// The number of jobs that are waiting or being printed.
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
        /// One of the four states of the Monitoring Plugins' guidelines.
        case ok, warning, critical, unknown

        /// The exit code of a monitoring plugin: 0 to 3.
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

    /// One finding about the engine, a printer, a role or a file.
    public struct Check: Hashable, Sendable, Codable {
        /// A stable kebab-case code: `printer-unreachable`, `role-without-printer`, `registry-refused` …
        public var code: String
        /// The printer, role or file that was checked; nil for the engine itself.
        public var subject: String?
        /// The severity of the finding.
        public var status: Status
        /// A sentence for people: what is wrong, and what to do.
        public var message: String

        /// Creates a finding.
        public init(code: String, subject: String? = nil, status: Status, message: String) {
            self.code = code
            self.subject = subject
            self.status = status
            self.message = message
        }
    }

    /// Creates a report; its status is the worst of the checks.
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

    /// This report with more checks.
    package func adding(_ more: [Check]) -> HealthReport {
        HealthReport(
            checks: checks + more, printersAvailable: printersAvailable, printersSaved: printersSaved,
            jobsWaiting: jobsWaiting, jobsUnconfirmed: jobsUnconfirmed, jobsLost: jobsLost,
            oldestWaitingSeconds: oldestWaitingSeconds)
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
