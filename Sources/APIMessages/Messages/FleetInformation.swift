package import KioskPrintModel

/// The response to `GET /v1/fleet`: the kiosk's part in its fleet, as the kiosk itself knows it. The hub is not asked
/// for it.
package struct FleetInformation: Hashable, Sendable, Codable {
    /// The kiosk's site.
    package var site: String
    /// The kiosk's name among those of its site.
    package var node: String
    /// The URLs of the hub's servers, which hold no login.
    package var servers: [String]
    package var connection: Connection
    /// When the kiosk's login at the hub ends; nil: never, or nobody knows.
    package var loginEndsAt: Timestamp?
    /// Nil where no other kiosk of the site shares its jobs.
    package var pair: Pair?
    /// When the hub stored the last message that was taken, by its clock; nil before the first, and where the kiosk's
    /// records cannot be read.
    package var takenUpTo: Timestamp?
    /// Nil where the kiosk's records cannot be read.
    package var reports: Reports?
    /// The fleet's last jobs, newest first.
    package var jobs: [TakenJob]
    package var configuration: Configuration
    /// What the kiosk's health says of the fleet; empty where all is well.
    package var checks: [HealthReport.Check]

    /// The connection to the hub.
    package struct Connection: Hashable, Sendable, Codable {
        package var isConnected: Bool
        /// Since when there is a connection, or since when there is none.
        package var since: Timestamp
        /// When the hub last took the kiosk's status; nil: not since kioskd has begun.
        package var lastReachedAt: Timestamp?
        /// What did not work since then.
        package var problem: String?

        package init(
            isConnected: Bool, since: Timestamp, lastReachedAt: Timestamp? = nil, problem: String? = nil
        ) {
            self.isConnected = isConnected
            self.since = since
            self.lastReachedAt = lastReachedAt
            self.problem = problem
        }

        private enum CodingKeys: String, CodingKey {
            case since, problem
            case isConnected = "connected"
            case lastReachedAt = "last-reached-at"
        }
    }

    /// Which kiosk of a pair takes the site's jobs.
    package struct Pair: Hashable, Sendable, Codable {
        /// The kiosk that the site's lease names; nil where nobody has it, or where this kiosk does not know.
        package var holder: String?
        /// Whether this kiosk takes the site's jobs.
        package var takesJobs: Bool

        package init(holder: String?, takesJobs: Bool) {
            self.holder = holder
            self.takesJobs = takesJobs
        }

        private enum CodingKeys: String, CodingKey {
            case holder
            case takesJobs = "takes-jobs"
        }
    }

    /// The reports that the hub does not have yet.
    package struct Reports: Hashable, Sendable, Codable {
        /// In number; counted up to `maximumWaiting`.
        package var waiting: Int
        /// When the hub stored the job whose report waits longest; nil where none waits.
        package var oldest: Timestamp?

        /// Where as many wait as this, there may be more.
        package static let maximumWaiting = 10_000

        package init(waiting: Int, oldest: Timestamp? = nil) {
            self.waiting = waiting
            self.oldest = oldest
        }
    }

    /// A job of the fleet.
    package struct TakenJob: Hashable, Sendable, Codable {
        /// The job's key as it stands in the hub's subjects.
        package var key: String
        /// The kiosk's own job; nil where it made none, or keeps it no more.
        package var job: Job.ID?
        /// What was reported of it last: `claimed`, `accepted`, `unconfirmed`, `ended` or `refused`.
        package var stage: String
        /// When the hub stored the job, or the report by which this kiosk knows of it.
        package var storedAt: Timestamp

        package init(key: String, job: Job.ID?, stage: String, storedAt: Timestamp) {
            self.key = key
            self.job = job
            self.stage = stage
            self.storedAt = storedAt
        }

        private enum CodingKeys: String, CodingKey {
            case key, job, stage
            case storedAt = "stored-at"
        }
    }

    /// The office's configuration, and what became of it.
    package struct Configuration: Hashable, Sendable, Codable {
        /// Whose word counts for printers and roles: `off` (the site's alone), `managed` or `shown`.
        package var mode: String
        /// The revision that the hub has; nil where it has none, or was not asked yet.
        package var desired: UInt64?
        /// The revision that was put in force last; nil before the first.
        package var applied: UInt64?
        /// Whether the registry differs from what was applied.
        package var hasDrift: Bool
        /// Why `desired` is not in force.
        package var error: Failure?

        package init(
            mode: String, desired: UInt64? = nil, applied: UInt64? = nil, hasDrift: Bool = false,
            error: Failure? = nil
        ) {
            self.mode = mode
            self.desired = desired
            self.applied = applied
            self.hasDrift = hasDrift
            self.error = error
        }

        private enum CodingKeys: String, CodingKey {
            case mode, desired, applied, error
            case hasDrift = "drift"
        }
    }

    /// A mistake in the configuration, by its place.
    package struct Failure: Hashable, Sendable, Codable {
        /// From 1; 0 where it concerns the whole text.
        package var line: Int
        /// From 1; 0 where it concerns the whole text.
        package var column: Int
        package var text: String

        package init(line: Int, column: Int, text: String) {
            self.line = line
            self.column = column
            self.text = text
        }
    }

    package init(
        site: String, node: String, servers: [String], connection: Connection, loginEndsAt: Timestamp? = nil,
        pair: Pair? = nil, takenUpTo: Timestamp? = nil, reports: Reports? = nil, jobs: [TakenJob] = [],
        configuration: Configuration, checks: [HealthReport.Check] = []
    ) {
        self.site = site
        self.node = node
        self.servers = servers
        self.connection = connection
        self.loginEndsAt = loginEndsAt
        self.pair = pair
        self.takenUpTo = takenUpTo
        self.reports = reports
        self.jobs = jobs
        self.configuration = configuration
        self.checks = checks
    }

    private enum CodingKeys: String, CodingKey {
        case site, node, servers, connection, pair, reports, jobs, configuration, checks
        case loginEndsAt = "login-ends-at"
        case takenUpTo = "taken-up-to"
    }
}
