import HTTPTypes
import KioskAPI
import KioskAccess
import KioskPrintModel

/// What a caller from the network has to show for a route. Callers on the Unix socket need no more than to be let in.
enum RouteRight: Hashable, Sendable {
    /// Nothing: the page's own files, logging in, and the API's description.
    case nothing
    /// A token that may print to some role, or a session.
    case print
    /// A token that may print or read, or a session.
    case printOrRead
    /// A token that may read, or a session.
    case read
    /// A session of the admin page: its screens and forms.
    case session
    /// A token with `standby` or `admin`, or an administrator's session: the other kiosk of a pair.
    case standby
    /// A token with `admin`, or an administrator's session.
    case administration
}

/// The right that each route needs: one table, and none is forgotten: a route that does not stand in it is for
/// administrators.
enum RouteRights {
    /// `GET /v1/jobs/{id}` as `RouteTable` writes it; HEAD needs what GET needs.
    static func right(for route: String) -> RouteRight {
        if let right = table[route] { return right }
        return route.contains(" /v1/") ? .administration : .session
    }

    static let table: [String: RouteRight] = [
        "POST /v1/jobs": .print,
        "GET /v1/jobs": .printOrRead,
        "GET /v1/jobs/{id}": .printOrRead,
        "DELETE /v1/jobs/{id}": .print,
        "POST /v1/jobs/{id}/release": .print,
        "POST /v1/jobs/{id}/reprint": .print,
        "GET /v1/jobs/{id}/timeline": .printOrRead,
        "GET /v1/jobs/{id}/preview": .printOrRead,
        "GET /v1/events": .printOrRead,
        "POST /v1/preview": .printOrRead,
        "GET /v1/printers": .read,
        "GET /v1/printers/{id}": .read,
        "POST /v1/printers/{id}/contact": .read,
        "POST /v1/printers/{id}/identify": .administration,
        "POST /v1/printers/{id}/test": .print,
        "GET /v1/printers/{id}/certificate": .read,
        "GET /v1/discovered-printers": .read,
        "GET /v1/discovery": .read,
        "GET /v1/roles": .read,
        "GET /v1/roles/{name}": .read,
        "GET /v1/profiles": .read,
        "GET /v1/profiles/{name}": .read,
        "POST /v1/registry/reload": .administration,
        "GET /v1/health": .read,
        "GET /v1/standby": .standby,
        "PUT /v1/standby/{node}/{id}": .standby,
        "DELETE /v1/standby/{node}/{id}": .standby,
        "GET /v1/server": .read,
        "GET /v1/fleet": .read,
        "GET /metrics": .read,
        "GET /v1/openapi.json": .nothing,
        "GET /kiosk.js": .nothing,
        "GET /assets/{name}": .nothing,
        "GET /login": .nothing,
        "POST /login": .nothing,
        "POST /logout": .nothing,
        "GET /favicon.ico": .nothing,
    ]
}

extension Caller {
    /// Throws where the caller has no right to a route: 401 for somebody unknown, 403 for a token without the scope.
    func check(_ right: RouteRight) throws(Problem) {
        switch (right, identity) {
        case (.nothing, _): return
        case (_, .nobody):
            throw Problem(
                .unauthenticated,
                detail:
                    "over the network, show an access token (Authorization: Bearer kiosk_…) or log in on the page; kioskctl tokens add makes a token, kioskctl admin a link to log in"
            )
        case (_, .user): return
        case (.session, .token):
            throw Problem(
                .notAllowed,
                detail: "the page's screens are for people who have logged in; programs use the paths of /v1")
        case (.print, .token(let token)):
            guard token.scopes.mayPrintSomewhere else { throw .missingScope("print:ROLE", of: token) }
        case (.printOrRead, .token(let token)):
            guard token.scopes.mayPrintSomewhere || token.mayRead else { throw .missingScope("read", of: token) }
        case (.read, .token(let token)):
            guard token.mayRead else { throw .missingScope("read", of: token) }
        case (.standby, .token(let token)):
            guard token.isAdministrator || token.scopes.contains(.standby) else {
                throw .missingScope("standby", of: token)
            }
        case (.administration, .token(let token)):
            guard token.isAdministrator else { throw .missingScope("admin", of: token) }
        }
    }

    /// Whether they may see printers, and jobs that are not theirs.
    var maySeeOthers: Bool { token.map(\.mayRead) ?? true }

    /// Throws where a token does not let its holder print there. A printer by name, past the roles, needs `print`.
    func checkPrinting(to role: RoleName?, printer: PrinterID?) throws(Problem) {
        guard let token, !token.scopes.mayPrint(to: printer == nil ? role : nil) else { return }
        guard printer == nil, let role else {
            throw Problem(
                .insufficientScope,
                detail:
                    "the token \"\(token.name)\" prints to its roles only, not to a printer by name; name a role, or make a token with --scope print"
            )
        }
        throw .missingScope("print:\(role)", of: token)
    }
}

extension AccessToken {
    fileprivate var isAdministrator: Bool { scopes.contains(.admin) }
    fileprivate var mayRead: Bool { isAdministrator || scopes.contains(.read) }
}

extension Problem {
    static func missingScope(_ scope: String, of token: AccessToken) -> Problem {
        Problem(
            .insufficientScope,
            detail:
                "the token \"\(token.name)\" has no scope \"\(scope)\"; make one that has it: kioskctl tokens add NAME --scope \(scope)"
        )
    }
}
