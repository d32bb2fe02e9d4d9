import KioskAPI
import KioskAccess
import KioskEngine
import KioskPrintModel
import Testing

@testable import kioskd

/// What callers from the network need for each route.
@Suite struct RouteRightsTests {
    private static func token(_ scopes: TokenScope...) -> Caller {
        Caller(
            .token(
                AccessToken(
                    id: 7, name: "till", scopes: Set(scopes), createdAt: Timestamp(millisecondsSince1970: 0),
                    createdBy: "uid:0")),
            address: "192.0.2.7")
    }

    private static let receipt = RoleName(rawValue: "receipt")!
    private static let everyRight: [RouteRight] = [
        .nothing, .print, .printOrRead, .read, .session, .standby, .administration,
    ]

    @Test(
        arguments: [
            (Caller(.nobody, address: "192.0.2.7"), [.nothing]),
            (token(.printing(to: receipt)), [.nothing, .print, .printOrRead]),
            (token(.print), [.nothing, .print, .printOrRead]),
            (token(.read), [.nothing, .printOrRead, .read]),
            (token(.drawer), [.nothing]),
            (token(.raw), [.nothing]),
            (token(.standby), [.nothing, .standby]),
            (token(.admin), [.nothing, .print, .printOrRead, .read, .standby, .administration]),
            // Whether they are administrators is the routes' own matter, as on the Unix socket.
            (Caller(.user(1000, groups: [1000]), address: "192.0.2.7", session: 1), everyRight),
        ] as [(Caller, [RouteRight])])
    func `a caller may use the routes that their scopes name, and no other`(caller: Caller, allowed: [RouteRight]) {
        for right in Self.everyRight {
            var isAllowed = true
            do { try caller.check(right) } catch { isAllowed = false }
            #expect(isAllowed == allowed.contains(right), "\(caller), \(right)")
        }
    }

    @Test(
        arguments: [
            (token(.printing(to: receipt)), "receipt", nil, true),
            (token(.printing(to: receipt)), "document", nil, false),
            (token(.printing(to: receipt)), nil, "till-1", false),
            (token(.printing(to: receipt)), "receipt", "till-1", false),
            (token(.print), "document", nil, true), (token(.print), nil, "till-1", true),
            (token(.admin), nil, "till-1", true), (token(.read), "receipt", nil, false),
            (Caller(user: 1000, groups: []), nil, "till-1", true),
        ] as [(Caller, String?, String?, Bool)])
    func `a token prints to its roles, and past them only with the scope print`(
        caller: Caller, role: String?, printer: String?, isAllowed: Bool
    ) {
        let (role, printer) = (role.flatMap(RoleName.init(rawValue:)), printer.flatMap(PrinterID.init(rawValue:)))
        if isAllowed {
            #expect(throws: Never.self) { try caller.checkPrinting(to: role, printer: printer) }
        } else {
            #expect(throws: Problem.self) { try caller.checkPrinting(to: role, printer: printer) }
        }
    }

    @Test func `a route that nobody thought of is for administrators, and a page for sessions`() {
        #expect(RouteRights.right(for: "POST /v1/anything") == .administration)
        #expect(RouteRights.right(for: "POST /anything") == .session)
        #expect(RouteRights.right(for: "PUT /v1/printers/{id}") == .administration)
        #expect(RouteRights.right(for: "GET /v1/jobs/{id}") == .printOrRead)
    }

    @Test(
        arguments: [
            (.raw, [.rawDocuments, .rawCommands, .drawer]), (.drawer, .drawer), (.print, []), (.admin, .all),
        ] as [(TokenScope, CallerRights)])
    func `what a token's documents may do is in its scopes`(scope: TokenScope, rights: CallerRights) {
        let access = AccessRules(administrators: Administrators(ownUser: 990, group: nil))
        #expect(access.rights(of: Self.token(scope)) == rights)
    }
}
