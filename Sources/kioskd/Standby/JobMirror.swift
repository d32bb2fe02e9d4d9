import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskAsyncPrimitives
import KioskDurableFiles
import KioskEngine
import KioskFleet
import KioskPrintModel
import KioskPrinterRegistry
import KioskStandby
import Logging

/// Has the partner keep what tills send to mirrored roles, tells it how their jobs end, and gives up what it has taken
/// over. Nothing of it is in the way of printing: where the partner is away, jobs are accepted alone, and mirrored when
/// it is back.
actor JobMirror {
    private let engine: PrintEngine
    private let registry: RegistryStore
    private let tokens: TokenStore
    private let store: StandbyStore
    private let link: PartnerLink
    private let contact: PartnerContact
    private let logger: Logger

    /// How the partner has an open job of this kiosk, as far as is known.
    private enum Standing: Hashable {
        /// It is on its way there.
        case sending(hasEnded: Bool)
        case held
        case taken
        /// The partner lacks it.
        case lacking(since: ContinuousClock.Instant)
        /// It is final here, and the partner does not know.
        case ended
    }
    private var standings: [Job.ID: Standing] = [:]
    /// Counts the changes of standings.
    private var changes = 0
    /// Whether all that the partner has is to be compared: something may be there of which nothing is known here.
    private var needsComparison = true
    private var comparedAt: ContinuousClock.Instant?
    /// Open jobs of an earlier run that were not compared yet.
    private var restored: Set<Job.ID> = []
    private let endsWait = AsyncSignal()
    /// The partner's own jobs, where it has taken over ones that are open here.
    private var takenOver: [Job.ID: Job.ID] = [:]
    /// When the partner is sent again what it lacks, where it has refused some of that.
    private var sendsAgainAt: ContinuousClock.Instant?
    /// What the log said last of the partner.
    private var lastProblem: String?

    /// A till waits so long for the partner's disk, and no longer.
    private static let acceptanceLimit = Duration.milliseconds(150)
    private static let interval = Duration.seconds(1)
    /// The least time between two comparisons, and the most.
    private static let comparisonIntervals = (least: Duration.seconds(5), most: Duration.seconds(60))
    /// Pages of a list of the partner's, of a thousand jobs each: more than it keeps.
    private static let maximumPages = 20
    /// Bytes of what is told of a call that failed.
    private static let maximumProblem = 500
    /// After this time the partner is sent again what it has refused.
    private static let refusalInterval = Duration.seconds(30)

    init(
        engine: PrintEngine, registry: RegistryStore, tokens: TokenStore, store: StandbyStore, link: PartnerLink,
        contact: PartnerContact, logger: Logger
    ) {
        (self.engine, self.registry, self.tokens) = (engine, registry, tokens)
        (self.store, self.link, self.contact, self.logger) = (store, link, contact, logger)
    }

    private var mirroredRoles: Set<RoleName> {
        get async { Set(await registry.registry.roles.filter(\.mirror).map(\.name)) }
    }

    /// Whether jobs of a request are mirrored.
    func mirrors(_ request: JobRequest) async -> Bool { await isMirrored(request.role) }

    private func isMirrored(_ role: RoleName?) async -> Bool {
        guard let role else { return false }
        return await registry.registry.role(role)?.mirror == true
    }

    private func set(_ standing: Standing?, of id: Job.ID) {
        standings[id] = standing
        changes += 1
    }

    // MARK: Acceptance

    /// Has the partner keep a job that was just accepted, or notes that it lacks it. Returns soon in any case. A job that
    /// came before under the same key stays as it is.
    func mirror(_ job: Job, _ request: JobRequest) async {
        guard standings[job.id] == nil, !job.state.isFinal else { return }
        set(.sending(hasEnded: false), of: job.id)
        await send(job, request)
        await noteMissedEnd(of: job.id)
    }

    private func send(_ job: Job, _ request: JobRequest) async {
        let id = job.id
        do {
            if let reason = Self.obstacle(to: job, request) {
                logger.notice("job \(id) is not mirrored: \(reason)", metadata: ["job": "\(id)"])
                return lack(id)
            }
            let message = message(of: job, request)
            guard !contact.isSilent else {
                try await remember(message, of: id)
                return lack(id)
            }
            do {
                let complete = try await complete(message, of: id)
                settle(id, try await link.hold(complete, id, within: Self.acceptanceLimit))
            } catch {
                // It may have come there all the same.
                needsComparison = true
                noteProblem("\(error)")
                try await remember(message, of: id)
                return lack(id)
            }
            await giveUpTaken()
        } catch {
            logger.warning("job \(id) is not mirrored, nor later: \(error)", metadata: ["job": "\(id)"])
            lack(id)
        }
    }

    /// Why a job is never mirrored; nil where it can be.
    private static func obstacle(to job: Job, _ request: JobRequest) -> String? {
        // The accepted ticket says so also where the request leaves the encryption to the printer.
        if job.ticket.hasSecret { return "its PIN or password is for this kiosk alone" }
        if request.printer != nil { return "it is for one printer by name" }
        if job.documentLength > StandbyStore.maximumDocument {
            return "its document has \(job.documentLength) bytes, and \(StandbyStore.maximumDocument) are the most"
        }
        return nil
    }

    /// The job without its document.
    private func message(of job: Job, _ request: JobRequest) -> StandbyJob {
        var till: StandbyJob.Till?
        // The users of another machine are other people, and their keys name other jobs.
        if let key = request.idempotencyKey, case .token(let token) = request.owner,
            let digest = tokens.digest(of: token)
        {
            till = StandbyJob.Till(key: key, token: digest)
        }
        return StandbyJob(
            queue: link.queue, role: request.role ?? "", name: request.name, user: request.user, format: job.format,
            ticket: request.ticket, till: till, ownerName: request.ownerName, requestID: request.requestID, age: 0,
            document: [])
    }

    /// The same with the document, as long as it is kept.
    private func complete(_ message: StandbyJob, of id: Job.ID) async throws -> StandbyJob {
        var message = message
        switch try await engine.keptDocument(of: id, by: .program).body {
        case .bytes(let bytes): message.document = bytes
        case .file(let path, _):
            message.document = try await BackgroundWork.run {
                try AtomicFile.read(path, limit: StandbyStore.maximumDocument)
            }
        }
        return message
    }

    private func remember(_ message: StandbyJob, of id: Job.ID) async throws {
        try await store.remember(id, in: link.queue, request: APIJSON.encode(message))
    }

    private func lack(_ id: Job.ID, since time: ContinuousClock.Instant = .now) {
        // Where nothing is left to mirror, a comparison finds what the partner may have.
        set(standings[id] == .sending(hasEnded: true) ? nil : .lacking(since: time), of: id)
    }

    /// The partner has a job.
    private func settle(_ id: Job.ID, _ standing: StandbyStanding) {
        let hasEnded = standings[id] == .sending(hasEnded: true)
        if let job = standing.job { takenOver[id] = job }
        set(hasEnded ? .ended : standing.standby == .taken ? .taken : .held, of: id)
        if hasEnded { endsWait.raise() }
    }

    // MARK: Takeovers

    /// Gives up what the partner has taken over, as far as nothing is done with it here.
    private func giveUpTaken() async {
        for (id, job) in takenOver.sorted(by: { $0.key < $1.key }) {
            takenOver[id] = nil
            do {
                let remark = "the partner \(contact.name) has taken it over as its job \(job)"
                if try await engine.giveUp(id, remark: remark) {
                    logger.notice("job \(id) is canceled: \(remark)", metadata: ["job": "\(id)"])
                }
            } catch {
                logger.warning(
                    "job \(id), which the partner has as its job \(job), cannot be canceled: \(error)",
                    metadata: ["job": "\(id)"])
            }
        }
    }

    /// Asks what the partner has taken over, before anything is printed.
    func askBeforePrinting() async {
        guard await engine.hasOpenJobs(of: mirroredRoles) else { return }
        do {
            try await PartnerLink.within(.seconds(1)) { try await self.greet() }
        } catch {
            logger.notice("the partner cannot be asked before jobs are printed: \(error)")
        }
    }

    // MARK: The connection

    /// Ends only with its task.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchEnds() }
            group.addTask {
                while !Task.isCancelled {
                    await self.endsWait.wait()
                    try? await self.tellEnds()
                }
            }
            while !Task.isCancelled {
                await look()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func watchEnds() async {
        while !Task.isCancelled {
            let events = engine.events()
            // Jobs may have ended between two streams.
            needsComparison = true
            for await event in events {
                if event.kind == .resync { break }
                if let job = event.job, job.state.isFinal { await noteEnd(of: job.id) }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func noteEnd(of id: Job.ID) async {
        switch standings[id] {
        case nil, .ended: return
        case .sending: set(.sending(hasEnded: true), of: id)
        case .held, .taken:
            set(.ended, of: id)
            endsWait.raise()
        case .lacking:
            set(nil, of: id)
            try? await store.forget(id, in: link.queue)
        }
    }

    /// A job may have ended before its end was waited for.
    private func noteMissedEnd(of id: Job.ID) async {
        do {
            if try await openJob(id) == nil { await noteEnd(of: id) }
        } catch {
            // A comparison finds it.
            needsComparison = true
        }
    }

    private func tellEnds() async throws {
        for id in standings.filter({ $0.value == .ended }).keys.sorted() {
            try await link.end(id)
            set(nil, of: id)
        }
    }

    private func look() async {
        do {
            try await greet()
            try await tellEnds()
            try await sendLate()
            lastProblem = nil
        } catch {
            needsComparison = true
            noteProblem("\(error)")
        }
    }

    private func noteProblem(_ problem: String) {
        let problem = String(problem.withoutControlCharacters.prefix(utf8Count: Self.maximumProblem))
        contact.failed(problem)
        // Once, as long as it stays so.
        if problem != lastProblem { logger.warning("the partner \(contact.name): \(problem)") }
        lastProblem = problem
    }

    /// Tells the partner that this kiosk is there, and learns what it has taken over.
    private func greet() async throws {
        let before = changes
        let first = try await link.taken()
        contact.answered(by: try NodeName(first.node).text)
        for entry in first.jobs { try await meet(entry) }
        try await meetAll(from: first.next) { try await link.taken(after: $0) }
        await giveUpTaken()
        if before == changes, !standings.values.contains(where: Self.isOnTheWay),
            first.held != standings.values.count(where: { $0 == .held })
        {
            needsComparison = true
        }
        let limit = needsComparison ? Self.comparisonIntervals.least : Self.comparisonIntervals.most
        guard comparedAt.map({ $0.duration(to: .now) >= limit }) ?? true else { return }
        try await compare()
        await giveUpTaken()
    }

    /// Takes in the pages of a list from one on; returns the numbers of the jobs in it.
    @discardableResult
    private func meetAll(
        from first: Job.ID?, _ page: (_ after: Job.ID) async throws -> StandbyList
    ) async throws -> Set<Job.ID> {
        var listed: Set<Job.ID> = []
        var (next, pages) = (first, 0)
        // What comes from another machine may be anything.
        while let after = next, pages < Self.maximumPages {
            pages += 1
            let list = try await page(after)
            for entry in list.jobs {
                listed.insert(entry.id)
                try await meet(entry)
            }
            next = list.next.flatMap { $0 > after ? $0 : nil }
        }
        return listed
    }

    private static func isOnTheWay(_ standing: Standing) -> Bool {
        if case .sending = standing { true } else { standing == .ended }
    }

    /// Goes through all that the partner has.
    private func compare() async throws {
        needsComparison = false
        comparedAt = .now
        let known = standings.filter { $0.value == .held || $0.value == .taken }.keys
        let listed = try await meetAll(from: 0) { try await link.everything(after: $0) }
        let lost = known.filter { !listed.contains($0) } + restored.filter { !listed.contains($0) }
        for id in lost where [nil, .held, .taken].contains(standings[id]) {
            if try await openJob(id) != nil { set(.lacking(since: .now), of: id) } else { set(nil, of: id) }
        }
        restored = []
    }

    /// Notes which jobs an earlier run has left, before new ones come.
    func begin() async {
        let open = Set(await engine.openJobs(of: mirroredRoles).map(\.id))
        restored = open
        do {
            for id in try await store.remembered(in: link.queue) {
                if open.contains(id) {
                    set(.lacking(since: .now), of: id)
                } else {
                    try await store.forget(id, in: link.queue)
                }
            }
        } catch {
            logger.warning("what the partner lacks cannot be read: \(error)")
        }
    }

    /// The job, where it is open.
    private func openJob(_ id: Job.ID) async throws -> Job? {
        do {
            let job = try await engine.job(id)
            return job.state.isFinal ? nil : job
        } catch let error as EngineError where error.code == .jobNotFound {
            return nil
        }
    }

    /// Takes in how the partner has a job.
    private func meet(_ entry: StandbyList.Entry) async throws {
        if case .sending = standings[entry.id] { return }
        guard let job = try await openJob(entry.id) else {
            set(.ended, of: entry.id)
            endsWait.raise()
            return
        }
        // No other job is the partner's to take.
        let isMirrored = await isMirrored(job.role)
        guard standings[entry.id] != nil || isMirrored else { return }
        // Meanwhile something else may have happened to it.
        switch standings[entry.id] {
        case .sending, .ended: return
        case .lacking: try await store.forget(entry.id, in: link.queue)
        case nil, .held, .taken: break
        }
        if let job = entry.job { takenOver[entry.id] = job }
        let standing: Standing = entry.standby == .taken ? .taken : .held
        if standings[entry.id] != standing { set(standing, of: entry.id) }
    }

    /// Sends what the partner lacks.
    private func sendLate() async throws {
        guard standings.values.contains(where: { if case .lacking = $0 { true } else { false } }),
            sendsAgainAt.map({ $0 <= .now }) ?? true
        else { return }
        sendsAgainAt = nil
        for id in try await store.remembered(in: link.queue) {
            guard case .lacking(let since) = standings[id] else { continue }
            guard let job = try await openJob(id), let bytes = try await store.request(of: id, in: link.queue) else {
                set(nil, of: id)
                try await store.forget(id, in: link.queue)
                continue
            }
            set(.sending(hasEnded: false), of: id)
            do {
                var message = try await complete(APIJSON.decode(StandbyJob.self, from: bytes), of: id)
                let milliseconds = Timestamp.now.millisecondsSince1970 - job.createdAt.millisecondsSince1970
                message.age = min(max(0, Int(milliseconds / 1000)), StandbyJob.maximumAge)
                settle(id, try await link.hold(message, id, within: nil))
            } catch {
                needsComparison = true
                lack(id, since: since)
                await noteMissedEnd(of: id)
                // One that it refuses is not in the way of the others.
                guard let refusal = error as? KioskClientError, refusal.problem != nil else { throw error }
                noteProblem("\(error)")
                sendsAgainAt = .now + Self.refusalInterval
                continue
            }
            try await store.forget(id, in: link.queue)
            await noteMissedEnd(of: id)
            logger.info("job \(id) is mirrored now", metadata: ["job": "\(id)"])
        }
        await giveUpTaken()
    }

    // MARK: Health

    /// A warning where open jobs are not on the partner's disk.
    func checks(at now: ContinuousClock.Instant = .now) -> [HealthReport.Check] {
        let times = standings.values.compactMap { if case .lacking(let since) = $0 { since } else { nil } }
        guard let first = times.min() else { return [] }
        let jobs = times.count == 1 ? "1 open job" : "\(times.count) open jobs"
        return [
            HealthReport.Check(
                code: "not-mirrored", subject: contact.name, status: .warning,
                message:
                    "\(jobs) of mirrored roles cannot be taken over by the partner \(contact.name), the first for \(first.duration(to: now).components.seconds) s"
            )
        ]
    }
}
