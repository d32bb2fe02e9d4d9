import AsyncPrimitives
import DurableFiles
public import Logging
public import PrintModel
public import PrinterRegistry
public import ServiceLifecycle

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
    let logger: Logger
    let clock: EngineClock
    let store: JobStore
    let spool: DocumentSpool
    /// Tells this engine's jobs from those of any other at the same printer.
    let marker: String
    nonisolated let hub: EventHub
    let waiters = JobWaiters()
    let registry = CurrentRegistry()
    let storage: StorageHealth
    let writer: JobWriter
    nonisolated let history: HistoryTrimmer
    let documentCheck: DocumentCheck
    let documents: DocumentLoader

    var board: DispatchBoard
    var jobs = JobTable()
    var contacts: PrinterContacts
    var outdatedConnections: OutdatedConnections
    /// The jobs that wait until they can be prepared; meanwhile they are offered to no printer.
    var unpreparedJobs: Set<Int64> = []
    private(set) var clockChanges = ClockChanges()
    private(set) var isRunning = false
    private(set) var isShuttingDown = false
    /// Whether the engine ends because of damage: no job is begun on a printer before the next start.
    private var isLeavingDamage = false
    private var ticker: Task<Void, Never>?
    /// Given up by the shutdown, so that another engine may open the folder while this value still lives.
    private var lock: FolderLock?
    /// Whether the whole queue was checked at the start.
    private let isQueueChecked: Bool
    /// For the health check alone: transports ask for themselves.
    private let credentials: (any CredentialSource)?

    /// Opens the state folder and reads the queue. Throws `EngineError` when the folder is in use or damaged.
    ///
    /// Jobs are accepted at once; they are printed while `run` runs.
    ///
    /// With `credentials` the health check names those of the registry that cannot be used; with `preparation` the
    /// engine accepts documents that are rendered for the chosen printer.
    public init(
        configuration: EngineConfiguration, registry: RegistryStore, transports: [any Transport],
        credentials: (any CredentialSource)? = nil, preparation: (any DocumentPreparation)? = nil, logger: Logger
    ) async throws {
        try await self.init(
            configuration: configuration, registry: registry, transports: transports, credentials: credentials,
            preparation: preparation, logger: logger, clock: .system
        )
    }

    init(
        configuration: EngineConfiguration, registry registryStore: RegistryStore, transports: [any Transport],
        credentials: (any CredentialSource)? = nil, preparation: (any DocumentPreparation)? = nil, logger: Logger,
        clock: EngineClock
    ) async throws {
        self.configuration = configuration
        self.registryStore = registryStore
        self.credentials = credentials
        self.preparation = preparation
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
        marker = opening.marker
        isQueueChecked = opening.isChecked
        contacts = PrinterContacts(configuration: configuration, remembered: opening.contacts)
        let trimWanted = AsyncSignal()
        storage = StorageHealth(
            files: QueueFiles(folder: configuration.stateDirectory), spool: spool, roomWanted: trimWanted,
            logger: logger)
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
        } catch  where error.isTaken {
            throw EngineError(.stateFolderInUse, error.message)
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
        if !records.isEmpty { logger.info("\(records.count) jobs are taken up from the last run") }
    }

    /// Puts the restored jobs on the board, once the registry is known: waiting jobs wait again, and printers are asked
    /// for the jobs that they may have.
    private func queueRestored() {
        for id in jobs.ids.sorted() {
            guard let job = jobs[id] else { continue }
            if job.stage == .waiting { enqueue(id) }
            if job.stage.isInDoubt, let printer = job.job.printer { board.addResumption(of: id, on: printer) }
        }
    }

    // MARK: Run

    /// Prints until the surrounding task is cancelled or a graceful shutdown begins; then lets running deliveries
    /// finish for a moment and leaves the rest to the next start.
    ///
    /// Throws `storage-damaged` where the queue was found damaged and `EngineConfiguration.damagePause` says so: a new
    /// engine on the same folder recovers.
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
                group.addTask { await self.checkQueueNowAndThen() }
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

    /// Runs while something is due at the next tick: one timer for all jobs and callers instead of one for each.
    func tickSoon() {
        guard ticker == nil else { return }
        ticker = Task { [clock] in
            repeat {
                try? await clock.sleep(Self.tick)
                saveUnsaved()
            } while (waiters.giveUp(at: .now) || writer.hasUnsaved) && !isShuttingDown
            ticker = nil
        }
    }

    private static let tick = Duration.milliseconds(50)

    private func saveUnsaved() {
        for id in writer.takeUnsaved() {
            guard let job = jobs[id], !job.isSettling else { continue }
            writer.save(job.record)
        }
    }

    // MARK: The clock

    /// Takes over a clock that was set. Whatever waits keeps the time that it had left, and no printer is asked later
    /// than it would have been.
    func followClock() {
        let moved = clock.adopt()
        let now = clock.now()
        guard let description = clockChanges.note(moved, at: now) else { return }
        logger.warning("\(description); jobs keep the time that they had left")
        contacts.clockMoved(by: moved)
        board.moveExpiry(by: moved)
        for job in jobs.all where !job.isSettling { job.clockMoved(by: moved) }
        store.commits.enqueue { db in
            try JobStore.moveTimes(by: moved, at: now, in: db)
        } completion: { [storage] result in
            if case .failure(let error) = result { storage.note(error, doing: "store the jobs' times") }
        }
    }

    // MARK: Health

    /// The state of the engine now. Asks no printer, and waits for nothing but a look at the secrets file and the state
    /// folder.
    public func health() async -> HealthReport {
        let unusable = await unusableCredentials()
        let folder = configuration.stateDirectory
        let inspection = try? await spool.blocking { try StateFolderInspection(of: folder) }
        let now = clock.now()
        return HealthAssessment(
            now: now, registry: registry.snapshot, registryProblem: registry.problem, statuses: printers(),
            obstacles: board.printers.compactMapValues(\.obstacle), unusableCredentials: unusable,
            jobs: jobs.all.map(\.job), storageProblem: storage.problem,
            folder: inspection ?? StateFolderInspection(unreadable: folder),
            clockChecks: clockChanges.checks(at: now), preparationChecks: preparation?.healthChecks ?? []
        ).report
    }

    /// The printers whose credentials cannot be used, with the reason; no secret leaves this.
    private func unusableCredentials() async -> [PrinterID: String] {
        guard let credentials else { return [:] }
        let printers = registry.snapshot.printers
        var read: [String: Result<Credentials, any Error>] = [:]
        for name in Set(printers.compactMap(\.credentials)) {
            do {
                read[name] = .success(try await credentials.credentials(named: name))
            } catch {
                read[name] = .failure(error)
            }
        }
        var problems: [PrinterID: String] = [:]
        for printer in printers {
            guard let name = printer.credentials, let result = read[name] else { continue }
            do {
                try result.get().check(named: name, for: printer.url)
            } catch {
                problems[printer.id] = "\(error)"
            }
        }
        return problems
    }

    // MARK: Damage

    /// Throws once damage was found and every document under way has arrived, or has taken too long. Printers can then
    /// be asked about the jobs that they took whole. Returns when the task is cancelled.
    private func endWhenDamaged() async throws {
        guard let pause = configuration.damagePause else { return }
        await storage.damageFound.wait()
        guard !Task.isCancelled, let damage = storage.damage else { return }
        do {
            try await clock.sleep(pause)
            isLeavingDamage = true
            let start = ContinuousClock.now
            while start.duration(to: .now) < Self.longestDelivery, jobs.all.contains(where: \.stage.isOnItsWay) {
                try await clock.sleep(Self.deliveryInterval)
            }
        } catch {
            return
        }
        logger.notice("the engine ends, so that the next start recovers the queue")
        throw damage
    }

    /// A delivery that takes longer is cut off, and its printer is asked about it.
    private static let longestDelivery = Duration.seconds(30)
    private static let deliveryInterval = Duration.milliseconds(20)

    /// Checks a queue that was trusted at the start because the last process closed it, while jobs are already accepted
    /// and printed. Checks again each hour, and after a failure that damage may have caused, until the task is
    /// cancelled.
    private func checkQueueNowAndThen() async {
        guard configuration.damagePause != nil else { return }
        let files = QueueFiles(folder: configuration.stateDirectory)
        if isQueueChecked { await waitForNextCheck() }
        while !Task.isCancelled {
            do {
                try await QueueCheck(store: store).runInUse(of: files)
            } catch let error as EngineError where error.code == .storageDamaged {
                return storage.note(error)
            } catch is CancellationError {
                return
            } catch {
                logger.debug("the queue cannot be checked: \(error)")
            }
            do { try await clock.sleep(Self.shortestCheckInterval) } catch { return }
            await waitForNextCheck()
        }
    }

    private func waitForNextCheck() async {
        let reminder = Task { [clock, storage] in
            do { try await clock.sleep(Self.checkInterval) } catch { return }
            storage.checkWanted.raise()
        }
        await storage.checkWanted.wait()
        reminder.cancel()
    }

    private static let shortestCheckInterval = Duration.seconds(5)
    private static let checkInterval = Duration.seconds(3600)

    // MARK: Shutdown

    /// How long running deliveries may go on after a shutdown began.
    private static let shutdownGrace = Duration.milliseconds(1500)

    private func shutDown() async {
        isShuttingDown = true
        waiters.finish()
        let tasks = jobs.all.compactMap(\.task)
        // A delivery that is cut off here is asked after at the next start; nothing is lost by not waiting longer.
        let grace = Task { [clock] in
            try? await clock.sleep(Self.shutdownGrace)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
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
    fileprivate var isTaken: Bool { operation == "lock" && errno == 11 }
}
