import FoundationEssentials
import KioskFleet
import Logging

/// Which kiosk of a pair takes the site's jobs from the hub: the one that has written the site's lease last. It is
/// renewed each second, and falls to the other after three seconds without a change, by that one's own clock of elapsed
/// time. Where nobody can renew it, because the hub is away or elects a leader, whoever had it last has it again at
/// once, and the other begins to count anew.
///
/// It keeps the order, and the two from working on the same jobs. That no job is printed twice rests on the claims of
/// jobs alone: a kiosk that was stopped for a while does not know that it has lost its lease.
struct SiteLease: Sendable {
    private let site: SiteName
    private let node: NodeName
    private let jetStream: JetStream
    private let state: FleetState
    private let logger: Logger
    /// What tells this process from one before it on the same kiosk.
    private let token = RandomToken.text()

    private static let renewalInterval: Duration = .seconds(1)
    private static let retryInterval: Duration = .milliseconds(200)
    /// How often the other kiosk looks.
    private static let pollInterval: Duration = .milliseconds(500)
    /// For how long a lease holds after it was renewed: less than the other kiosk waits.
    private static let validity: Duration = .milliseconds(2500)
    /// After which time without a change another kiosk takes the lease.
    private static let takeoverTimeout: Duration = .seconds(3)
    /// After which time without a change it looks whether the lease could have been renewed: early enough to leave who
    /// has it a second for that.
    private static let checkTimeout: Duration = .seconds(2)
    /// How often is told why it cannot be asked for.
    private static let tellingInterval: Duration = .seconds(60)
    /// How slowly the hub may answer whoever counts.
    private static let slowestRead: Duration = .seconds(1)

    /// After which time the other kiosk has a lease that is renewed no more, where it is there.
    static let lapse = takeoverTimeout + pollInterval * 2

    /// `state`: is told who has the lease.
    init(of site: SiteName, for node: NodeName, at jetStream: JetStream, _ state: FleetState, _ logger: Logger) {
        (self.site, self.node, self.jetStream, self.state) = (site, node, jetStream, state)
        self.logger = logger
    }

    /// What stands in the bucket `LEASE`, as JSON: `{"node": "kiosk-1", "token": "…"}`.
    private struct Holder: Codable {
        var node: NodeName
        var token: String
    }

    private struct Entry {
        /// 0 where there is none.
        var sequence: UInt64
        var holder: Holder?
    }

