import Dispatch
import Glibc
import KioskPrintModel
import Synchronization

/// The names of users, as the system's user database has them.
///
/// A directory on the network may be behind that database, and a receipt must not wait for it: looking up has a thread
/// of its own, a name is kept, and whoever asks waits for a new one for a moment only.
final class UserNames: Sendable {
    private struct Entry {
        /// Nil until it is known.
        var name: String?
        var refreshAt: ContinuousClock.Instant
        var isAsked = false
        var waiters: [Int: CheckedContinuation<String, Never>] = [:]
    }
    private struct State {
        var entries: [UInt32: Entry] = [:]
        var lastWaiter = 0
    }
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "user names")
    private let lookUp: @Sendable (UInt32) -> String?
    private let timeout: DispatchTimeInterval

    private static let lifetime: Duration = .seconds(600)
    private static let maximumKept = 1024
    /// The maximum length of a job's user name.
    private static let maximumNameLength = 255

    /// `timeout`: how long `name(of:)` waits for one that is not known yet.
    init(
        timeout: DispatchTimeInterval = .milliseconds(250),
        lookUp: @escaping @Sendable (UInt32) -> String? = UserNames.entry
    ) {
        self.timeout = timeout
        self.lookUp = lookUp
    }

    /// The name of an actor as the audit names it: a user's for `uid:0`, all else as it is.
    func name(ofActor actor: String) async -> String {
        guard actor.hasPrefix("uid:"), let user = UInt32(actor.dropFirst("uid:".count)) else { return actor }
        return await name(of: user)
    }

    /// The user's name; the number of one who has none, or whose name the database did not tell in time.
    func name(of user: UInt32) async -> String {
        let (known, asks) = state.withLock { state in
            if state.entries.count >= Self.maximumKept, state.entries[user] == nil {
                state.entries = state.entries.filter { $0.value.isAsked }
            }
            var entry = state.entries[user] ?? Entry(refreshAt: .now)
            let asks = !entry.isAsked && entry.refreshAt <= .now
            if asks { entry.isAsked = true }
            state.entries[user] = entry
            return (entry.name, asks)
        }
        if asks { queue.async { [self] in refresh(user) } }
        if let known { return known }
        return await withCheckedContinuation { continuation in
            let (name, number) = state.withLock { state -> (String?, Int) in
                if let name = state.entries[user]?.name { return (name, 0) }
                state.lastWaiter += 1
                state.entries[user, default: Entry(refreshAt: .now)].waiters[state.lastWaiter] = continuation
                return (nil, state.lastWaiter)
            }
            if let name { return continuation.resume(returning: name) }
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [self] in
                let waiter = state.withLock { $0.entries[user]?.waiters.removeValue(forKey: number) }
                waiter?.resume(returning: "\(user)")
            }
        }
    }

    private func refresh(_ user: UInt32) {
        let name = lookUp(user)?.withoutControlCharacters.prefix(utf8Count: Self.maximumNameLength) ?? "\(user)"
        let waiters = state.withLock { state in
            let waiters = state.entries[user]?.waiters ?? [:]
            state.entries[user] = Entry(name: name, refreshAt: .now + Self.lifetime)
            return waiters
        }
        for waiter in waiters.values { waiter.resume(returning: name) }
    }

    /// getpwuid_r(3).
    static func entry(of user: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 * 1024)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return nil }
        return String(cString: name)
    }
}
