import KioskAsyncPrimitives
package import KioskFleet
package import Logging

/// The kiosk's side of a fleet: takes the site's jobs from the hub, reports what becomes of them, and tells how the
/// kiosk is. Nothing at the kiosk waits for it.
package struct FleetAgent: Sendable {
    private let settings: Settings
    private let link: any FleetLink
    private let jetStream: JetStream
    private let records: FleetRecords
    private let kiosk: any FleetKiosk
    /// Nil where the kiosk fetches no documents by their address.
    private let fetcher: (any DocumentFetcher)?
    private let contact: FleetContact
    private let state: FleetState
    /// Nil where the kiosk is set up at its site alone.
    private let configuration: ConfigurationKeeper?
    /// Nil where the kiosk has no file of credentials.
    private let login: LoginKeeper?
    private let logger: Logger

    /// Who the kiosk is, and how often it reports its status.
    package struct Settings: Hashable, Sendable {
        package var site: SiteName
        package var node: NodeName
        /// Whether another kiosk of the site takes jobs in its place where it cannot.
        package var isPaired = false
        /// The version of the program.
        package var version: String
        package var pace = JobFetcher.Pace()
        /// After which time a status is sent though nothing has changed.
        package var statusInterval: Duration = .seconds(60)
        /// How often the kiosk's health is checked for changes.
        package var healthCheckInterval: Duration = .seconds(10)
        /// For how long a job waits for a document's store that is away, from the first failure on: those behind it wait
        /// too.
        package var longestStoreAbsence: Duration = .seconds(300)

        package init(site: SiteName, node: NodeName, version: String) {
            (self.site, self.node, self.version) = (site, node, version)
        }
    }

    package init(
        _ settings: Settings, link: any FleetLink, records: FleetRecords, kiosk: any FleetKiosk,
        fetcher: (any DocumentFetcher)? = nil, contact: FleetContact, state: FleetState = FleetState(),
        configuration: ConfigurationKeeper? = nil, login: LoginKeeper? = nil, logger: Logger
    ) {
        (self.settings, self.link, self.records, self.kiosk, self.fetcher) = (settings, link, records, kiosk, fetcher)
        jetStream = JetStream(
            link, consumerTimeout: Self.consumerTimeout,
            consumerPause: settings.isPaired ? Self.pairConsumerPause : Self.consumerPause)
        (self.contact, self.logger) = (contact, logger)
        (self.state, self.configuration, self.login) = (state, configuration, login)
    }

    /// Longer than a hub takes that makes two consumers for each of ten thousand kiosks.
    private static let consumerTimeout: Duration = .seconds(60)
    /// Longer than it takes for one each: who asks sooner makes a busy hub busier.
    private static let consumerPause: Duration = .seconds(30)
    /// Of a pair: another kiosk's jobs wait.
    private static let pairConsumerPause: Duration = .seconds(5)

    /// Works until the task is cancelled. Throws where the records are found damaged: they have to be opened anew.
    package func run() async throws {
        let reportWaits = AsyncSignal()
        let ownJobs = OwnJobs(of: settings.node, at: kiosk, records, reportWaits: reportWaits)
        let reports = ReportSender(
            of: settings.node, at: settings.site, jetStream, records, waits: reportWaits, logger)
        let taker = JobTaker(
            settings, at: jetStream, records, kiosk, fetcher, ownJobs, reportWaits: reportWaits, logger)
        let pair =
            settings.isPaired
            ? PairMember(
                settings, at: jetStream, records, kiosk, ownJobs, taker, state, reportWaits: reportWaits, logger)
            : nil
        try await withThrowingTaskGroup { group in
            group.addTask { await state.follow(link) }
            group.addTask {
                try await repeating("take jobs from the hub") {
                    if let pair { try await pair.run() } else { try await taker.run() }
                }
            }
            group.addTask { try await repeating("watch the fleet's jobs") { try await ownJobs.watch() } }
            if let pair {
                group.addTask { try await repeating("follow the other kiosk") { try await pair.followReports() } }
            }
            group.addTask { try await repeating("report to the hub") { try await reports.run() } }
            group.addTask { try await repeating("tell the hub how the kiosk is") { try await sendStatus() } }
            if let configuration {
                group.addTask {
                    try await repeating("keep the kiosk as the office wants it") {
                        try await configuration.run(as: settings.node, at: jetStream, records, logger)
                    }
                }
            }
            if let login {
                group.addTask {
                    try await repeating("renew the kiosk's login") {
                        try await login.run(for: settings.site, at: jetStream, logger)
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// An attempt that ran for this long ends a series of failures: the next pause is short again. Longer than a request
    /// to a hub that does not answer, and than an election (4 to 9 s).
    private static let backoffResetTime: Duration = .seconds(15)
    /// Longer than any attempt takes at a hub that does not answer.
    private static let longestAttempt: Duration = .seconds(300)

    /// Runs `work` again and again while there is a connection, with growing pauses after failures. `what` completes
    /// "cannot …".
    private func repeating(_ what: String, _ work: () async throws -> Void) async throws {
        var pause = Backoff(upTo: .seconds(30))
        var lastMessage: String?
        while !Task.isCancelled {
            do {
                try await link.waitForConnection()
                let begin = ContinuousClock.now
                defer {
                    let lasted = begin.duration(to: .now)
                    if lasted > Self.backoffResetTime { pause.reset() }
                    if lasted > Self.longestAttempt { lastMessage = nil }
                }
                try await work()
            } catch is CancellationError where Task.isCancelled {
                return
            } catch  where FleetRecords.isDamage(error) {
                throw error
            } catch {
                // A hub that is away says so once, not once a minute for a week.
                let message = "\(error)"
                contact.failed(message)
                if message != lastMessage { logger.warning("cannot \(what): \(message)") }
                lastMessage = message
                do { try await pause.wait() } catch { return }
            }
        }
    }

    // MARK: Status

    private func sendStatus() async throws {
        var last: (status: KioskStatus, at: ContinuousClock.Instant)?
        while true {
            // Before it has begun, the last status tells a new machine where its site is.
            let takenUpTo = try await records.takenUpTo()
            guard takenUpTo != nil || settings.isPaired else {
                try await Task.sleep(for: .seconds(1))
                continue
            }
            let status = KioskStatus(
                version: settings.version, health: try await kiosk.health(), takenUpTo: takenUpTo)
            let isDue =
                last.map { last in
                    last.at.duration(to: .now) >= settings.statusInterval || last.status.differsNotably(from: status)
                } ?? true
            if isDue {
                _ = try await jetStream.publish(.status(settings.site, settings.node), body: status.body())
                last = (status, .now)
                contact.reached()
            }
            try await Task.sleep(for: settings.healthCheckInterval)
        }
    }
}
