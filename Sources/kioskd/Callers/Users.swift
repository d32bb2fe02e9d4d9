import Dispatch
import DrawingService
import Glibc
import PrintModel
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
    private static let mostKept = 1024
    /// As long as a name of a job's user may be.
    private static let longestName = 255

    /// `timeout`: how long `name(of:)` waits for one that is not known yet.
    init(
        timeout: DispatchTimeInterval = .milliseconds(250),
        lookUp: @escaping @Sendable (UInt32) -> String? = UserNames.entry
    ) {
        self.timeout = timeout
        self.lookUp = lookUp
    }

    /// The user's name; the number of one who has none, or whose name the database did not tell in time.
    func name(of user: UInt32) async -> String {
        let (known, asks) = state.withLock { state in
            if state.entries.count >= Self.mostKept, state.entries[user] == nil {
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
        let name = lookUp(user)?.withoutControlCharacters.prefix(utf8Count: Self.longestName) ?? "\(user)"
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

/// The user that `--draw-user` names, by name or number, with that user's own group.
func drawingUser(named text: String) throws(StartError) -> DrawingSettings.User {
    let option = "--draw-user"
    guard geteuid() == 0 else {
        throw StartError(
            .noPermission, "only root can run kiosk-draw as \"\(text)\"; start kioskd as root, or leave \(option) out")
    }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 64 * 1024)
    let failure =
        uid_t(text).map { getpwuid_r($0, &entry, &buffer, buffer.count, &found) }
        ?? getpwnam_r(text, &entry, &buffer, buffer.count, &found)
    guard failure == 0, found != nil else {
        throw StartError(
            .usage, "there is no user \"\(text)\"; make it with useradd --system, or name another with \(option)")
    }
    guard entry.pw_uid != 0, entry.pw_gid != 0 else {
        throw StartError(.usage, "\"\(text)\" is root or has root's group; name a user without rights with \(option)")
    }
    return DrawingSettings.User(id: entry.pw_uid, group: entry.pw_gid)
}

/// A group by name or number, as an option names it.
func groupNumber(of text: String, option: String) throws(StartError) -> gid_t {
    if let number = gid_t(text) { return number }
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: 64 * 1024)
    guard getgrnam_r(text, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
        throw StartError(.usage, "there is no group \"\(text)\"; make it with groupadd, or name another with \(option)")
    }
    return entry.gr_gid
}
