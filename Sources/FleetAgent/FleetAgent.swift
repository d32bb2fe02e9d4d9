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
    /// Nil where the kiosk is set up at its site alone.
    private let configuration: ConfigurationKeeper?
    private let logger: Logger
    /// Raised when a report waits.
    private let reportWaits = AsyncSignal()
    private let openJobs = OpenJobs()

    /// Who the kiosk is, and how often it reports its status.
    package struct Settings: Hashable, Sendable {
        package var site: SiteName
        package var node: NodeName
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
        contact: FleetContact, configuration: ConfigurationKeeper? = nil, logger: Logger
    ) {
        (self.settings, self.link, self.records, self.kiosk) = (settings, link, records, kiosk)
        (jetStream, self.contact, self.logger) = (JetStream(link), contact, logger)
        self.configuration = configuration
    }

    /// Works until the task is cancelled.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await repeating("take jobs from the hub") { try await takeJobs() } }
            group.addTask { await repeating("watch the fleet's jobs") { try await watchJobs() } }
            group.addTask { await repeating("report to the hub") { try await sendReports() } }
            group.addTask { await repeating("tell the hub how the kiosk is") { try await sendStatus() } }
            if let configuration {
                group.addTask {
                    await repeating("keep the kiosk as the office wants it") {
                        try await configuration.run(as: settings.node, at: jetStream, records, logger)
                    }
                }
            }
        }
    }

    /// Runs `work` again and again while there is a connection, with growing pauses after failures. `what` completes
    /// "cannot …".
    private func repeating(_ what: String, _ work: () async throws -> Void) async {
        var pause = Backoff(upTo: .seconds(30))
        var lastMessage: String?
        while !Task.isCancelled {
            do {
                try await link.waitForConnection()
                let begin = ContinuousClock.now
                defer { if begin.duration(to: .now) > .seconds(60) { pause.reset() } }
                try await work()
            } catch is CancellationError where Task.isCancelled {
                return
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
        try await JobFetcher(of: settings.site, at: jetStream, pace: settings.pace).run(from: start) { delivery in
            try await take(delivery)
        }
    }

    private func take(_ delivery: JobFetcher.Delivery) async throws {
        let storedAt = delivery.position.storedAt
        switch delivery.subject {
        case .job(_, let role, let key):
            let content = (try? FleetJob(delivery.message)).map { "\(role) \($0.digest)" }
            if let known = try await records.known(key) {
                // Delivered again; or stored again, since its sender has not heard of it, and the hub may have lost all
                // that it had.
                guard storedAt > known.storedAt else { return try await records.advance(to: storedAt) }
                try await records.noteAgain(key, storedAt: storedAt, reportAgain(known, content))
                reportWaits.raise()
                if let id = known.job, let job = try await kiosk.job(id) { try await update(job) }
                return
            }
            let report = try await accept(delivery)
            if let id = report.job?.id, !report.stage.isFinal { openJobs.insert(id) }
            try await records.note(key, storedAt: storedAt, content: content, report)
            reportWaits.raise()
            // It may have changed before it was noted, when nobody looked.
            if let id = report.job?.id, let job = try await kiosk.job(id) { try await update(job) }
        case .cancellation(_, let key):
            if let known = try await records.known(key) {
                if let job = known.job { try await kiosk.cancel(job) }
                return try await records.advance(to: storedAt)
            }
            // Its job may come later, sent again by an office that does not know of the cancellation.
            let refusal = FleetReport.Failure(code: "job-canceled", message: "the job was canceled before it came")
            try await records.note(key, storedAt: storedAt, FleetReport(node: settings.node, .refused, error: refusal))
            reportWaits.raise()
        case .documentChunk, .report, .status, .desired, .reported, .audit: return
        }
    }

    /// What is to be reported of a job that has come. Waits for as long as the kiosk cannot take it: the hub keeps it.
    private func accept(_ delivery: JobFetcher.Delivery) async throws -> FleetReport {
        let job: FleetJob
        do throws(FleetError) {
            job = try FleetJob(delivery.message)
        } catch {
            return report(.init(code: "fleet-job-invalid", message: error.description))
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
                return report(.init(code: "fleet-document-invalid", message: error.description))
            }
            switch acceptance {
            case .accepted(let accepted): return FleetReport(node: settings.node, job: accepted)
            case .refused(let refusal): return report(refusal)
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
        if let before = known.content, let content, before != content {
            return report(
                .init(
                    code: "idempotency-conflict",
                    message: "the site has had another job under this key; use a new key for a new job"))
        }
        if let id = known.job, let job = try await kiosk.job(id) { return FleetReport(node: settings.node, job: job) }
        if let report = known.report { return report }
        return FleetReport(
            node: settings.node, known.stage,
            error: .init(code: "job-taken-before", message: "the site has had the job before, and keeps no more of it"))
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
            claim.job = own.id
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
            if openJobs.contains(job.id) { try await update(job) }
        }
        try Task.checkCancellation()
        try await Task.sleep(for: .seconds(1))
    }

    private func update(_ job: Job) async throws {
        guard try await records.update(job, by: settings.node) else { return }
        if job.state.isFinal { openJobs.remove(job.id) }
        reportWaits.raise()
    }

    private func lookAtJobs() async throws {
        for id in try await records.openJobs() {
            openJobs.insert(id)
            guard let job = try await kiosk.job(id) else {
                let lost = FleetReport.Failure(
                    code: "job-lost", message: "the kiosk has lost the job with its queue: look at the paper")
                try await records.update(lost: id, FleetReport(node: settings.node, .unconfirmed, error: lost))
                openJobs.remove(id)
                reportWaits.raise()
                continue
            }
            try await update(job)
        }
    }

    // MARK: Reports

    /// 200 in a second: ten thousand kiosks may come back at once, each with a week to tell.
    private static let reportInterval: Duration = .milliseconds(5)

    private func sendReports() async throws {
        while true {
            try Task.checkCancellation()
            guard let report = try await records.nextReport() else {
                await reportWaits.wait()
                continue
            }
            try await send(report)
            try await Task.sleep(for: Self.reportInterval)
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
            guard (try? FleetReport(last))?.node == settings.node else {
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
            guard let takenUpTo = try await records.takenUpTo() else {
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
