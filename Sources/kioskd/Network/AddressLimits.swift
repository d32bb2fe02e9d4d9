import KioskAPI
import Synchronization

/// The limits on what one remote address, and all together, may take up: connections, and requests a second.
///
/// This machine itself has no limit of requests: its programs, and a reverse proxy with all its clients, come from
/// loopback. docs/limits.md lists the numbers.
final class AddressLimits: Sendable {
    struct Bounds: Hashable, Sendable {
        /// Connections of one address.
        var perAddress = 64
        /// Connections over loopback.
        var loopback = 768
        /// All connections over TCP.
        var total = 1024
        /// Requests and new connections of one address, each second and at once.
        var requestRate = 200.0
        var requestBurst = 400.0

        init() {}

        /// A process that may open fewer files serves fewer connections.
        init(descriptors: Int) {
            total = min(total, max(16, descriptors / 4))
            loopback = min(loopback, total / 4 * 3)
            perAddress = min(perAddress, total / 4)
        }
    }

    private struct Entry {
        var connections = 0
        var requests: RateBucket
    }

    private struct State {
        var total = 0
        var byAddress: [[UInt8]: Entry] = [:]

        /// The address's entry, to be put back; a new one where it is not remembered.
        mutating func entry(of address: RemoteAddress, _ bounds: Bounds, at now: ContinuousClock.Instant) -> Entry {
            if let known = byAddress[address.limitKey] { return known }
            if byAddress.count >= maximumAddresses {
                // Whoever comes back later finds a full bucket, as if it were remembered.
                byAddress = byAddress.filter { $0.value.connections > 0 || !$0.value.requests.isFull(at: now) }
            }
            if byAddress.count >= maximumAddresses { byAddress = byAddress.filter { $0.value.connections > 0 } }
            return Entry(requests: RateBucket(rate: bounds.requestRate, burst: bounds.requestBurst, at: now))
        }
    }

    let bounds: Bounds
    private let state = Mutex(State())

    /// Addresses that are remembered. Those with connections are fewer; others are forgotten first.
    private static let maximumAddresses = 4096

    init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

    /// Counts a connection until its place is given back. Throws the problem for the client where there are too many.
    func open(from address: RemoteAddress, at now: ContinuousClock.Instant = .now) throws(Problem) -> Place {
        let refusal = state.withLock { state -> Problem? in
            guard state.total < bounds.total else { return exhausted }
            var entry = state.entry(of: address, bounds, at: now)
            defer { state.byAddress[address.limitKey] = entry }
            let limit = address.isLoopback ? bounds.loopback : bounds.perAddress
            guard entry.connections < limit else { return tooMany(from: address, limit) }
            if !address.isLoopback, !entry.requests.take(at: now) { return tooOften(from: address) }
            entry.connections += 1
            state.total += 1
            return nil
        }
        if let refusal { throw refusal }
        return Place(in: self, for: address)
    }

    /// Counts a request. Throws the problem for the client where there were too many.
    func request(from address: RemoteAddress, at now: ContinuousClock.Instant = .now) throws(Problem) {
        guard !address.isLoopback else { return }
        let isRefused = state.withLock { state in
            var entry = state.entry(of: address, bounds, at: now)
            defer { state.byAddress[address.limitKey] = entry }
            return !entry.requests.take(at: now)
        }
        if isRefused { throw tooOften(from: address) }
    }

    /// How many connections are open.
    var connections: Int { state.withLock(\.total) }

    fileprivate func close(from address: RemoteAddress) {
        state.withLock { state in
            state.total -= 1
            state.byAddress[address.limitKey]?.connections -= 1
        }
    }

    private func tooMany(from address: RemoteAddress, _ limit: Int) -> Problem {
        Problem(
            .tooManyRequests,
            detail:
                "\(address) has as many connections as one address may have (\(limit)); keep one for many requests, or close some"
        )
    }

    private func tooOften(from address: RemoteAddress) -> Problem {
        Problem(
            .tooManyRequests,
            detail:
                "\(address) sends more than \(Int(bounds.requestRate)) requests a second; send fewer, or try again in a moment"
        )
    }

    private var exhausted: Problem {
        Problem(
            .overloaded,
            detail: "all addresses together have as many connections as the daemon serves; try again in a moment")
    }

    /// A connection's place. It is given back once: with `giveBack`, or with its last reference.
    final class Place: Sendable {
        private let limits: AddressLimits
        private let address: RemoteAddress
        private let isHeld = Mutex(true)

        fileprivate init(in limits: AddressLimits, for address: RemoteAddress) {
            self.limits = limits
            self.address = address
        }

        deinit { giveBack() }

        func giveBack() {
            let wasHeld = isHeld.withLock { held in
                defer { held = false }
                return held
            }
            if wasHeld { limits.close(from: address) }
        }
    }
}

/// A token bucket: `burst` events at once, then `rate` a second.
struct RateBucket: Hashable, Sendable {
    private let rate: Double
    private let burst: Double
    private var tokens: Double
    private var filledAt: ContinuousClock.Instant

    init(rate: Double, burst: Double, at now: ContinuousClock.Instant) {
        self.rate = rate
        self.burst = burst
        tokens = burst
        filledAt = now
    }

    /// Takes a token; false where none is left.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        tokens = level(at: now)
        filledAt = max(filledAt, now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    func isFull(at now: ContinuousClock.Instant) -> Bool { level(at: now) >= burst }

    private func level(at now: ContinuousClock.Instant) -> Double {
        let (seconds, attoseconds) = max(.zero, filledAt.duration(to: now)).components
        return min(burst, tokens + rate * (Double(seconds) + Double(attoseconds) / 1e18))
    }
}
