import KioskAsyncPrimitives
import KioskFleet
import KioskPrintModel
import Logging

/// A kiosk of a pair: takes the site's jobs while it has the site's lease, each after a claim at the hub, and takes
/// over from the other one.
struct PairMember: Sendable {
    private let settings: FleetAgent.Settings
    private let jetStream: JetStream
    private let records: FleetRecords
    private let kiosk: any FleetKiosk
    private let ownJobs: OwnJobs
    private let taker: JobTaker
    private let state: FleetState
    /// Raised when a report waits.
    private let reportWaits: AsyncSignal
    private let logger: Logger

    init(
        _ settings: FleetAgent.Settings, at jetStream: JetStream, _ records: FleetRecords, _ kiosk: any FleetKiosk,
        _ ownJobs: OwnJobs, _ taker: JobTaker, _ state: FleetState, reportWaits: AsyncSignal, _ logger: Logger
    ) {
        (self.settings, self.jetStream, self.records, self.kiosk) = (settings, jetStream, records, kiosk)
        (self.ownJobs, self.taker, self.state) = (ownJobs, taker, state)
        (self.reportWaits, self.logger) = (reportWaits, logger)
    }

    /// Takes the site's jobs while this kiosk has the site's lease, of each role one after the other: the others are the
    /// hub's still when it dies. Throws once the lease is lost, the link breaks, or the disk takes nothing more: then the
    /// other kiosk has had its time to take the lease.
    func run() async throws {
        do {
            try await takePart()
        } catch let error as FleetError where error.code == .noRoom {
            try await Task.sleep(for: SiteLease.lapse)
            throw error
        }
    }

