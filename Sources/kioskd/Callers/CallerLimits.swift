import Glibc
import KioskAPI
import NIOCore
import Synchronization

/// The limits on what callers may take up of the daemon, each user and all together. docs/limits.md lists them.
struct CallerLimits: Sendable {
    /// Connections that are served.
    let connections: SharedQuota
    /// Connections over the limit that are kept until the response to their first request; `DescriptorLimit` counts
    /// with them. Others are closed at once.
    let refusals: SharedQuota
    let eventStreams: SharedQuota
    /// Traces of printers.
    let traces: SharedQuota
    /// Searches for printers.
    let discoveries: SharedQuota
    /// Contacts with printers that are not saved.
    let probes: SharedQuota
    /// Requests that wait for a job's end.
    let waits: SharedQuota
    /// Previews that are made.
    let previews: SharedQuota
    /// Bytes of JSON bodies that are held in memory.
    let bodies: SharedQuota
    /// Bytes of receipts for previews, counted apart so that they take nothing from printing.
    let previewBodies: SharedQuota
    /// The time for a body that is held in memory, from the moment when it is asked for to its end.
    let bodyTime: TimeAmount
    private let privilegedUsers: Set<UInt32>

    /// `descriptors` is how many the process may have open, `ownUser` whom it runs as.
    init(idleTimeout: TimeAmount = .seconds(60), descriptors: Int = 4096, ownUser: UInt32 = geteuid()) {
        let privilegedUsers: Set<UInt32> = [0, ownUser]
        func quota(_ subject: String, _ bounds: SharedQuota.Bounds, advice: String) -> SharedQuota {
            SharedQuota(subject, bounds, advice: advice, privilegedUsers: privilegedUsers)
        }
        self.privilegedUsers = privilegedUsers
        connections = quota(
            "connections", Self.connections(descriptors), advice: "keep one for many requests, or close some")
        refusals = quota("refused connections", .init(perUser: 4, users: 8, total: 12), advice: "close them")
        eventStreams = quota("event streams", .init(perUser: 32, users: 96, total: 640), advice: "close some")
        traces = quota("traces of printers", .init(perUser: 4, users: 6, total: 8), advice: "end some")
        discoveries = quota(
            "searches for printers", .init(perUser: 2, users: 6, total: 8), advice: "wait for the end of one")
        probes = quota("probes of printers", .init(perUser: 4, users: 6, total: 8), advice: "wait for the end of one")
        waits = quota("requests that wait for a job", .init(perUser: 64, users: 192, total: 256), advice: "end some")
        previews = quota(
            "previews in progress", .init(perUser: 4, users: 12, total: 16), advice: "ask for one after the other")
        bodies = quota(
            "bytes of JSON in memory", .init(perUser: 16 << 20, users: 40 << 20, total: 48 << 20),
            advice: "send one after the other, and documents as raw bodies, which are streamed")
        previewBodies = quota(
            "bytes of receipts for previews in memory", .init(perUser: 8 << 20, users: 12 << 20, total: 16 << 20),
            advice: "send one after the other")
        // Before the connection is closed as an idle one, without a response.
        bodyTime = min(.seconds(20), max(.seconds(1), .nanoseconds(idleTimeout.nanoseconds / 2)))
    }

    /// Whether the caller is root or the daemon's own user.
    func isPrivileged(_ caller: Caller) -> Bool { caller.account.isPrivileged(among: privilegedUsers) }

    /// Half of the descriptors are left for printers, documents and the database.
    private static func connections(_ descriptors: Int) -> SharedQuota.Bounds {
        let total = min(512, max(16, descriptors / 2))
        return .init(perUser: total / 4, users: total * 7 / 8, total: total)
    }
}

/// A bounded resource that all callers share, such as connections or bytes of bodies in memory. Each ordinary user gets
/// a part of it, and all of them together leave a part for root and the daemon's own user.
final class SharedQuota: Sendable {
    struct Bounds: Hashable, Sendable {
        /// The bound for one ordinary user.
        var perUser: Int
        /// The bound for all ordinary users together.
        var users: Int
        /// The bound for everybody.
        var total: Int
    }

    let bounds: Bounds
    private let subject: String
    private let advice: String
    private let privilegedUsers: Set<UInt32>
    private let state = Mutex(State())

    private struct State {
        var total = 0
        var users = 0
        var byAccount: [Account: Int] = [:]
    }

    /// Messages say `subject`, in the plural, and `advice`, which tells a user who has used up their part what to do.
    init(_ subject: String, _ bounds: Bounds, advice: String, privilegedUsers: Set<UInt32>) {
        self.subject = subject
        self.bounds = bounds
        self.advice = advice
        self.privilegedUsers = privilegedUsers
    }

    /// Reserves an amount for a caller, until the reservation is given back. Throws the problem for the caller where
    /// that is too much.
    func reserve(_ amount: Int = 1, for caller: Caller) throws(Problem) -> Reservation {
        try take(amount, for: caller.account)
        return Reservation(of: amount, in: self, for: caller.account)
    }

    var used: Int { state.withLock { $0.total } }

    fileprivate func take(_ amount: Int, for account: Account) throws(Problem) {
        let refusal = state.withLock { state -> Problem? in
            guard amount <= bounds.total - state.total else { return exhausted }
            guard !account.isPrivileged(among: privilegedUsers) else {
                state.total += amount
                return nil
            }
            let own = state.byAccount[account, default: 0]
            guard amount <= bounds.perUser - own else { return tooMany(for: account) }
            guard amount <= bounds.users - state.users else { return exhausted }
            state.total += amount
            state.users += amount
            state.byAccount[account] = own + amount
            return nil
        }
        if let refusal { throw refusal }
    }

    fileprivate func giveBack(_ amount: Int, for account: Account) {
        state.withLock { state in
            state.total -= amount
            guard let own = state.byAccount[account], !account.isPrivileged(among: privilegedUsers) else { return }
            state.users -= amount
            state.byAccount[account] = own > amount ? own - amount : nil
        }
    }

    private func tooMany(for account: Account) -> Problem {
        Problem(
            .tooManyRequests,
            detail:
                "\(account) has as many \(subject) as one may have (\(bounds.perUser)); \(advice), or try again in a moment"
        )
    }

    private var exhausted: Problem {
        Problem(
            .overloaded,
            detail: "all users together have as many \(subject) as the daemon serves; try again in a moment")
    }
}

/// A caller's part of a quota. It is given back once: with `giveBack`, or with its last reference.
final class Reservation: Sendable {
    private let quota: SharedQuota
    private let account: Account
    private let held: Mutex<Int?>

    fileprivate init(of amount: Int, in quota: SharedQuota, for account: Account) {
        self.quota = quota
        self.account = account
        held = Mutex(amount)
    }

    deinit { giveBack() }

    /// Makes it at least this large.
    func grow(to amount: Int) throws(Problem) {
        let more = held.withLock { held in held.map { max(0, amount - $0) } ?? 0 }
        guard more > 0 else { return }
        try quota.take(more, for: account)
        let isGivenBack = held.withLock { held in
            held = held.map { $0 + more }
            return held == nil
        }
        if isGivenBack { quota.giveBack(more, for: account) }
    }

    func giveBack() {
        let amount = held.withLock { $0.take() }
        if let amount { quota.giveBack(amount, for: account) }
    }
}
