public import KioskPrintModel
import KioskQueueListings
import KioskSSH
public import Logging
public import NIOCore
import NIOPosix
import Synchronization

/// The transport to printers behind a Unix host: logs in over SSH, and runs `lpr`, `lpq` and `lprm` there.
///
/// One instance serves any number of hosts. For each host and login it keeps one connection, which all queues share,
/// and what is known of the host's programs (`HostFacts`).
public final class SSHLprTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.sshLpr]
    /// Each contact runs a command on somebody's server.
    public let idleContactInterval: Duration? = .seconds(60)

    private let settings: @Sendable (String?) -> LprSettings
    private let deadlines: Deadlines
    private let clock: any Clock<Duration>
    let trace: WireTrace
    private let logger: Logger
    /// Nil where a test supplies the hosts.
    private let connector: HostConnector?
    private let hosts: HostPool
    /// What queues said at their last contact.
    private let descriptions = Mutex<[PrinterTarget: PrinterDescription]>([:])
    private let ownGroup: (any EventLoopGroup)?

    /// - Parameters:
    ///   - credentials: The source of the logins that the printers' `credentials` name.
    ///   - settings: The settings of a profile, by its name; read for each call.
    ///   - group: Carries the connections. Without one, the transport makes and shuts down one with a single thread.
    ///   - clock: Paces the queries of a job.
    public convenience init(
        credentials: (any CredentialSource)? = nil,
        settings: @escaping @Sendable (String?) -> LprSettings = { _ in LprSettings() },
        deadlines: Deadlines = Deadlines(), group: (any EventLoopGroup)? = nil,
        clock: any Clock<Duration> = ContinuousClock(), trace: WireTrace = WireTrace(),
        logger: Logger = Logger(label: "ssh+lpr")
    ) {
        let ownGroup = group == nil ? MultiThreadedEventLoopGroup(numberOfThreads: 1) : nil
        let connector = HostConnector(
            credentials: credentials, hostKeys: HostKeyTrust(), deadlines: deadlines.connection,
            group: group ?? ownGroup ?? MultiThreadedEventLoopGroup.singleton, trace: trace, logger: logger
        )
        self.init(
            hosts: HostPool { connector.host(of: $0, shared: $1) }, connector: connector, ownGroup: ownGroup,
            settings: settings, deadlines: deadlines, clock: clock, trace: trace, logger: logger
        )
    }

    init(
        hosts: HostPool, connector: HostConnector? = nil, ownGroup: (any EventLoopGroup)? = nil,
        settings: @escaping @Sendable (String?) -> LprSettings, deadlines: Deadlines, clock: any Clock<Duration>,
        trace: WireTrace = WireTrace(), logger: Logger
    ) {
        self.hosts = hosts
        self.connector = connector
        self.ownGroup = ownGroup
        self.settings = settings
        self.deadlines = deadlines
        self.clock = clock
        self.trace = trace
        self.logger = logger
    }

    /// Closes the host's connection without sending anything: the trust and the login may just have been replaced.
    public func forget(_ printer: PrinterTarget) async {
        descriptions.withLock { $0[printer] = nil }
        await hosts.forget(printer)
    }

    public func shutDown() async {
        await hosts.shutDown()
        guard let ownGroup else { return }
        do {
            try await ownGroup.shutdownGracefully()
        } catch {
            logger.warning("the event loop did not end cleanly: \(error)")
        }
    }

    /// Runs a call for a queue. Every error that `work` throws becomes a `TransportError`.
    private func call<Value: Sendable>(
        _ printer: PrinterTarget, _ work: (QueueClient) async throws -> Value
    ) async throws -> Value {
        guard schemes.contains(printer.url.scheme), let queue = printer.url.queue else {
            throw TransportError(
                .notSupported, operation: "connect",
                message: "\(printer.url): this transport serves ssh+lpr://user@host/queue only; "
                    + "save the printer under such a URL"
            )
        }
        guard let host = hosts.host(of: printer) else {
            throw TransportError(cancelled: "connect", printer: printer.url)
        }
        let client = QueueClient(
            printer: printer.url, queue: queue, host: host, settings: settings(printer.profile), deadlines: deadlines,
            trace: trace
        )
        do {
            return try await work(client)
        } catch let error as SSHError {
            throw TransportError(error, printer: printer.url)
        } catch is CancellationError {
            throw TransportError(cancelled: "connect", printer: printer.url)
        }
    }

    // MARK: - Contact

    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        try await call(printer) { client in
            let (dialect, _) = try await client.facts()
            let response = try await client.contact(dialect)
            let listing = QueueListing(response[.queue], dialect: dialect, queue: client.queue)
            if listing.isMissing { throw client.noSuchQueue(listing) }
            // The host may have changed to another lpr since its facts were read.
            if !listing.isComplete, listing.state == .unknown { client.host.invalidateFacts() }
            var description = PrinterDescription(response)
            description.pagesLeft = try await client.pagesLeft(logger)
            descriptions.withLock { [description] in $0[printer] = description }
            return ContactReport(description: description, availability: Availability(response, listing))
        }
    }

    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        guard let connector else { return nil }
        return try await call(printer) { _ in
            let shown = try await connector.identity(of: printer)
            return JudgedIdentity(
                .hostKey(shown.key), refusal: shown.refusal.map { TransportError($0, printer: printer.url) })
        }
    }

    // MARK: - Delivery

    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        let delivery = try await delivery.rendered()
        return try await call(printer) { client in
            progress(.connecting)
            let (dialect, facts) = try await client.facts()
            let job = LprDelivery(delivery, dialect: dialect, facts: facts, client: client, progress: progress)
            let remarks = LprRemarks.all(delivery.ticket, dialect, descriptions.withLock { $0[printer] })
            if delivery.ticket.fidelity == true, let remark = remarks.first {
                throw TransportError(
                    .jobRefused, operation: "lpr",
                    message: "\(printer.url): \(remark), and the ticket asks for fidelity; print without it")
            }
            var report = try await self.findJob(of: delivery, dialect, client, after: try await job.send())
            report.remarks += remarks
            return report
        }
    }

    /// Finds the job in the queue after `lpr` has accepted it. A fast one may have left the queue already.
    private func findJob(
        of delivery: Delivery, _ dialect: LprSettings.Dialect, _ client: QueueClient, after listing: QueueListing
    ) async throws -> JobReport {
        var listing = listing
        for pause in [nil] + Self.pauses(dialect) {
            if let pause {
                do {
                    try await clock.sleep(for: pause)
                    listing = try await client.listing(dialect, owner: LprOwner.make(delivery.user))
                } catch is CancellationError {
                    throw TransportError(
                        .cancelled, operation: "lpq",
                        message: "\(client.printer): lpr on the host has accepted the job",
                        bytesAccepted: delivery.document.length
                    )
                } catch {
                    // The host has the job, whatever becomes of the queries.
                    logger.debug("\(client.printer): lpq failed after lpr accepted a job: \(error)")
                    continue
                }
            }
            if let job = listing.job(of: delivery.jobID) {
                let id = LprJobID(number: job.number, deliveryID: delivery.jobID)
                if let report = JobReport(id, in: listing) { return report }
            }
            if listing.showsAll, dialect != .lprng { return .leftQueue(nil) }
        }
        return listing.showsAll ? .leftQueue(nil) : .acceptedUnseen(listing)
    }

    /// The pauses between the queries. LPRng's daemon answers `lpq` from its cache for two seconds
    /// (lpq_status_interval).
    private static func pauses(_ dialect: LprSettings.Dialect) -> [Duration?] {
        switch dialect {
        case .lprng: [.milliseconds(300), .milliseconds(700), .milliseconds(1500)]
        case .cups, .bsd: [.milliseconds(300), .milliseconds(1000)]
        }
    }

    /// What the queue takes of a ticket, which no job needs to be asked for.
    public func remarks(
        on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget
    ) async throws -> [String] {
        try await call(printer) { client in
            LprRemarks.all(delivery.ticket, try await client.facts().0, descriptions.withLock { $0[printer] })
        }
    }

    /// A job that is not in the queue may have been printed long ago: line printer queues keep no history.
    public func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob? {
        try await call(printer) { client in
            let (dialect, _) = try await client.facts()
            let listing = try await client.listing(dialect, owner: LprOwner.make(delivery.user))
            let job = listing.job(of: delivery.jobID)
            // CUPS lists a job from its announcement on, even if its document never arrives: after a broken connection
            // the job is being removed. (The document's length is unknown here after a restart.)
            let isAnnounced = dialect == .cups && job?.size == 0
            if let job, !isAnnounced {
                return LprJobID(number: job.number, deliveryID: delivery.jobID).remoteJob
            }
            let why =
                isAnnounced
                ? "it was announced, and the host has nothing of its document yet"
                : listing.isComplete
                    ? "it is not in the queue, and the host remembers no jobs that have left it"
                    : "the output of lpq cannot be understood\(listing.detail)"
            var error = TransportError(
                .outcomeUnknown, operation: "lpq",
                message: "\(client.printer): whether the host accepted the job is unknown: \(why); "
                    + "look whether it printed"
            )
            error.isUnanswerable = true
            throw error
        }
    }

    // MARK: - Jobs in the queue

    public func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport {
        try await call(printer) { client in
            guard let id = LprJobID(job) else { throw client.unknownJob(job) }
            return try await self.follow(
                id, of: LprOwner.make(job.origin?.user), with: client, by: self.clock, update: update)
        }
    }

    private func follow<C: Clock>(
        _ job: LprJobID, of owner: String, with client: QueueClient, by clock: C, update: @Sendable (JobReport) -> Void
    ) async throws -> JobReport where C.Duration == Duration {
        var watch = QueueWatch(job, deadlines: deadlines.queueWatch)
        let start = clock.now
        while true {
            let result = try await query(client, owner: owner)
            switch watch.action(after: result, elapsed: start.duration(to: clock.now)) {
            case .wait(let pause, let report):
                if let report { update(report) }
                try await clock.sleep(for: pause)
            case .finish(let report): return report
            case .giveUp(let reason):
                throw TransportError(
                    .outcomeUnknown, operation: "lpq",
                    message: "\(client.printer): the outcome of job \(job.number) is unknown: \(reason); "
                        + "look whether it printed",
                    remoteJob: job.remoteJob
                )
            }
        }
    }

    private func query(_ client: QueueClient, owner: String) async throws -> QueueWatch.QueryResult {
        do {
            let (dialect, _) = try await client.facts()
            return .listing(try await client.listing(dialect, owner: owner))
        } catch let error as SSHError where error.isTemporary {
            return .failed(TransportError(error, printer: client.printer))
        } catch let error as TransportError where error.code == .programMissing || error.code == .protocolViolation {
            return .failed(error)
        }
    }

    /// Queries the queue before and after: LPRng and BSD confirm a removal only by it, and reuse job numbers.
    public func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws {
        try await call(printer) { client in
            guard let id = LprJobID(job) else { throw client.unknownJob(job) }
            let owner = LprOwner.make(job.origin?.user)
            let (dialect, _) = try await client.facts()
            let before = try await client.listing(dialect, owner: owner)
            guard JobReport(id, in: before) != nil else { throw client.notInQueue(id, before) }
            try await client.remove(id, dialect, owner: owner)
        }
    }

    // MARK: - Deadlines

    /// How long to wait for a host and its programs.
    public struct Deadlines: Sendable {
        /// The time to connect.
        public var connect: Duration = .seconds(10)
        /// The time from the connection until the host key is known, and again until the login is complete.
        public var login: Duration = .seconds(20)
        /// How long an unused connection stays open.
        public var idle: Duration = .seconds(300)
        /// The time for the output of `lpq` and similar programs.
        public var query: Duration = .seconds(30)
        /// How long no octet may move while a document is sent, and from its last octet until `lpr` has exited: LPRng's
        /// tries three times, ten seconds apart.
        public var stall: Duration = .seconds(120)
        /// The time to send a whole document.
        public var delivery: Duration = .seconds(4 * 3600)
        /// The time for one step of a conversion.
        public var conversion: Duration = .seconds(600)
        /// How long a host may be unreachable while it has our job.
        public var lostHost: Duration = .seconds(300)
        /// How long the output of `lpq` may be unreadable while the queue has our job.
        public var unclearQueue: Duration = .seconds(60)

        public init() {}

        fileprivate var queueWatch: QueueWatch.Deadlines {
            QueueWatch.Deadlines(lostHost: lostHost, unclearQueue: unclearQueue)
        }

        fileprivate var connection: SSHDeadlines {
            var deadlines = SSHDeadlines()
            deadlines.connect = connect
            deadlines.handshake = login
            deadlines.login = login
            deadlines.idle = idle
            return deadlines
        }
    }
}

extension SSHError {
    /// Whether another query later may succeed: the host is switched off and on, or busy.
    fileprivate var isTemporary: Bool {
        switch code {
        case .hostNotFound, .connectionRefused, .unreachable, .connectionLost, .timedOut, .channelRefused,
            .tooMuchOutput:
            true
        default: false
        }
    }
}

extension JobReport {
    /// The host accepted the job, and its queue cannot be understood.
    fileprivate static func acceptedUnseen(_ listing: QueueListing) -> JobReport {
        JobReport(
            state: .completed, reasons: ["queued-in-device"], evidence: .accepted,
            message: "lpr on the host accepted the job; its outcome is unknown, since the output of lpq cannot be "
                + "understood\(listing.detail)"
        )
    }
}
