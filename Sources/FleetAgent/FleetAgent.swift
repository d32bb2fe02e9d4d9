import KioskAsyncPrimitives
package import KioskFleet
import KioskPrintModel
package import Logging
import Synchronization

/// The kiosk's side of a fleet: takes the site's jobs from the hub, reports what becomes of them, and tells how the
/// kiosk is. Nothing at the kiosk waits for it.
package struct FleetAgent: Sendable {
    private let settings: Settings
    private let link: any FleetLink
    private let jetStream: JetStream
    private let records: FleetRecords
    private let kiosk: any FleetKiosk
    private let contact: FleetContact
    private let state: FleetState
    /// Nil where the kiosk is set up at its site alone.
    private let configuration: ConfigurationKeeper?
    private let logger: Logger
    /// Raised when a report waits.
    private let reportWaits = AsyncSignal()
    private let openJobs = OpenJobs()
    /// Held while a job is read and what it says is noted, so that an older word never comes after a newer one.
    private let updating = AsyncMutex()

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

        package init(site: SiteName, node: NodeName, version: String) {
            (self.site, self.node, self.version) = (site, node, version)
        }
    }

    package init(
        _ settings: Settings, link: any FleetLink, records: FleetRecords, kiosk: any FleetKiosk,
        contact: FleetContact, state: FleetState = FleetState(), configuration: ConfigurationKeeper? = nil,
        logger: Logger
    ) {
        (self.settings, self.link, self.records, self.kiosk) = (settings, link, records, kiosk)
        (jetStream, self.contact, self.logger) = (JetStream(link), contact, logger)
        (self.state, self.configuration) = (state, configuration)
    }

    /// Works until the task is cancelled. Throws where the records are found damaged: they have to be opened anew.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { await state.follow(link) }
            group.addTask {
                try await repeating("take jobs from the hub") {
                    if settings.isPaired { try await takeJobsOfPair() } else { try await takeJobs() }
                }
            }
            group.addTask { try await repeating("watch the fleet's jobs") { try await watchJobs() } }
            if settings.isPaired {
                group.addTask { try await repeating("follow the other kiosk") { try await followReports() } }
            }
            group.addTask { try await repeating("report to the hub") { try await sendReports() } }
            group.addTask { try await repeating("tell the hub how the kiosk is") { try await sendStatus() } }
            if let configuration {
                group.addTask {
                    try await repeating("keep the kiosk as the office wants it") {
                        try await configuration.run(as: settings.node, at: jetStream, records, logger)
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

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
                    if begin.duration(to: .now) > .seconds(60) {
                        pause.reset()
                        lastMessage = nil
                    }
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

    // MARK: Jobs

    private func takeJobs() async throws {
        let start: Int64
        if let taken = try await records.takenUpTo() { start = taken } else { start = try await begin() }
        try await fetch(from: start) { try await take($0, upTo: $0.position.storedAt) }
    }

    private func fetch(
        from start: Int64, _ take: @escaping @Sendable (JobFetcher.Delivery) async throws -> Void
    ) async throws {
        try await JobFetcher(of: settings.site, at: jetStream, pace: settings.pace).run(from: start, take: take)
    }

    /// `progress`: up to when the hub has stored what is taken once this is, in ns since 1970.
    private func take(_ delivery: JobFetcher.Delivery, upTo progress: Int64) async throws {
        let storedAt = delivery.position.storedAt
        switch delivery.subject {
        case .job(_, let role, let key):
            let content = (try? FleetJob(delivery.message)).map { "\(role) \($0.digest)" }
            // A claim of the other kiosk is looked at below: it may have died over it.
            if let known = try await records.known(key), known.stage != .claimed {
                // Delivered again; or stored again, since its sender has not heard of it, and the hub may have lost all
                // that it had.
                guard storedAt > known.storedAt else { return try await records.advance(to: progress) }
                try await records.noteAgain(key, storedAt: storedAt, reportAgain(known, content), upTo: progress)
                reportWaits.raise()
                if let job = known.job { try await update(job) }
                return
            }
            var claim: UInt64 = 0
            if settings.isPaired {
                guard let own = try await claimJob(key, storedAt: storedAt, upTo: progress) else { return }
                claim = own
            }
            let note = { @Sendable [claim] (report: FleetReport) in
                if let id = report.job?.id, !report.stage.isFinal { openJobs.insert(id) }
                try await records.note(
                    key, storedAt: storedAt, content: content, report, after: claim, upTo: progress)
                reportWaits.raise()
            }
            // It may have changed before it was noted, when nobody looked.
            if let job = try await accept(delivery, note) { try await update(.init(job)) }
        case .cancellation(_, let key):
            if let known = try await records.known(key) {
                if let job = known.job, try await isThere(job) { try await kiosk.cancel(job.id) }
                return try await records.advance(to: progress)
            }
            // Its job may come later, sent again by an office that does not know of the cancellation.
            let refusal = FleetReport.Failure(code: "job-canceled", message: "the job was canceled before it came")
            try await records.note(
                key, storedAt: storedAt, FleetReport(node: settings.node, .refused, error: refusal), upTo: progress)
            reportWaits.raise()
        case .documentChunk, .report, .status, .lease, .desired, .reported, .audit: return
        }
    }

    /// Accepts a job that has come, and notes what is to be reported of it. Waits for as long as the kiosk cannot take
    /// it: the hub keeps it. Nil where it was refused.
    private func accept(
        _ delivery: JobFetcher.Delivery, _ note: @escaping @Sendable (FleetReport) async throws -> Void
    ) async throws -> Job? {
        func refuse(_ refusal: FleetReport.Failure) async throws -> Job? {
            try await note(report(refusal))
            return nil
        }
        let job: FleetJob
        do throws(FleetError) {
            job = try FleetJob(delivery.message)
        } catch {
            return try await refuse(.init(code: "fleet-job-invalid", message: error.description))
        }
        var pause = Backoff(upTo: .seconds(30))
        var isTold = false
        let begin = ContinuousClock.now
        let onItsWay =
            ((delivery.receivedAt ?? delivery.position.storedAt) - delivery.position.storedAt) / 1_000_000_000
        while true {
            let age = onItsWay + begin.duration(to: .now).components.seconds
            let acceptance: JobAcceptance
            do {
                acceptance = try await kiosk.accept(job, age: Int(clamping: max(0, age))) { append in
                    try await FleetDocument.read(job, delivery.message, at: jetStream, into: append)
                }
            } catch let error as FleetError
                where error.code == .missing && begin.duration(to: .now) < Self.longestLag
            {
                // A server of the hub that has just come back may not have it yet.
                try await pause.wait()
                continue
            } catch let error as FleetError where [.malformed, .missing].contains(error.code) {
                return try await refuse(.init(code: "fleet-document-invalid", message: error.description))
            }
            switch acceptance {
            case .accepted(let accepted):
                let report = FleetReport(node: settings.node, job: accepted)
                // Also where the kiosk has lost its site's lease meanwhile: it prints the job.
                try await Task { try await note(report) }.value
                return accepted
            case .refused(let refusal): return try await refuse(refusal)
            case .later(let reason):
                if !isTold { logger.warning("a job of the fleet waits at the hub: \(reason)") }
                isTold = true
                try await pause.wait()
            }
        }
    }

    /// How long a server of the hub may lack what the others have.
    private static let longestLag: Duration = .seconds(60)

    private func reportAgain(_ known: FleetRecords.Known, _ content: String?) async throws -> FleetReport {
        var conflict: FleetReport.Failure?
        if let before = known.content, let content, before != content {
            conflict = .init(
                code: "idempotency-conflict",
                message: "the site has had another job under this key; use a new key for a new job")
        }
        if let job = try await job(known.job), conflict == nil || !job.state.isFinal {
            // The first one goes on, whoever has sent another.
            var report = FleetReport(node: settings.node, job: job)
            report.error = conflict
            return report
        }
        if let conflict { return report(conflict) }
        if let report = known.report { return report }
        return FleetReport(
            node: settings.node, known.stage,
            error: .init(code: "job-taken-before", message: "the site has had the job before, and keeps no more of it"))
    }

    // MARK: Pairs

    /// Takes the site's jobs while this kiosk has the site's lease, of each role one after the other: the others are the
    /// hub's still when it dies.
    private func takeJobsOfPair() async throws {
        let lease = SiteLease(of: settings.site, for: settings.node, at: jetStream, state)
        try await lease.whileHolding { before in
            let start = try await catchUp(with: before)
            logger.notice("this kiosk takes the jobs of the site \"\(settings.site)\" now")
            let lanes = RoleLanes(from: start)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await fetch(from: start) { delivery in
                        guard case .job(_, let role, _) = delivery.subject else {
                            return try await take(delivery, upTo: lanes.progress(taking: delivery))
                        }
                        try await lanes.add(delivery, to: role)
                    }
                }
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { group in
                        for await role in lanes.begun {
                            group.addTask {
                                do {
                                    try await work(on: role, of: lanes)
                                } catch {
                                    lanes.end()
                                    throw error
                                }
                            }
                        }
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Takes the jobs of a lane until it is empty, each once the one before is settled.
    private func work(on role: RoleName, of lanes: RoleLanes) async throws {
        repeat {
            guard let delivery = lanes.first(of: role), case .job(_, _, let key) = delivery.subject else { return }
            try await take(delivery, upTo: lanes.progress(taking: delivery))
            while let job = try await job(records.known(key)?.job), !job.isSettled {
                try await Task.sleep(for: Self.settlingInterval)
            }
        } while lanes.removeFirst(of: role)
    }

    /// How often is looked whether a job is settled.
    private static let settlingInterval: Duration = .milliseconds(50)

    /// Claims a job for this kiosk; the number of the claim, or nil where it is the other kiosk's: then that is noted.
    private func claimJob(_ key: JobKey, storedAt: Int64, upTo progress: Int64) async throws -> UInt64? {
        do {
            return try await jetStream.publish(
                .report(settings.site, key), headers: [JetStream.expectedSequenceHeader: "0"],
                body: FleetReport.claim(by: settings.node).body()
            ).sequence
        } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
            var (said, sequence) = try await lastReport(of: key)
            if let said, said.node == settings.node, said.stage == .claimed { return sequence }
            // The other one is about to take it, or has died over that, or lost its lease.
            let deadline = ContinuousClock.now + Self.longestClaim
            while said?.stage == .claimed, .now < deadline {
                try await Task.sleep(for: Self.claimInterval)
                (said, sequence) = try await lastReport(of: key)
            }
            var claim = FleetRecords.Claim(
                key: key, storedAt: storedAt, sequence: sequence, stage: said?.stage ?? .unconfirmed, job: nil,
                report: nil)
            if let said, said.stage == .claimed { claim.report = doubt(about: said.node) }
            try await records.learn([claim])
            reportWaits.raise()
            try await records.advance(to: progress)
            return nil
        }
    }

    /// How long a kiosk may take from its claim to its acceptance until another one says that the job is in doubt.
    private static let longestClaim: Duration = .seconds(5)
    private static let claimInterval: Duration = .milliseconds(250)

    /// The last report of a job that has one, nil where it cannot be read, and its number.
    private func lastReport(of key: JobKey) async throws -> (report: FleetReport?, sequence: UInt64) {
        guard let last = try await jetStream.lastMessage(of: .report(settings.site, key), in: HubLayout.reports),
            let sequence = last.headers[JetStream.sequenceHeader].flatMap({ UInt64($0) })
        else { throw FleetError(.noResponse, "the hub has not got the report of \(key) yet that it has stored") }
        return (try? FleetReport(last), sequence)
    }

    /// What is said of a job that the other kiosk had taken.
    private func doubt(about node: NodeName) -> FleetReport {
        FleetReport(
            node: settings.node, .unconfirmed,
            error: .init(
                code: Self.kioskSilent,
                message:
                    "\(node) had taken the job when it fell silent: look at the paper; once it is back, it reports the end if it knows of the job"
            ))
    }

    /// Learns what the other kiosk says, so that it is known here too when the hub loses it.
    private func followReports() async throws {
        let fetcher = JobFetcher(reportsOf: settings.site, at: jetStream, pace: settings.pace)
        try await fetcher.run(from: records.takenUpTo() ?? 0) { delivery in
            guard case .report(_, let key) = delivery.subject, let said = try? FleetReport(delivery.message),
                said.node != settings.node
            else { return }
            let position = delivery.position
            try await records.learn([
                .init(
                    key: key, storedAt: position.storedAt, sequence: position.sequence, stage: said.stage, job: nil,
                    report: nil)
            ])
        }
    }

    /// Learns what the other kiosk has said of the site's jobs. What it had begun and not ended is in doubt. Returns from
    /// when on the hub's messages are to be fetched, in ns since 1970.
    private func catchUp(with before: NodeName?) async throws -> Int64 {
        var start = try await records.takenUpTo() ?? 0
        if let before, before != settings.node {
            let status = try await jetStream.lastMessage(of: .status(settings.site, before), in: HubLayout.status)
            start = max(start, status.flatMap { try? KioskStatus($0) }?.takenUpTo ?? 0)
        }
        let claims = ClaimList()
        try await jetStream.readLastMessages(of: FleetSubject.reportsFilter(of: settings.site), in: HubLayout.reports) {
            message, position in
            guard case .report(_, let key)? = FleetSubject(message.subject) else { return }
            let last = try? FleetReport(message)
            // Its own, which it had no time to take: it comes again.
            if let last, last.node == settings.node, last.stage == .claimed { return }
            if let last, last.node == settings.node, try await records.known(key) != nil { return }
            await claims.add(try await claim(key, of: message, at: position))
        }
        let found = await claims.claims
        try await records.learn(found)
        let doubtful = found.count { $0.report != nil }
        if doubtful > 0 { logger.notice("\(doubtful) jobs of the site were begun by another kiosk, and are in doubt") }
        try await records.advance(to: start)
        reportWaits.raise()
        try await lookAtJobs()
        return start
    }

    private func report(_ refusal: FleetReport.Failure) -> FleetReport {
        FleetReport(node: settings.node, .refused, error: refusal)
    }

    /// Where a kiosk begins that has no records: it may be a new machine at an old site. What others have claimed is not
    /// printed again, and what they have not ended is in doubt.
    private func begin() async throws -> Int64 {
        let status = try await jetStream.lastMessage(of: .status(settings.site, settings.node), in: HubLayout.status)
        // A status that cannot be read only costs time.
        let start = max(0, status.flatMap { try? KioskStatus($0) }?.takenUpTo ?? 0)
        let claims = ClaimList()
        try await jetStream.readLastMessages(of: FleetSubject.reportsFilter(of: settings.site), in: HubLayout.reports) {
            message, position in
            guard case .report(_, let key)? = FleetSubject(message.subject) else { return }
            await claims.add(try await claim(key, of: message, at: position))
        }
        let found = await claims.claims
        try await records.begin(with: found, from: start)
        if !found.isEmpty {
            logger.notice("\(found.count) jobs of the fleet were taken by this site before, and are not printed again")
        }
        reportWaits.raise()
        try await lookAtJobs()
        return start
    }

    private func claim(
        _ key: JobKey, of message: HubMessage, at position: StoredPosition
    ) async throws -> FleetRecords.Claim {
        let last = try? FleetReport(message)
        var claim = FleetRecords.Claim(
            key: key, storedAt: position.storedAt, sequence: position.sequence, stage: last?.stage ?? .unconfirmed,
            job: nil, report: nil)
        guard !claim.stage.isFinal else { return claim }
        if let last, let job = last.job, last.node == settings.node, let own = try await kiosk.job(job.id),
            own.name == job.name, own.role == job.role, own.documentLength == job.documentLength
        {
            claim.job = .init(own)
            return claim
        }
        if settings.isPaired, let last, last.node != settings.node {
            // The other kiosk has said this much itself, or will know more once it is back.
            guard last.stage != .unconfirmed else { return claim }
            claim.report = doubt(about: last.node)
            return claim
        }
        claim.report = FleetReport(
            node: settings.node, .unconfirmed,
            error: .init(
                code: "kiosk-replaced",
                message:
                    "the kiosk that had taken the job is gone, or its queue: look at the paper, then send a new job"
            ))
        return claim
    }

    /// Reports what changes of the fleet's jobs, from how they are now.
    private func watchJobs() async throws {
        try await kiosk.watchChanges {
            try await lookAtJobs()
        } take: { job in
            // Most jobs of a kiosk are its tills'.
            if openJobs.contains(job.id) { try await update(.init(job)) }
        }
        try Task.checkCancellation()
        try await Task.sleep(for: .seconds(1))
    }

    /// Notes how a job is now.
    private func update(_ own: FleetRecords.OwnJob) async throws {
        guard await updating.lock() else { throw CancellationError() }
        defer { updating.unlock() }
        guard let job = try await job(own), try await records.update(job, by: settings.node) else { return }
        if job.state.isFinal { openJobs.remove(job.id) }
        reportWaits.raise()
    }

    private func lookAtJobs() async throws {
        for own in try await records.openJobs() {
            openJobs.insert(own.id)
            guard try await isThere(own) else {
                let lost = FleetReport.Failure(
                    code: "job-lost", message: "the kiosk has lost the job with its queue: look at the paper")
                try await records.update(lost: own, FleetReport(node: settings.node, .unconfirmed, error: lost))
                openJobs.remove(own.id)
                reportWaits.raise()
                continue
            }
            try await update(own)
        }
    }

    /// The job as it is now; nil where the queue has it no more, or another one under its number.
    private func job(_ own: FleetRecords.OwnJob?) async throws -> Job? {
        guard let own, let job = try await kiosk.job(own.id), job.createdAt == own.createdAt else { return nil }
        return job
    }

    private func isThere(_ own: FleetRecords.OwnJob) async throws -> Bool { try await job(own) != nil }

    // MARK: Reports

    /// 200 in a second: ten thousand kiosks may come back at once, each with a week to tell.
    private static let reportInterval: Duration = .milliseconds(5)
    /// How many are under way at once: as many as keep that pace where the hub answers after 80 ms.
    private static let reportBatch = 16

    /// What a kiosk says of the other one's job: that one knows better.
    private static let kioskSilent = "kiosk-silent"

    private func sendReports() async throws {
        while true {
            try Task.checkCancellation()
            let reports = try await records.waitingReports(Self.reportBatch)
            guard !reports.isEmpty else {
                await reportWaits.wait()
                continue
            }
            try await withThrowingTaskGroup { group in
                for report in reports { group.addTask { try await send(report) } }
                try await group.waitForAll()
            }
            try await Task.sleep(for: Self.reportInterval * reports.count)
        }
    }

    private func send(_ report: FleetRecords.WaitingReport) async throws {
        let subject = FleetSubject.report(settings.site, report.key)
        do {
            let stored = try await jetStream.publish(
                subject, headers: [JetStream.expectedSequenceHeader: "\(report.lastSequence)"], body: report.body)
            try await records.stored(report, as: stored.sequence)
        } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
            // Another kiosk has taken the job over; or this one's last report came and its answer did not; or the
            // stream was made anew.
            guard let last = try await jetStream.lastMessage(of: subject, in: HubLayout.reports) else {
                return try await records.correct(report, to: 0)
            }
            // One that cannot be read is not this kiosk's.
            let said = try? FleetReport(last)
            guard said?.node == settings.node || said?.error?.code == Self.kioskSilent else {
                logger.warning(
                    "another kiosk of the site reports the job \(report.key) now; this one says no more of it")
                return try await records.giveUp(report)
            }
            guard let sequence = last.headers[JetStream.sequenceHeader].flatMap({ UInt64($0) }) else {
                throw FleetError(.malformed, "the hub gives the last report of \(report.key) without its number")
            }
            if last.body == report.body { return try await records.stored(report, as: sequence) }
            try await records.correct(report, to: sequence)
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

/// The fleet's jobs that are not final, or were not when they were last looked at.
private final class OpenJobs: Sendable {
    private let ids = Mutex(Set<Job.ID>())

    func contains(_ id: Job.ID) -> Bool { ids.withLock { $0.contains(id) } }
    func insert(_ id: Job.ID) { _ = ids.withLock { $0.insert(id) } }
    func remove(_ id: Job.ID) { _ = ids.withLock { $0.remove(id) } }
}

/// Collects what comes from a closure that may run elsewhere.
private actor ClaimList {
    private(set) var claims: [FleetRecords.Claim] = []

    func add(_ claim: FleetRecords.Claim) { claims.append(claim) }
}
