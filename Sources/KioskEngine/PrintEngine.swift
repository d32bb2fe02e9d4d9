import DurableFiles
public import Logging
public import PrintModel
public import PrinterRegistry
public import ServiceLifecycle

/// The engine: takes jobs durably, routes them by role, and sees each through to its end on some printer.
///
/// One actor holds the queue in memory; the database holds it durably. State changes here first and is shown to others
/// once it is on disk. Nothing here waits for a printer except the task of the job that is on it.
public actor PrintEngine: Service {
    let configuration: EngineConfiguration
    let registry: RegistryStore
    let transports: [PrinterURL.Scheme: any Transport]
    /// Each once, however many schemes it serves.
    let everyTransport: [any Transport]
    /// For the health check alone: transports ask for themselves.
    let credentials: (any CredentialSource)?
    /// Reads documents that are for no printer in particular; nil where every document goes as it is.
    let preparation: (any DocumentPreparation)?
    let logger: Logger
    let clock: EngineClock
    let store: JobStore
    let spool: DocumentSpool
    /// Given up by the shutdown, so that another engine may open the folder while this value still lives.
    var lock: FolderLock?
    let marker: String
    nonisolated let hub: EventHub
    let waiters = JobWaiters()

    var board: DispatchBoard
    var active: [Int64: ActiveJob] = [:]
    var schedule = ContactSchedule()
    /// False from a contact that an edit of the printer overtook.
    var contacts: [PrinterID: Task<Bool, Never>] = [:]
    /// Of these came news during a contact, whose answer may be older than the news.
    var heardMeanwhile: Set<PrinterID> = []
    /// Silent once, and not called unreachable yet.
    var doubted: Set<PrinterID> = []
    /// As printers were saved before, while a job that was sent so is on them.
    var outdated: [PrinterID: [PrinterTarget]] = [:]
    /// Ends when the connections of `outdated` are closed; what begins then waits for it, or it would be cut off too.
    var leaving: [PrinterID: Task<Void, Never>] = [:]
    /// How often what a printer asks for was changed: its trust, its login, its secrets.
    var edits: [PrinterID: Int] = [:]
    var contactTimes: [PrinterID: Timestamp] = [:]
    var remembered: [PrinterID: JobStore.RememberedContact] = [:]
    var snapshot = Registry()
    var registryProblem: String?
    var storageProblem: EngineError?
    var clockJump: ClockJump?
    /// The sum of all by which the clock was set while this runs.
    var clockMoves = Duration.zero
    /// Deliveries in a row that a printer failed.
    var failures: [PrinterID: Int] = [:]
    /// The jobs that wait until they can be prepared; meanwhile they are offered to no printer.
    var unprepared: Set<Int64> = []
    var cachedDocumentBytes = 0
    /// Jobs whose latest change is not stored yet.
    var unsaved: Set<Int64> = []
    var ticker: Task<Void, Never>?
    /// Final since the history was last put within its bounds.
    var finishedJobs = 0
    var finishedBytes: Int64 = 0
    /// Wakes the loop that trims the history before its time.
    let historyAlarm = Alarm()
    /// Wakes the contact loop when something became due earlier than it sleeps.
    let alarm = Alarm()
    var isRunning = false
    var isShuttingDown = false
    /// Rings when damage of the queue is found.
    let damageAlarm = Alarm()
    /// Rings when the disk fails in a way that damage may have caused.
    let suspicionAlarm = Alarm()
    /// Whether the engine ends because of damage: no job is begun on a printer before the next start.
    var isLeavingDamage = false
    /// Whether the whole queue was checked at the start.
    let isQueueChecked: Bool

    /// Opens the state folder and reads the queue. Throws `EngineError` when the folder is in use or damaged.
    ///
    /// Jobs are accepted at once; they are printed while `run` runs.
    ///
    /// With `credentials` the health check tells which names of the registry cannot be used; with `preparation`
    /// documents are taken that are turned into what the chosen printer takes.
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
        configuration: EngineConfiguration, registry: RegistryStore, transports: [any Transport],
        credentials: (any CredentialSource)? = nil, preparation: (any DocumentPreparation)? = nil, logger: Logger,
        clock: EngineClock
    ) async throws {
        self.configuration = configuration
        self.registry = registry
        self.credentials = credentials
        self.preparation = preparation
        board = DispatchBoard(preparation: preparation)
        self.logger = logger
        self.clock = clock
        var byScheme: [PrinterURL.Scheme: any Transport] = [:]
        for transport in transports {
            for scheme in transport.schemes { byScheme[scheme] = transport }
        }
        self.transports = byScheme
        everyTransport = transports
        hub = EventHub(now: clock.now)
        let opening: JobStore.Opening
        (lock, opening, spool) = try await Self.openState(in: configuration, at: clock.now(), logger: logger)
        store = opening.store
        marker = opening.marker
        isQueueChecked = opening.isChecked
        try await restore(opening)
        await applyRegistry()
        takeUpRestored()
        await endOrphans()
    }

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
                group.addTask { await self.lookForDamage() }
                group.addTask { await self.contactLoop() }
                group.addTask { await self.followRegistry() }
                group.addTask { await self.watchRegistry() }
                group.addTask { await self.expireLoop() }
                group.addTask { await self.historyLoop() }
                group.addTask { await self.followNews() }
            }
            return nil
        } catch {
            return error as? EngineError
        }
    }

    /// Events after the one with this id, or from now on. Begins with a `resync` event when some are no longer kept;
    /// ends when the reader lags too far behind or the engine stops.
    public nonisolated func events(after id: Int64? = nil) -> AsyncStream<EngineEvent> {
        hub.events(after: id)
    }

    /// How long running deliveries may go on after a shutdown began.
    private static let shutdownGrace = Duration.milliseconds(1500)

    private func shutDown() async {
        isShuttingDown = true
        waiters.finish()
        let tasks = active.values.compactMap(\.task)
        // A delivery that is cut off here is asked after at the next start; nothing is lost by not waiting longer.
        let grace = Task { [clock] in
            try? await clock.sleep(Self.shutdownGrace)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        grace.cancel()
        for contact in contacts.values { contact.cancel() }
        for transport in everyTransport { await transport.shutDown() }
        saveUnsaved()
        await store.commits.flush()
        await rememberJobs()
        // What was not closed is checked whole at the next start.
        do {
            try await spool.blocking { [store] in try store.close() }
        } catch {
            logger.warning("the queue is left open: \(error)")
        }
        hub.finish()
        lock = nil
    }
}

