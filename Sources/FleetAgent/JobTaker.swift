import KioskAsyncPrimitives
import KioskFleet
import KioskPrintModel
import Logging

/// Takes a site's jobs from the hub, in the hub's order, and notes what is to be reported of them.
struct JobTaker: Sendable {
    private let settings: FleetAgent.Settings
    private let jetStream: JetStream
    private let records: FleetRecords
    private let kiosk: any FleetKiosk
    private let fetcher: (any DocumentFetcher)?
    private let ownJobs: OwnJobs
    /// Raised when a report waits.
    private let reportWaits: AsyncSignal
    private let logger: Logger

    init(
        _ settings: FleetAgent.Settings, at jetStream: JetStream, _ records: FleetRecords, _ kiosk: any FleetKiosk,
        _ fetcher: (any DocumentFetcher)?, _ ownJobs: OwnJobs, reportWaits: AsyncSignal, _ logger: Logger
    ) {
        (self.settings, self.jetStream, self.records) = (settings, jetStream, records)
        (self.kiosk, self.fetcher) = (kiosk, fetcher)
        (self.ownJobs, self.reportWaits, self.logger) = (ownJobs, reportWaits, logger)
    }

    /// Takes all jobs of the site, until the task is cancelled. Throws where the link breaks.
    func run() async throws {
        let start: Int64
        if let taken = try await records.takenUpTo() { start = taken } else { start = try await begin() }
        try await fetch(from: start) { try await take($0, upTo: $0.position.storedAt) }
    }

    /// Calls `take` for each job and cancellation of the site from `start` on, in ns since 1970 by the hub's clock.
    func fetch(
        from start: Int64, _ take: @escaping @Sendable (JobFetcher.Delivery) async throws -> Void
    ) async throws {
        try await JobFetcher(of: settings.site, at: jetStream, pace: settings.pace).run(from: start, take: take)
    }

    /// `progress`: up to when the hub has stored what is taken once this is, in ns since 1970.
    /// `claim` is asked before a job is taken: it gives the number of the job's last report, or nil where another kiosk
    /// has the job, which is noted then.
    func take(
        _ delivery: JobFetcher.Delivery, upTo progress: Int64,
        claim: @Sendable (JobKey) async throws -> UInt64? = { _ in 0 }
    ) async throws {
        let storedAt = delivery.position.storedAt
        switch delivery.subject {
        case .job(_, _, let key):
            // A claim of the other kiosk is looked at below: it may have died over it.
            if let known = try await records.known(key), known.stage != .claimed {
                // Delivered again; or stored again, since its sender has not heard of it, and the hub may have lost all
                // that it had.
                guard storedAt > known.storedAt else { return try await records.advance(to: progress) }
                try await records.noteAgain(
                    key, storedAt: storedAt, reportAgain(known, Self.content(of: delivery)), upTo: progress)
                reportWaits.raise()
                if let job = known.job { try await ownJobs.update(job) }
                return
            }
            guard let sequence = try await claim(key) else { return }
            try await take(delivery, key, after: sequence, upTo: progress)
        case .cancellation(_, let key):
            if let known = try await records.known(key) {
                if let job = known.job, try await ownJobs.isThere(job) { try await kiosk.cancel(job.id) }
                return try await records.advance(to: progress)
            }
            // Its job may come later, sent again by an office that does not know of the cancellation.
            let refusal = FleetReport.Failure(code: "job-canceled", message: "the job was canceled before it came")
            try await records.note(
                key, storedAt: storedAt, FleetReport(node: settings.node, .refused, error: refusal), upTo: progress)
            reportWaits.raise()
        case .documentChunk, .report, .status, .lease, .desired, .reported, .token, .audit: return
        }
    }

    /// Takes a job that is this kiosk's. `sequence`: the number of its last report at the hub, 0 for none.
    func take(_ delivery: JobFetcher.Delivery, _ key: JobKey, after sequence: UInt64, upTo progress: Int64) async throws
    {
        let storedAt = delivery.position.storedAt
        let content = Self.content(of: delivery)
        let note = { @Sendable (report: FleetReport) in
            if let id = report.job?.id, !report.stage.isFinal { ownJobs.add(.init(id: id, key: key)) }
            try await records.note(key, storedAt: storedAt, content: content, report, after: sequence, upTo: progress)
            reportWaits.raise()
        }
        // It may have changed before it was noted, when nobody looked.
        if let job = try await accept(delivery, note) { try await ownJobs.update(.init(id: job.id, key: key)) }
    }

