import KioskAsyncPrimitives
import KioskDurableFiles
public import KioskPrintModel
public import KioskPrinterRegistry
public import Logging
public import ServiceLifecycle
import Synchronization

/// The print engine: accepts jobs durably, routes them by role, and sees each through to its end on some printer.
///
/// One actor owns the queue in memory; the database holds it durably. State changes here first and is shown to others
/// once it is on disk. Nothing here waits for a printer except the task of the job that is on it. Its parts keep their
/// own state: `DispatchBoard` routes, `JobTable` holds the jobs, `DeliveryAttempt` brings one job to one printer,
/// `PrinterContacts` supervises contacts, `JobWriter` stores changes, `HistoryTrimmer` limits the history.
public actor PrintEngine: Service {
    let configuration: EngineConfiguration
    let registryStore: RegistryStore
    let transports: [PrinterURL.Scheme: any Transport]
    /// Each once, however many schemes it serves.
    let everyTransport: [any Transport]
    /// Prepares documents that are written for no printer in particular; nil where every document is sent as it is.
    let preparation: (any DocumentPreparation)?
    let trace: EngineTrace
    let measurements: JobMeasurements
    let logger: Logger
    let clock: EngineClock
    let store: JobStore
    let spool: DocumentSpool
    /// Tells this engine's jobs from those of any other at the same printer.
    let marker: String
    nonisolated let hub: EventHub
    nonisolated let waiters = JobWaiters()
    let registry = CurrentRegistry()
    let storage: StorageHealth
    let writer: JobWriter
    nonisolated let history: HistoryTrimmer
    let documentCheck: DocumentCheck
    let documents: DocumentLoader
    let probes = RunningProbes()

    var board: DispatchBoard
    var jobs = JobTable()
    var contacts: PrinterContacts
    var outdatedConnections: OutdatedConnections
    var preparationRetries = PreparationRetries()
    private(set) var clockChanges = ClockChanges()
    private(set) var isRunning = false
    private(set) var isShuttingDown = false
    /// Whether the engine ends because of damage: no job is begun on a printer before the next start.
    private var isLeavingDamage = false
    private nonisolated let isTickDue = Mutex(false)
    /// Given up by the shutdown, so that another engine may open the folder while this value still lives.
    private var lock: FolderLock?
    /// Nil where the queue is not checked while the engine runs.
    private let queueSupervision: QueueSupervision?
    /// The credentials that the health check inspects. Transports have their own source.
    private let credentials: (any CredentialSource)?

    /// Opens the state directory and reads the queue. Throws `EngineError` when the folder is in use or damaged.
    ///
    /// Jobs are accepted at once; they are printed while `run` runs.
    ///
    /// - Parameters:
    ///   - credentials: Lets the health check name those of the registry that cannot be used.
    ///   - preparation: Lets the engine accept documents that are rendered for the chosen printer.
    ///   - trace: Is told the steps of jobs and the results of contacts.
    ///   - observer: Counts and times what happens.
    public init(
        configuration: EngineConfiguration, registry: RegistryStore, transports: [any Transport],
        credentials: (any CredentialSource)? = nil, preparation: (any DocumentPreparation)? = nil,
        trace: WireTrace = WireTrace(), observer: (any EngineObserver)? = nil, logger: Logger
    ) async throws {
        try await self.init(
            configuration: configuration, registry: registry, transports: transports, credentials: credentials,
            preparation: preparation, trace: trace, observer: observer, logger: logger, clock: .system
        )
    }

    init(
        configuration: EngineConfiguration, registry registryStore: RegistryStore, transports: [any Transport],
        credentials: (any CredentialSource)? = nil, preparation: (any DocumentPreparation)? = nil,
        trace: WireTrace = WireTrace(), observer: (any EngineObserver)? = nil, logger: Logger, clock: EngineClock
    ) async throws {
        self.configuration = configuration
        self.registryStore = registryStore
        self.credentials = credentials
        self.preparation = preparation
        self.trace = EngineTrace(trace)
        measurements = JobMeasurements(observer: observer)
        self.logger = logger
        self.clock = clock
        var byScheme: [PrinterURL.Scheme: any Transport] = [:]
        for transport in transports {
            for scheme in transport.schemes { byScheme[scheme] = transport }
        }
        self.transports = byScheme
        everyTransport = transports
        board = DispatchBoard(preparation: preparation)
        outdatedConnections = OutdatedConnections(transports: byScheme)
        hub = EventHub(now: clock.now)
        let opening: QueueOpening
        (lock, opening, spool) = try await Self.openState(in: configuration, at: clock.now(), logger: logger)
        store = opening.store
        if let observer { store.commits.observe(observer) }
        marker = opening.marker
        contacts = PrinterContacts(configuration: configuration, remembered: opening.contacts)
        let trimWanted = AsyncSignal()
        storage = StorageHealth(
            files: QueueFiles(folder: configuration.stateDirectory), spool: spool, roomWanted: trimWanted,
            logger: logger)
        queueSupervision =
            configuration.restartDelayAfterDamage == nil
            ? nil
            : QueueSupervision(
                store: store, files: QueueFiles(folder: configuration.stateDirectory), storage: storage, clock: clock,
                isChecked: opening.isChecked, logger: logger)
        writer = JobWriter(commits: store.commits, hub: hub, registry: registry, storage: storage, clock: clock)
        history = HistoryTrimmer(
            wanted: trimWanted, store: store, spool: spool, registry: registry, storage: storage,
            configuration: configuration, clock: clock, logger: logger)
        documentCheck = DocumentCheck(store: store, spool: spool, storage: storage, preparation: preparation)
        documents = DocumentLoader(store: store, spool: spool, storage: storage)
        try await restore(opening)
        await applyRegistry()
        queueRestored()
        await endOrphans()
    }

    // MARK: Start

    /// Opens the folder's parts; one engine at a time has them open.
    private static func openState(
        in configuration: EngineConfiguration, at now: Timestamp, logger: Logger
    ) async throws -> (FolderLock, QueueOpening, DocumentSpool) {
        let folder = configuration.stateDirectory
        let spool = DocumentSpool(folder: "\(folder)/documents", logger: logger)
        return try await spool.blocking {
            try Folder.create(folder, permissions: 0o700)
            try Folder.create(spool.folder, permissions: 0o700)
            return (try lock(folder), try QueueOpening.open(in: folder, at: now, logger: logger), spool)
        }
    }

    private static func lock(_ folder: String) throws -> FolderLock {
        do throws(FileError) {
            return try FolderLock(folder: folder)
        } catch  where error.isInUse {
            throw EngineError(.stateDirectoryInUse, error.message)
        }
    }

    /// Takes over the jobs of the last run.
    private func restore(_ opening: QueueOpening) async throws {
        let records = ClockChanges.rebased(opening.records, at: clock.now())
        for record in records { jobs.restore(record) }
        let files = opening.documentFiles
        try await spool.blocking { [spool] in
            if let aside = opening.unfinishedAside {
                try spool.setAsideOrphans(of: aside, keeping: files)
            } else {
                try spool.removeOrphans(keeping: files)
            }
        }
        if !records.isEmpty { logger.info("\(records.count) jobs are restored from the last run") }
    }

    /// Puts the restored jobs on the board, once the registry is known: waiting jobs wait again, and printers are asked
    /// for the jobs that they may have.
    private func queueRestored() {
        for id in jobs.ids.sorted() {
            guard let job = jobs[id] else { continue }
            trace.restored(job.record.life.status)
            if job.stage == .waiting { enqueueRestored(job) }
            if job.stage.isInDoubt, let printer = job.job.printer { board.addResumption(of: id, on: printer) }
        }
    }

    // MARK: Run

    /// Prints until the surrounding task is cancelled or a graceful shutdown begins; then lets running deliveries
    /// finish for a moment and leaves the rest to the next start.
    ///
    /// Throws `storage-damaged` where the queue was found damaged and `EngineConfiguration.restartDelayAfterDamage` is
    /// set: a new engine on the same directory recovers.
    public func run() async throws {
        isRunning = true
        dispatchAll()
        let damage = await cancelWhenGracefulShutdown { await self.work() }
        await shutDown()
        // Whoever ends the process meanwhile is obeyed.
        if let damage, !Task.isShuttingDownGracefully { throw damage }
    }

    /// Works until the engine ends; returns the error that ended it, or nil when the task was cancelled.
    private func work() async -> EngineError? {
        do {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await self.endWhenDamaged() }
                group.addTask { [queueSupervision] in await queueSupervision?.run() }
                group.addTask { await self.contactLoop() }
                group.addTask { await self.followRegistry() }
                group.addTask { await self.watchRegistry() }
                group.addTask { await self.expireLoop() }
                group.addTask { [history] in await history.run() }
                group.addTask { await self.followNews() }
            }
            return nil
        } catch {
            return error as? EngineError
        }
    }

    /// Whether jobs may be sent to printers.
    var mayBegin: Bool { isRunning && !isShuttingDown && !isLeavingDamage }

    /// Events after the one with this id, or from now on. Begins with a `resync` event when some are no longer kept;
    /// ends when the reader lags too far behind or the engine stops.
    public nonisolated func events(after id: Int64? = nil) -> AsyncStream<EngineEvent> {
        hub.events(after: id)
    }

    // MARK: Ticks

    /// Stores at the next tick what waits for it: one timer for all jobs instead of one for each.
    nonisolated func tickSoon() {
        let wasDue = isTickDue.withLock { isDue in
            defer { isDue = true }
            return isDue
        }
        guard !wasDue else { return }
        Task { [clock] in
            try? await clock.sleep(Self.tick)
            await saveUnsaved()
        }
    }

    private static let tick = Duration.milliseconds(50)

    private func saveUnsaved() {
        isTickDue.withLock { $0 = false }
        for id in writer.takeUnsaved() {
            guard let job = jobs[id], !job.isSettling else { continue }
            takeName(of: job)
            writer.save(job.record)
        }
    }

    // MARK: The clock

    /// Takes over a clock that was set. Whatever waits keeps the time that it had left, and no printer is asked later
    /// than it would have been.
    func followClock() {
        let change = store.times.adopt { () -> (moved: Duration, now: Timestamp, description: String)? in
            let moved = clock.adopt()
            let now = clock.now()
            return clockChanges.note(moved, at: now).map { (moved, now, $0) }
        }
        guard let (moved, now, description) = change else { return }
        logger.warning("\(description); jobs keep the time that they had left")
        contacts.clockMoved(by: moved)
        board.moveExpiry(by: moved)
        for job in jobs.all where !job.isSettling { job.clockMoved(by: moved) }
        store.commits.enqueue { db in
            try JobStore.moveTimes(by: moved, at: now, in: db)
        } completion: { [storage, times = store.times] result in
            times.changeEnded()
            if case .failure(let error) = result { storage.note(error, doing: "store the jobs' times") }
        }
    }

    // MARK: Health

    /// The state of the engine now. Asks no printer, and waits for nothing but a look at the secrets file and the state
    /// folder. A scope that names what is not in the registry reports nothing about it.
    public func health(
        of scope: HealthScope = .everything, thresholds: HealthThresholds = HealthThresholds()
    ) async -> HealthReport {
        let unusable = await credentials?.problems(of: registry.snapshot.printers) ?? [:]
        let folder = configuration.stateDirectory
        let inspection = try? await spool.blocking { try StateDirectoryInspection(of: folder) }
        var transportChecks: [HealthReport.Check] = []
        for transport in everyTransport { transportChecks += await transport.healthChecks }
        let now = clock.now()
        return HealthAssessment(
            now: now, scope: scope, thresholds: thresholds, registry: registry.snapshot,
            registryProblem: registry.problem, statuses: printers().filter(scope.includes),
            obstacles: board.printers.compactMapValues(\.obstacle), unusableCredentials: unusable,
            jobs: jobs.all.map(\.job).filter(scope.includes),
            releases: jobs.all.reduce(into: [:]) { $0[$1.id] = $1.releasedAt }, storageProblem: storage.problem,
            folder: inspection ?? StateDirectoryInspection(unreadable: folder),
            clockChecks: clockChanges.checks(at: now), preparationChecks: preparation?.healthChecks ?? [],
            transportChecks: transportChecks
        ).report
    }

    /// Returns once the engine, and behind it the queue's thread, have had their turn; not while either of them hangs.
    /// Stores nothing.
    package func ping() async {
        // The shutdown closes the queue.
        guard !isShuttingDown else { return }
        await store.commits.flush()
    }

    /// The number of jobs that are not final.
    package var openJobCount: Int { jobs.count }

    // MARK: Damage

    /// Throws once damage was found and every document under way has arrived, or has taken too long. Printers can then
    /// be asked about the jobs that they took whole. Returns when the task is cancelled.
    private func endWhenDamaged() async throws {
        guard let pause = configuration.restartDelayAfterDamage else { return }
        await storage.damageFound.wait()
        guard !Task.isCancelled, let damage = storage.damage else { return }
        do {
            try await clock.sleep(pause)
            isLeavingDamage = true
            let start = ContinuousClock.now
            while start.duration(to: .now) < Self.maximumDeliveryTime, jobs.all.contains(where: \.stage.isOnItsWay) {
                try await clock.sleep(Self.deliveryInterval)
            }
        } catch {
            return
        }
        logger.notice("the engine ends, so that the next start recovers the queue")
        throw damage
    }

    /// A delivery that takes longer is cut off, and its printer is asked about it.
    private static let maximumDeliveryTime = Duration.seconds(30)
    private static let deliveryInterval = Duration.milliseconds(20)

    // MARK: Shutdown

    /// How long running deliveries may go on after a shutdown began.
    private static let shutdownGrace = Duration.milliseconds(1500)

    private func shutDown() async {
        isShuttingDown = true
        waiters.finish()
        let attempts = jobs.all.compactMap(\.attempt)
        // A delivery that is cut off here is asked after at the next start; nothing is lost by not waiting longer.
        let grace = Task { [clock] in
            try? await clock.sleep(Self.shutdownGrace)
            for attempt in attempts { attempt.cancel() }
        }
        for attempt in attempts { await attempt.finish() }
        grace.cancel()
        contacts.cancelAll()
        for transport in everyTransport { await transport.shutDown() }
        saveUnsaved()
        await store.commits.flush()
        await rememberJobs()
        // A queue that was not closed is checked whole at the next start.
        do {
            try await spool.blocking { [store] in try store.close() }
        } catch {
            logger.warning("the queue is left open: \(error)")
        }
        hub.finish()
        lock = nil
    }

    /// Stores what is known of the jobs in memory, which may be more than can be read from a damaged queue.
    private func rememberJobs() async {
        guard storage.damage != nil else { return }
        let entries = jobs.all.map { RememberedJobs.Entry(record: $0.record, document: $0.document) }
        let (file, now) = (RememberedJobs(files: QueueFiles(folder: configuration.stateDirectory)), clock.now())
        do {
            try await spool.blocking { try file.write(entries, at: now) }
        } catch {
            logger.error(
                "what is known of \(entries.count) jobs cannot be kept for the next start, which has to read them from the damaged queue: \(error)"
            )
        }
    }
}

extension FileError {
    /// EWOULDBLOCK on Linux: another process holds the lock.
    fileprivate var isInUse: Bool { operation == "lock" && errno == 11 }
}

/// The registry that is in force: the printers and roles by which jobs are routed.
final class CurrentRegistry: Sendable {
    private struct State {
        var registry = Registry()
        var problem: String?
    }
    private let state = Mutex(State())

    var snapshot: Registry { state.withLock(\.registry) }

    /// Why the file is not in force as it is now; nil where it is.
    var problem: String? { state.withLock(\.problem) }

    func update(_ registry: Registry, problem: String?) {
        state.withLock { $0 = State(registry: registry, problem: problem) }
    }

    func printer(_ id: PrinterID) -> SavedPrinter? { state.withLock { $0.registry.printer(id) } }

    func role(_ name: RoleName?) -> Role? {
        guard let name else { return nil }
        return state.withLock { $0.registry.role(name) }
    }

    /// How long jobs of a role are kept; the default for jobs without a role, and for roles that no longer exist.
    func retention(of role: RoleName?) -> Retention { self.role(role)?.keep ?? Retention() }
}