/// A job that is not final, and what runs on its behalf.
struct ActiveJob {
    var record: JobRecord
    /// Its document was stored long ago, by an earlier run or for the job that it prints again: it is looked at before
    /// it is sent.
    var isRestored = false
    /// The document of a small job that came in lately; else it is read again when it is needed.
    var document: [UInt8]?
    var refusedBy: Set<PrinterID> = []
    /// What the last printer that refused it said.
    var refusal: String?
    /// Delivers, resumes or follows it.
    var task: Task<Void, Never>?
    var progress: DeliveryMonitor?
    /// The number of failed preparations in a row, for no fault of the document.
    var unprepared = 0
    /// How often its printer was asked for it in a row and did not answer.
    var unanswered = 0
    /// Tells the printer to cancel it; whether it agreed.
    var canceling: Task<Bool, Never>?

    /// The final state is on its way to the disk.
    var isSettling: Bool { record.stage == .done }

    /// As everybody sees it.
    var shown: Job { record.shown(in: progress) }

    func waiting() -> WaitingJob {
        WaitingJob(
            id: record.job.id, destination: record.destination,
            copiedFor: record.job.group == nil ? nil : record.job.role,
            format: record.job.format,
            priority: record.job.ticket.priority ?? 50, expiresAt: record.job.expiresAt, refusedBy: refusedBy
        )
    }
}
