import Glibc
import Hummingbird
import KioskAPI

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
