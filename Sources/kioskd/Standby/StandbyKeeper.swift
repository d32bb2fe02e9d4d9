import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskEngine
import KioskPrintModel
import KioskStandby
import Logging

/// Keeps the partner's jobs, and takes them over where the partner falls silent: each is in doubt then, since nobody
/// can know whether the partner is dead or only cut off, and what it has printed.
actor StandbyKeeper {
    private let engine: PrintEngine
    private let tokens: TokenStore
    private let store: StandbyStore
    private let contact: PartnerContact
    /// This kiosk's name.
    private let node: String
    private let logger: Logger

    /// The queues that kiosks have now, where jobs of an older one are held here.
    private var newQueues: [String: String] = [:]
    /// Jobs that this engine refused to take over, and when that is tried again.
    private var refused: [StandbyKey: ContinuousClock.Instant] = [:]

    private static let retryInterval = Duration.seconds(30)
    /// Jobs in one page of a list.
    private static let pageLength = 1000

    init(
        engine: PrintEngine, tokens: TokenStore, store: StandbyStore, contact: PartnerContact, node: String,
        logger: Logger
    ) {
        (self.engine, self.tokens, self.store) = (engine, tokens, store)
        (self.contact, self.node, self.logger) = (contact, node, logger)
    }

    private static var now: Int64 { Timestamp.now.millisecondsSince1970 / 1000 }

    // MARK: What the partner asks

    /// Keeps a job.
    func hold(_ job: StandbyJob, of node: String, _ id: Job.ID) async throws -> StandbyStanding {
        contact.heard(from: node)
        let key = StandbyKey(node: node, queue: job.queue, job: id)
        var caller: String?
        if let till = job.till, let token = tokens.token(withDigest: till.token) {
            caller = JobOwner.token(token.id).description
        }
        if case .taken(let own) = try await store.state(of: key) { return StandbyStanding(.taken, job: own) }
        if let caller, let till = job.till, let own = try await ownJob(under: till.key, of: caller),
            // Of two open jobs of one key one is given up, and not both: its kiosk's name decides which.
            own.state.isFinal || self.node < node
        {
            try await store.note(key, takenAs: own.id, at: Self.now)
            return StandbyStanding(.taken, job: own.id)
        }
        var request = job
        request.document = []
        let held = HeldJob(
            caller: caller, idempotencyKey: caller == nil ? nil : job.till?.key, request: try APIJSON.encode(request),
            document: job.document, age: job.age)
        switch try await store.hold(key, held, at: Self.now) {
        case .held: return StandbyStanding(.held)
        case .taken(let job): return StandbyStanding(.taken, job: job)
        }
    }

    /// This kiosk's own job under a till's key, as far as that stands for the till's: one that was canceled, or that
    /// nobody has on paper, does not.
    private func ownJob(under key: String, of caller: String) async throws -> Job? {
        guard let own = try await engine.job(underKey: key, of: caller) else { return nil }
        return [.canceled, .aborted].contains(own.state) && !own.isUnconfirmed ? nil : own
    }

    /// Forgets a job that has ended at its kiosk.
    func end(_ key: StandbyKey) async throws {
        contact.heard(from: key.node)
        try await store.end(key)
        refused[key] = nil
    }

    func list(_ query: StandbyQuery) async throws -> StandbyList {
        if let node = query.node, let queue = query.queue {
            contact.heard(from: node)
            if try await !store.heldKeys(of: node, otherQueueThan: queue).isEmpty { newQueues[node] = queue }
        }
        let (held, entries) = try await store.list(
            of: query.node, in: query.queue, isTaken: query.state.map { $0 == .taken }, after: query.after,
            limit: Self.pageLength)
        let jobs = entries.map { entry in
            switch entry.state {
            case .held: StandbyList.Entry(node: entry.key.node, id: entry.key.job, standby: .held, job: nil)
            case .taken(let job): StandbyList.Entry(node: entry.key.node, id: entry.key.job, standby: .taken, job: job)
            }
        }
        return StandbyList(
            node: node, held: held, jobs: jobs, next: jobs.count == Self.pageLength ? jobs.last?.id : nil)
    }

    // MARK: What tills ask

    /// Refuses a job that is held for the partner: it is safe there and here.
    func refuseHeld(_ request: JobRequest) async throws {
        guard let key = request.idempotencyKey, let caller = request.caller,
            // A till is not turned away for want of this.
            let held = try? await store.holder(of: key, caller: caller)
        else { return }
        throw Problem(
            .jobAtPartner,
            detail:
                "\(held.node) has accepted the job as its job \(held.job), and this kiosk keeps it too; ask there, or here again once that kiosk is silent"
        )
    }

    // MARK: Takeover

    /// Ends only with its task.
    func run() async {
        while !Task.isCancelled {
            if contact.look() { logger.warning("the partner \(contact.name) is silent; its jobs are taken over") }
            do {
                if contact.isSilent { try await takeOver(store.heldKeys()) { contact.isSilent } }
                for (node, queue) in newQueues {
                    newQueues[node] = nil
                    try await takeOver(store.heldKeys(of: node, otherQueueThan: queue)) { true }
                }
            } catch {
                contact.noteRefusal("\(error)")
                logger.error("the partner's jobs cannot be read: \(error)")
            }
            try? await Task.sleep(for: PartnerSilence.interval)
        }
    }

    /// `isDue`: whether it is still to be done; the partner may come back amid its jobs.
    private func takeOver(_ keys: [StandbyKey], while isDue: () -> Bool) async throws {
        for key in keys where !Task.isCancelled && isDue() {
            if let again = refused[key], again > .now { continue }
            refused[key] = nil
            do {
                try await takeOver(key)
            } catch let error as EngineError where error.code == .jobExpired {
                logger.notice("job \(key.job) of \(key.node) is not taken over: it has expired")
                try await store.end(key)
            } catch {
                refused[key] = .now + Self.retryInterval
                contact.noteRefusal("job \(key.job): \(error)")
                logger.error("job \(key.job) of \(key.node) cannot be taken over, and is tried again: \(error)")
            }
        }
    }

    private func takeOver(_ key: StandbyKey) async throws {
        guard let held = try await store.held(key, at: Self.now) else { return }
        let job = try APIJSON.decode(StandbyJob.self, from: held.request)
        var request = JobRequest(
            role: job.role, name: job.name, user: job.user, format: job.format, ticket: job.ticket,
            idempotencyKey: held.idempotencyKey, caller: held.caller, rights: .all, owner: owner(of: job),
            ownerName: job.ownerName, requestID: job.requestID)
        // A till that repeats it here is led to it, unless its key leads to a job that does not stand for it.
        if try await !isFree(held) { name(&request, after: key) }
        request.age = max(0, held.age)
        request.doubt =
            "\(key.node) had accepted the job as its job \(key.job), and is silent: look at the paper of its printer too."
        let own = try await submit(request, held.document, key)
        try await store.take(key, as: own.id, at: Self.now)
        contact.noteTakeover()
        logger.notice(
            "job \(key.job) of \(key.node) is taken over as job \(own.id)", metadata: ["job": "\(own.id)"])
    }

    private func submit(_ request: JobRequest, _ document: [UInt8], _ key: StandbyKey) async throws -> Job {
        do {
            return try await engine.submit(request, bytes: document)
        } catch let error as EngineError where error.code == .idempotencyConflict {
            // The till has sent another document here under that key.
            var request = request
            name(&request, after: key)
            return try await engine.submit(request, bytes: document)
        }
    }

    /// Whether a job can have its till's key here.
    private func isFree(_ held: HeldJob) async throws -> Bool {
        guard let key = held.idempotencyKey, let caller = held.caller else { return false }
        guard try await engine.job(underKey: key, of: caller) != nil else { return true }
        return try await ownJob(under: key, of: caller) != nil
    }

    /// Gives a request a key that nobody else has, so that the same job is taken over once.
    private func name(_ request: inout JobRequest, after key: StandbyKey) {
        request.idempotencyKey = "\(key.node)/\(key.queue)/\(key.job)"
        request.caller = JobRequest.standbyCaller
    }

    private func owner(of job: StandbyJob) -> JobOwner? {
        job.till.flatMap { tokens.token(withDigest: $0.token) }.map { .token($0.id) }
    }
}
