import Glibc
import Hummingbird
import KioskAPI
import KioskEngine
import PrintModel

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

/// Who may change printers, roles and trust: root, the daemon's own user, and a group's members.
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
                "changing printers, roles and trust is for root, kioskd's own user and \(group), and you are user \(caller.user); use sudo, or have an admin put you in that group"
        )
    }
}
