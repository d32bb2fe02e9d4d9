import Glibc
import Hummingbird
import KioskAPI
import KioskAccess
import KioskEngine
import KioskPrintModel

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
            owner: caller.owner, name: await name(of: caller), rights: rights(of: caller),
            sharesEveryJob: sharesEveryJob(caller),
            isOperator: isOperator(caller))
    }

    /// The name that their jobs have; nil for nobody.
    private func name(of caller: Caller) async -> String? {
        switch caller.identity {
        case .user(let user, _): await names.name(of: user)
        case .token(let token): token.name
        case .nobody: nil
        }
    }

    func rights(of caller: Caller) -> CallerRights {
        if administrators.include(caller) { return .all }
        if let token = caller.token {
            var rights: CallerRights = []
            if token.scopes.contains(.raw) { rights.formUnion([.rawDocuments, .rawCommands, .drawer]) }
            if token.scopes.contains(.drawer) { rights.insert(.drawer) }
            return rights
        }
        var rights: CallerRights = rawGroup.map(caller.isIn) == false ? [] : .rawDocuments
        if drawerGroup.map(caller.isIn) == true { rights.insert(.drawer) }
        if commandGroup.map(caller.isIn) == true { rights.formUnion([.drawer, .rawCommands]) }
        return rights
    }

    func isOperator(_ caller: Caller) -> Bool {
        administrators.include(caller) || operatorGroup.map(caller.isIn) == true
    }

    private func sharesEveryJob(_ caller: Caller) -> Bool {
        switch sharedQueue {
        case .nobodys: false
        // Whoever holds a token shares what it may read.
        case .everybodys: caller.token.map { $0.scopes.contains(.read) } ?? true
        case .group(let group): caller.isIn(group)
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
        switch caller.identity {
        case .user(let user, _): user == 0 || user == ownUser || group.map(caller.isIn) == true
        case .token(let token): token.scopes.contains(.admin)
        case .nobody: false
        }
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
        if let token = caller.token { return .missingScope("admin", of: token) }
        let group =
            administrators.group.map { "members of the group \($0)" }
            ?? "members of the group that kioskd is started with --admin-group for"
        return Problem(
            .notAllowed,
            detail:
                "changing printers, roles and trust, and tracing printers, is for root, kioskd's own user and \(group), and you are \(caller.account); use sudo, or have an admin put you in that group"
        )
    }
}
