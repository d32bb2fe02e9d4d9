import CKioskLinux
import Dispatch
import Glibc
import Hummingbird
import KioskAPI
import KioskEngine
import KioskPrintModel
import NIOCore
import Synchronization

/// The rules for what callers may do with jobs, by the daemon's groups. `docs/security.md` shows them as a table.
struct AccessRules: Sendable {
    let administrators: Administrators
    /// The group whose members may open drawers.
    var drawerGroup: gid_t?
    /// The group whose members may put raw commands into receipts, which may open drawers too.
    var commandGroup: gid_t?
    /// The group whose members alone may send documents that go to a printer as they are; nil: everybody may.
    var rawGroup: gid_t?
    /// The group whose members see and act on everybody's jobs, and may contact a printer that waits after a lasting
    /// failure (a refused login, say).
    var operatorGroup: gid_t?
    /// The callers who see and act on everybody's jobs: everyone, a group's members, or nobody.
    var sharedQueue = SharedQueue.nobodys
    var names = UserNames()

    enum SharedQueue: Hashable, Sendable {
        case nobodys
        case everybodys
        case group(gid_t)
    }

    /// The caller of a request, with what they may.
    func requester(of context: APIContext) async -> Requester { await requester(for: context.caller) }

    func requester(for caller: Caller) async -> Requester {
        Requester(
            user: caller.user, name: await names.name(of: caller.user), rights: rights(of: caller),
            sharesEveryJob: sharesEveryJob(caller),
            isOperator: isOperator(caller))
    }

    func rights(of caller: Caller) -> CallerRights {
        if administrators.include(caller) { return .all }
        var rights: CallerRights = rawGroup.map(caller.groups.contains) == false ? [] : .rawDocuments
        if drawerGroup.map(caller.groups.contains) == true { rights.insert(.drawer) }
        if commandGroup.map(caller.groups.contains) == true { rights.formUnion([.drawer, .rawCommands]) }
        return rights
    }

    func isOperator(_ caller: Caller) -> Bool {
        administrators.include(caller) || operatorGroup.map(caller.groups.contains) == true
    }

    private func sharesEveryJob(_ caller: Caller) -> Bool {
        switch sharedQueue {
        case .nobodys: false
        case .everybodys: true
        case .group(let group): caller.groups.contains(group)
        }
    }
}

/// Who may change printers, roles and trust, and trace printers: root, the daemon's own user, and a group's members.
///
/// Whoever saves a printer says where its login goes, so one who may only print must not: a listener of their own,
/// saved with somebody's credentials, would be sent the password.
struct Administrators: Sendable {
    var ownUser: UInt32 = geteuid()
    var group: gid_t?

    func include(_ caller: Caller) -> Bool {
        caller.user == 0 || caller.user == ownUser || group.map(caller.groups.contains) == true
    }
}

/// Lets administrators through, and nobody else.
struct AdministratorsOnly: RouterMiddleware {
    typealias Context = APIContext
    let administrators: Administrators

    @concurrent func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard administrators.include(context.caller) else { throw refusal(of: context.caller) }
        return try await next(request, context)
    }

    private func refusal(of caller: Caller) -> Problem {
        let group =
            administrators.group.map { "members of the group \($0)" }
            ?? "members of the group that kioskd is started with --admin-group for"
        return Problem(
            .notAllowed,
            detail:
                "changing printers, roles and trust, and tracing printers, is for root, kioskd's own user and \(group), and you are user \(caller.user); use sudo, or have an admin put you in that group"
        )
    }
}

/// Who connected to the socket, as the kernel tells: what the connecting process was at that moment.
struct Caller: Hashable, Sendable, CustomStringConvertible {
    var user: UInt32
    /// The primary group and the supplementary ones.
    var groups: Set<UInt32>

    /// `uid:1000`
    var description: String { "uid:\(user)" }
}

extension Caller {
    /// The caller at the other end of a channel's connection; called on its event loop.
    init(of channel: any Channel) throws {
        let caller = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            try Caller(of: $0)
        }
        guard let caller else { throw Unknown(reason: "it is not a socket") }
        self = caller
    }

    /// At the other end of a Unix socket. Throws `errno`'s words where the kernel does not tell.
    init(of descriptor: CInt) throws {
        var (user, group): (UInt32, UInt32) = (0, 0)
        let failure = clinux_peer(descriptor, &user, &group)
        guard failure == 0 else { throw Unknown(reason: errorText(failure)) }
        self.init(user: user, groups: try Self.supplementaryGroups(descriptor).union([group]))
    }

    struct Unknown: Error, CustomStringConvertible {
        var reason: String
        var description: String { "cannot tell who is at the other end of the socket: \(reason)" }
    }

    /// NGROUPS_MAX of the kernel's limits.h.
    private static let maximumGroups: UInt32 = 65_536

    private static func supplementaryGroups(_ descriptor: CInt) throws -> Set<UInt32> {
        var capacity: UInt32 = 64
        while true {
            var groups = [UInt32](repeating: 0, count: Int(capacity))
            var count = capacity
            switch clinux_peer_groups(descriptor, &groups, &count) {
            case 0: return Set(groups.prefix(Int(count)))
            case ERANGE where count > capacity && count <= maximumGroups: capacity = count
            case let failure: throw Unknown(reason: errorText(failure))
            }
        }
    }
}

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