    /// What a job asks for, to tell it from another one under the same key; nil where it cannot be read.
    private static func content(of delivery: JobFetcher.Delivery) -> String? {
        (try? FleetJob(delivery.message)).map { "\($0.role) \($0.digest)" }
    }

    /// Accepts a job that has come, and notes what is to be reported of it. Waits for as long as the kiosk cannot take
    /// it: the hub keeps it. Nil where it was refused. Throws `no-room` where a kiosk of a pair cannot store it.
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
        func wait(for reason: String) async throws {
            if !isTold { logger.warning("a job of the fleet waits at the hub and is tried again: \(reason)") }
            isTold = true
            try await pause.wait()
        }
        let begin = ContinuousClock.now
        var storeAwaySince: ContinuousClock.Instant?
        while true {
            // Documents do not come over the line again and again, for a disk that cannot take them. A job that the
            // kiosk has accepted needs no room.
            if job.place != .inline, !settings.isPaired, try await !records.hasRoom(for: job.length),
                try await taken(job) == nil
            {
                try await wait(for: "the disk has no room for its document of \(job.length) bytes; free some")
                continue
            }
            let acceptance: JobAcceptance
            do {
                acceptance = try await kiosk.accept(job, age: { delivery.age }) { append in
                    try await FleetDocument.read(job, delivery.message, at: jetStream, and: fetcher, into: append)
                }
            } catch let error as FleetError where Self.documentFailures.contains(error.code) {
                if let taken = try await taken(job) {
                    acceptance = .accepted(taken)
                } else if error.code == .missing, begin.duration(to: .now) < Self.longestLag {
                    // A server of the hub that has just come back may not have it yet.
                    try await pause.wait()
                    continue
                } else if error.code == .storeUnavailable {
                    let since = storeAwaySince ?? .now
                    storeAwaySince = since
                    guard since.duration(to: .now) < settings.longestStoreAbsence else {
                        return try await refuse(Self.unavailable(error))
                    }
                    try await wait(for: error.description)
                    continue
                } else {
                    return try await refuse(.init(code: "fleet-document-invalid", message: error.description))
                }
            }
            switch acceptance {
            case .accepted(let accepted):
                let report = FleetReport(node: settings.node, job: accepted)
                // Also where the kiosk has lost its site's lease meanwhile: it prints the job.
                try await Task { try await note(report) }.value
                return accepted
            case .refused(let refusal): return try await refuse(refusal)
            case .notStored(let reason) where settings.isPaired:
                throw FleetError(.noRoom, "a job of the fleet cannot be stored: \(reason)")
            case .later(let reason), .notStored(let reason): try await wait(for: reason)
            }
        }
    }

    /// What keeps a document from being read.
    private static let documentFailures: [FleetError.Code] = [.malformed, .missing, .storeRefused, .storeUnavailable]

    /// The job where the kiosk has accepted it and was killed before that was noted: its document may be gone since. Nil
    /// where it has not, or has another one under the key.
    private func taken(_ job: FleetJob) async throws -> Job? {
        guard let taken = try await kiosk.job(underKey: job.idempotencyKey), taken.role == job.role,
            taken.documentLength == Int64(job.length)
        else { return nil }
        return taken
    }

    private static func unavailable(_ error: FleetError) -> FleetReport.Failure {
        .init(
            code: "fleet-document-unavailable",
            message:
                "\(error.description), and the jobs behind this one do not wait longer; send it again under another key"
        )
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
        if let job = try await ownJobs.job(known.job), conflict == nil || !job.state.isFinal {
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

    private func report(_ refusal: FleetReport.Failure) -> FleetReport {
        FleetReport(node: settings.node, .refused, error: refusal)
    }

    /// Where a kiosk begins that has no records: it may be a new machine at an old site. What others have claimed is not
    /// printed again, and what they have not ended is in doubt.
    private func begin() async throws -> Int64 {
        let status = try await jetStream.lastMessage(of: .status(settings.site, settings.node), in: HubLayout.status)
        // A status that cannot be read only costs time.
        let start = max(0, status.flatMap { try? KioskStatus($0) }?.takenUpTo ?? 0)
        let found = try await ReportedJobs(settings, at: jetStream, kiosk).read()
        try await records.begin(with: found, from: start)
        if !found.isEmpty {
            logger.notice("\(found.count) jobs of the fleet were taken by this site before, and are not printed again")
        }
        reportWaits.raise()
        try await ownJobs.lookAtAll()
        return start
    }
}