    /// Waits for the lease, and runs `work` with who had it before, until the lease is lost: then throws, and `work` is
    /// cancelled. Throws what `work` throws.
    func whileHolding(
        _ work: @escaping @Sendable (_ before: NodeName?) async throws -> Void
    ) async throws {
        defer { state.setLease(nil) }
        let (sequence, begin, before) = try await take()
        try await withThrowingTaskGroup { group in
            group.addTask { try await work(before) }
            group.addTask { try await renew(sequence, since: begin) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private var own: FleetState.Lease { .init(holder: node, isOwn: true) }

    /// For how long the lease has not changed, as far as was read.
    ///
    /// Reads are answered by any server that keeps the lease, and one that lags behind gives older entries in turns with
    /// the newest, for minutes (seen with nats-server 2.9). So only an entry with a higher number is a change.
    private struct Silence {
        /// The newest.
        var entry: Entry
        private var begin = ContinuousClock.now
        /// Whether it could have been renewed since.
        private(set) var isChecked = false

        init(_ entry: Entry) { self.entry = entry }

        var duration: Duration { begin.duration(to: .now) }

        /// Begins anew with a newer entry, and where the hub answered slowly.
        mutating func observe(_ next: Entry, isSlow: Bool) {
            guard isSlow || next.sequence > entry.sequence else { return }
            if next.sequence > entry.sequence { entry = next }
            (begin, isChecked) = (.now, false)
        }

        /// The lease could be renewed: whoever has it has a second from now on.
        mutating func leaderAnswered() {
            begin = max(begin, .now - SiteLease.checkTimeout)
            isChecked = true
        }

        /// It is to be found out again whether it can be renewed.
        mutating func readFailed() { isChecked = false }
    }

    private func take() async throws -> (sequence: UInt64, begin: ContinuousClock.Instant, before: NodeName?) {
        var silence: Silence?
        var toldAt: ContinuousClock.Instant?
        while true {
            let now = ContinuousClock.now
            var isRead = false
            do {
                let next = try await read()
                isRead = true
                var observed = silence ?? Silence(next)
                observed.observe(next, isSlow: now.duration(to: .now) > Self.slowestRead)
                state.setLease(observed.entry.holder.map { .init(holder: $0.node, isOwn: false) })
                if observed.duration >= Self.checkTimeout, !observed.isChecked {
                    try await checkLeader()
                    observed.leaderAnswered()
                }
                let entry = observed.entry
                let isFree =
                    entry.holder == nil || entry.holder?.node == node
                    || observed.isChecked && observed.duration >= Self.takeoverTimeout
                let begin = ContinuousClock.now
                if isFree, let sequence = try await write(after: entry.sequence) {
                    state.setLease(own)
                    logger.info("this kiosk has the lease of the site \"\(site)\"")
                    return (sequence, begin, entry.holder?.node)
                }
                // Another entry stands there: of a hub that was made anew its number may be lower.
                silence = isFree ? nil : observed
            } catch let error as FleetError where error.isRetryable && error.code != .notConnected {
                if toldAt.map({ $0.duration(to: .now) > Self.tellingInterval }) ?? true {
                    logger.warning("cannot ask for the lease of the site \"\(site)\" now: \(error)")
                    toldAt = .now
                }
                if isRead {
                    // Nor could the other renew it.
                    silence = nil
                } else {
                    // One server of several may have died. The leader of the leases says more.
                    silence?.readFailed()
                }
            }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    /// Throws where the stream of leases has no leader: reads are answered by its other servers too, while nobody can
    /// renew a lease.
    private func checkLeader() async throws {
        do {
            // There is an entry, so only a leader can say that it is another one than none; without one this takes the
            // lease, which is then found as this kiosk's own.
            _ = try await publish(after: 0)
        } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {}
    }

    private func read() async throws -> Entry {
        guard let message = try await jetStream.lastMessage(of: .lease(site), in: HubLayout.lease) else {
            return Entry(sequence: 0)
        }
        guard let sequence = message.headers[JetStream.sequenceHeader].flatMap({ UInt64($0) }) else {
            throw FleetError(.malformed, "the hub gives the lease of \(site) without its number")
        }
        // One that cannot be read is nobody's.
        let holder = message.isDeletion ? nil : try? JSONDecoder().decode(Holder.self, from: Data(message.body))
        return Entry(sequence: sequence, holder: holder)
    }

    /// The number of the new entry; nil where another one stands there than `sequence`.
    private func write(after sequence: UInt64) async throws -> UInt64? {
        do {
            return try await publish(after: sequence)
        } catch let error as FleetError where error.hubCode == JetStream.wrongLastSequence {
            // This kiosk's own, where the answer to it was lost; not one before, as a server gives it that lags behind.
            let entry = try await read()
            return entry.holder?.token == token && entry.sequence > sequence ? entry.sequence : nil
        }
    }

    /// Returns the number of the new entry. Throws an error of the hub, `wrongLastSequence`, where another one stands there
    /// than `sequence`.
    private func publish(after sequence: UInt64) async throws -> UInt64 {
        try await jetStream.publish(
            .lease(site), headers: [JetStream.expectedSequenceHeader: "\(sequence)"],
            body: Array(JSONEncoder().encode(Holder(node: node, token: token)))
        ).sequence
    }

    /// Throws once the lease is lost.
    private func renew(_ sequence: UInt64, since begin: ContinuousClock.Instant) async throws {
        var (sequence, renewed, pause) = (sequence, begin, Self.renewalInterval)
        while true {
            try await Task.sleep(for: pause)
            let now = ContinuousClock.now
            let left = Self.validity - renewed.duration(to: now)
            guard left > .zero else { throw Self.lost }
            do {
                let request = { @Sendable [sequence] in try await write(after: sequence) }
                guard let next = try await Self.within(left, request) else { throw Self.lost }
                (sequence, renewed, pause) = (next, now, Self.renewalInterval)
                state.setLease(own)
            } catch let error as FleetError where error.isRetryable && error != Self.lost {
                pause = Self.retryInterval
            }
        }
    }

    /// Throws `no-response` after `limit`.
    private static func within<Result: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup { group in
            group.addTask(operation: work)
            group.addTask {
                try await Task.sleep(for: limit)
                throw FleetError(.noResponse, "the hub has not answered within \(limit)")
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private static let lost = FleetError(
        .notConnected, "the other kiosk of the site takes its jobs now, or the hub was away for too long to know")
}