    private func takePart() async throws {
        try await waitForRoom()
        try await finishClaims()
        let lease = SiteLease(of: settings.site, for: settings.node, at: jetStream, state, logger)
        try await lease.whileHolding { before in
            try await withThrowingTaskGroup { group in
                group.addTask { try await serve(after: before) }
                group.addTask { try await watchRoom() }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Takes the site's jobs. Starts again when the hub renews the lease but fails other requests: after losing a server,
    /// each stream elects its own leader, some sooner than others. Meanwhile the other kiosk could take no job either.
    /// Throws once that has failed too often.
    private func serve(after before: NodeName?) async throws {
        var pause = Backoff(upTo: Self.longestPause)
        var failures = 0
        var failing = ContinuousClock.now
        var hasCaughtUp = false
        while true {
            let begin = ContinuousClock.now
            do {
                // What was being claimed: whether it is, the hub has not said. It is delivered again.
                if failures > 0 { try await settleClaims() }
                let start = try await catchUp(with: before, isAgain: hasCaughtUp)
                if !hasCaughtUp { logger.notice("this kiosk takes the jobs of the site \"\(settings.site)\" now") }
                hasCaughtUp = true
                return try await takeJobs(from: start)
            } catch let error as FleetError where error.isRetryable && error.code != .notConnected {
                if begin.duration(to: .now) > Self.backoffResetTime {
                    failures = 0
                    pause.reset()
                }
                failures += 1
                if failures == 1 { failing = .now }
                guard failures <= Self.maximumFailures, failing.duration(to: .now) < Self.longestFailing else {
                    throw error
                }
                if failures == 1 { logger.warning("this kiosk keeps the site's lease, and asks again: \(error)") }
                try await pause.wait()
            }
        }
    }

    private static let longestPause: Duration = .seconds(2)
    /// Together with their pauses they last for longer than an election (4 to 9 s), also where each is over at once.
    private static let maximumFailures = 15
    /// The same of failures that each take long, such as that of creating a consumer.
    private static let longestFailing: Duration = .seconds(180)
    /// An attempt that ran for this long ends a series of failures: they are counted anew. Longer than creating a
    /// consumer fails.
    private static let backoffResetTime: Duration = .seconds(300)

    /// A kiosk that can store nothing does not ask for the lease.
    private func waitForRoom() async throws {
        var isTold = false
        while try await !records.hasRoom(for: 0) {
            if !isTold { logger.warning("the disk is full or read-only: this kiosk takes no jobs of the site") }
            isTold = true
            try await Task.sleep(for: Self.roomInterval)
        }
    }

    /// Throws `no-room` once there is none: also what was accepted may wait for room, and what comes behind it.
    private func watchRoom() async throws {
        while try await records.hasRoom(for: 0) { try await Task.sleep(for: Self.roomInterval) }
        throw Self.noRoom
    }

    /// How often is looked whether there is room.
    private static let roomInterval: Duration = .seconds(1)
    private static let noRoom = FleetError(
        .noRoom, "the disk has no room for the site's jobs, which are left to the other kiosk; free some")

    private func takeJobs(from start: Int64) async throws {
        let lanes = RoleLanes(from: start)
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await taker.fetch(from: start) { delivery in
                    guard case .job(_, let role, _) = delivery.subject else {
                        return try await taker.take(delivery, upTo: lanes.progress(taking: delivery))
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

    /// Takes the jobs of a lane until it is empty, each once the one before is settled.
    private func work(on role: RoleName, of lanes: RoleLanes) async throws {
        repeat {
            guard let delivery = lanes.first(of: role), case .job(_, _, let key) = delivery.subject else { return }
            let progress = lanes.progress(taking: delivery)
            try await taker.take(delivery, upTo: progress) { _ in try await claim(delivery, key, upTo: progress) }
            while let job = try await ownJobs.job(records.known(key)?.job), !job.isSettled {
                try await Task.sleep(for: Self.settlingInterval)
            }
        } while lanes.removeFirst(of: role)
    }

    /// How often is looked whether a job is settled.
    private static let settlingInterval: Duration = .milliseconds(50)

    // MARK: Claims

    /// Claims a job for this kiosk; the number of the claim, or nil where it is the other kiosk's: then that is noted.
    private func claim(_ delivery: JobFetcher.Delivery, _ key: JobKey, upTo progress: Int64) async throws -> UInt64? {
        // Before the claim: a kiosk that is killed behind it knows at its next start what it has claimed.
        let job = try? FleetJob(delivery.message)
        guard try await records.hasRoom(for: job?.length ?? 0) else { throw Self.noRoom }
        let isClaimedBefore = try await records.openClaims().contains { $0.key == key }
        try await records.note(FleetRecords.Claim(key: key, senderKey: job?.idempotencyKey))
        do {
            return try await publishClaim(of: key)
        } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
            guard var last = try await lastReport(of: key) else { throw Self.reportNotVisibleYet(key) }
            if let said = last.report, said.isOwnClaim(of: settings.node), said.stage == .claimed || isClaimedBefore {
                return last.sequence
            }
            // The other one is about to take it, or has died over that, or lost its lease.
            let deadline = ContinuousClock.now + Self.longestClaim
            while last.report?.stage == .claimed, .now < deadline {
                try await Task.sleep(for: Self.claimInterval)
                last = try await lastReport(of: key) ?? last
            }
            var reported = FleetRecords.ReportedJob(
                key: key, storedAt: delivery.position.storedAt, sequence: last.sequence,
                stage: last.report?.stage ?? .unconfirmed, job: nil, report: nil)
            if let said = last.report, said.stage == .claimed {
                reported.report = .doubt(of: settings.node, about: said.node)
            }
            try await records.learn([reported])
            try await records.forgetClaim(of: key)
            reportWaits.raise()
            try await records.advance(to: progress)
            return nil
        }
    }

    /// Returns the number of the claim. Throws an error of the hub, `wrongLastSequence`, where the job has a report.
    private func publishClaim(of key: JobKey) async throws -> UInt64 {
        try await jetStream.publish(
            .report(settings.site, key), headers: [JetStream.expectedSequenceHeader: "0"],
            body: FleetReport.claim(by: settings.node).body()
        ).sequence
    }

    private static func reportNotVisibleYet(_ key: JobKey) -> FleetError {
        FleetError(.noResponse, "the hub has stored a report of \(key), and does not return it yet; it is asked again")
    }

    /// How long a kiosk may take from its claim to its acceptance until another one says that the job is in doubt.
    private static let longestClaim: Duration = .seconds(5)
    private static let claimInterval: Duration = .milliseconds(250)

    /// The last report of a job, nil where it cannot be read, and its number. Nil where the hub has none.
    private func lastReport(of key: JobKey) async throws -> (report: FleetReport?, sequence: UInt64)? {
        let subject = FleetSubject.report(settings.site, key)
        guard let last = try await jetStream.lastMessage(of: subject, in: HubLayout.reports) else { return nil }
        guard let sequence = last.headers[JetStream.sequenceHeader].flatMap({ UInt64($0) }) else {
            throw FleetError(.malformed, "the hub gives the last report of \(key) without its number")
        }
        return (try? FleetReport(last), sequence)
    }

    /// Takes the jobs that this kiosk has claimed and not noted, since it was killed or lost its lease: nobody else
    /// takes them. All at once, since a document may be long in coming.
    private func finishClaims() async throws {
        let claims = try await settleClaims()
        try await withThrowingTaskGroup { group in
            for claim in claims { group.addTask { try await take(claim.key, after: claim.sequence) } }
            try await group.waitForAll()
        }
    }

    /// Finds out of each open claim whether the hub has it, and returns those that it has, with their numbers: their jobs
    /// are to be taken.
    @discardableResult
    private func settleClaims() async throws -> [(key: JobKey, sequence: UInt64)] {
        var claims: [(JobKey, UInt64)] = []
        for claim in try await records.openClaims() {
            let last = try await lastReport(of: claim.key)
            if let key = claim.senderKey, let job = try await kiosk.job(underKey: key) {
                // It got as far as the queue.
                let own = FleetRecords.OwnJob(id: job.id, key: claim.key)
                ownJobs.add(own)
                try await records.note(
                    claim.key, storedAt: takenUpTo(), FleetReport(node: settings.node, job: job),
                    after: last?.sequence ?? 0, upTo: takenUpTo())
                reportWaits.raise()
                try await ownJobs.update(own)
            } else if let last, let said = last.report, said.isOwnClaim(of: settings.node) {
                claims.append((claim.key, last.sequence))
            } else if last == nil, try await !isOthers(claim.key), try await isAtHub(claim.key) {
                // The claim may be on its way, or stored on servers that were not asked. Claiming again settles it.
                do {
                    claims.append((claim.key, try await publishClaim(of: claim.key)))
                } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
                    throw Self.reportNotVisibleYet(claim.key)
                }
            } else {
                // Another kiosk has taken the job. Or claim and job went with the hub's store: then the job comes again.
                try await records.forgetClaim(of: claim.key)
            }
        }
        return claims
    }

    /// Whether the other kiosk has said that it has the job, which the hub may have lost since.
    private func isOthers(_ key: JobKey) async throws -> Bool {
        try await records.known(key).map { $0.stage != .claimed } ?? false
    }

    private func takenUpTo() async throws -> Int64 { try await records.takenUpTo() ?? 0 }

    /// The job of a key and its cancellation, in the hub's order, as the hub has them now.
    private func messages(of key: JobKey) async throws -> [JobFetcher.Delivery] {
        let messages = MessageList()
        let hubTime = try await jetStream.readLastMessages(
            of: FleetSubject.jobFilter(of: settings.site, key), in: HubLayout.jobs
        ) { message, position in
            // A hub could send anything, and any number of it.
            guard let subject = FleetSubject(message.subject), subject.isMessage(of: key, at: settings.site) else {
                return
            }
            await messages.add(JobFetcher.Delivery(subject: subject, message: message, position: position))
        }
        return await messages.deliveries.map { message in
            var delivery = message
            delivery.receivedAt = hubTime
            return delivery
        }
    }

    private func isAtHub(_ key: JobKey) async throws -> Bool {
        try await messages(of: key).contains { if case .job = $0.subject { true } else { false } }
    }

    /// Takes a job that this kiosk has claimed, as the hub has it now. `sequence`: the number of its last report.
    private func take(_ key: JobKey, after sequence: UInt64) async throws {
        let progress = try await takenUpTo()
        for (index, delivery) in try await messages(of: key).enumerated() {
            if index == 0, case .job = delivery.subject {
                try await taker.take(delivery, key, after: sequence, upTo: progress)
            } else {
                // A cancellation, or a job behind one or behind another job of the key: that is known now.
                try await taker.take(delivery, upTo: progress)
            }
        }
        guard try await records.openClaims().contains(where: { $0.key == key }) else { return }
        let gone = FleetReport.Failure(
            code: "job-expired", message: "the kiosk had claimed the job and not taken it, and the hub has it no more")
        try await records.note(
            key, storedAt: progress, FleetReport(node: settings.node, .refused, error: gone), after: sequence,
            upTo: progress)
        reportWaits.raise()
    }

    // MARK: The other kiosk

    /// Learns what the other kiosk says, so that it is known here too when the hub loses it.
    func followReports() async throws {
        let fetcher = JobFetcher(reportsOf: settings.site, at: jetStream, pace: settings.pace)
        try await fetcher.run(from: takenUpTo()) { delivery in
            guard case .report(_, let key) = delivery.subject, let said = try? FleetReport(delivery.message),
                said.node != settings.node
            else { return }
            let position = delivery.position
            try await records.follow(
                .init(
                    key: key, storedAt: position.storedAt, sequence: position.sequence, stage: said.stage, job: nil,
                    report: nil))
        }
    }

    /// Learns what the other kiosk has said of the site's jobs. What it had begun and not ended is in doubt; not what it
    /// has begun since this kiosk has the lease (`isAgain`): then it is back. Returns from when on the hub's messages are
    /// to be fetched, in ns since 1970.
    private func catchUp(with before: NodeName?, isAgain: Bool) async throws -> Int64 {
        var start = try await takenUpTo()
        if let before, before != settings.node {
            let status = try await jetStream.lastMessage(of: .status(settings.site, before), in: HubLayout.status)
            start = max(start, status.flatMap { try? KioskStatus($0) }?.takenUpTo ?? 0)
        }
        var found = try await ReportedJobs(settings, at: jetStream, kiosk).read { key, last in
            guard let last, last.node == settings.node else { return false }
            // Its own, which it had no time to take, comes again.
            if last.stage == .claimed { return true }
            return try await records.known(key) != nil
        }
        if isAgain { for index in found.indices { found[index].report = nil } }
        try await records.learn(found)
        let doubtful = found.count { $0.report != nil }
        if doubtful > 0 { logger.notice("\(doubtful) jobs of the site were begun by another kiosk, and are in doubt") }
        try await records.advance(to: start)
        reportWaits.raise()
        try await ownJobs.lookAtAll()
        return start
    }
}

/// Collects what comes from a closure that may run elsewhere.
private actor MessageList {
    private(set) var deliveries: [JobFetcher.Delivery] = []

    /// A key has its job and a cancellation, and a job for another role at the most.
    private static let maximum = 8

    func add(_ delivery: JobFetcher.Delivery) {
        if deliveries.count < Self.maximum { deliveries.append(delivery) }
    }
}

extension FleetReport {
    /// Whether it is the claim of this kiosk, or what the other one of the pair has said where it met that.
    fileprivate func isOwnClaim(of own: NodeName) -> Bool {
        node == own ? stage == .claimed : isDoubtAboutAnother
    }
}

extension FleetSubject {
    /// Whether it is of a job of this key, or of its cancellation.
    fileprivate func isMessage(of wanted: JobKey, at place: SiteName) -> Bool {
        switch self {
        case .job(let site, _, let key), .cancellation(let site, let key): site == place && key == wanted
        default: false
        }
    }
}
