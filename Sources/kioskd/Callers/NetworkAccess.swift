import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAccess
import KioskPrintModel

/// Finds out who sends a request over the network: by a bearer token (RFC 6750), or by the cookie of a session of the
/// admin page.
struct NetworkAccess: Sendable {
    let tokens: TokenStore
    let sessions: SessionStore
    let codes: LoginCodes
    let audit: AuditLog

    /// The caller of one request. `connection`: whoever opened the connection, of whom the address alone is known.
    ///
    /// A wrong token waits for nothing, unlike a wrong code: 256 random bits are not guessed, and the holders of right
    /// ones behind the same address must not wait.
    func caller(of request: Request, from connection: Caller) throws(Problem) -> Caller {
        if let authorization = request.headers[.authorization] {
            return try caller(showing: authorization, connection)
        }
        guard let session = session(of: request) else { return connection }
        return Caller(
            .user(session.account.uid, groups: session.account.groups), address: connection.address,
            session: session.id)
    }

    /// Which web pages of other origins may ask.
    var cors: CORS { CORS(isListed: { tokens.isAllowed(origin: $0) }) }

    /// The caller of a request from a page of another origin. Its token counts alone: a browser adds cookies by itself.
    func caller(of request: Request, from connection: Caller, page origin: String) throws(Problem) -> Caller {
        guard request.headers[.authorization] != nil else { return connection }
        let caller = try caller(of: request, from: connection)
        if let token = caller.token { try CORS.requireListing(of: origin, by: token) }
        return caller
    }

    /// The session whose cookie the request shows; nil where it shows none, or one that is over.
    func session(of request: Request) -> Session? {
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                guard let value = SessionCookie.value(in: pair.drop { $0 == " " }) else { continue }
                if let session = sessions.session(for: value, at: .now) { return session }
            }
        }
        return nil
    }

    /// Whether a caller who came in still may, for a response that goes on, such as a stream of events: the token was
    /// not revoked and the session not closed meanwhile.
    func isStillIn(_ caller: Caller) -> Bool {
        if let token = caller.token { return tokens.isCurrent(token.id, at: .now) }
        if let session = caller.session { return sessions.isCurrent(session, at: .now) }
        return caller.address == nil
    }

    private func caller(showing authorization: String, _ connection: Caller) throws(Problem) -> Caller {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem(
                .unauthenticated, detail: "the daemon knows no authorization but Bearer; send an access token")
        }
        let refusal: String
        switch tokens.verify(parts[1], at: .now) {
        case .valid(let token): return Caller(.token(token), address: connection.address)
        case .malformed: refusal = "what stands behind Bearer is no access token of kioskd, or has a typing error"
        case .unknown: refusal = "the access token is unknown or was revoked"
        case .expired(let token): refusal = "the access token \"\(token.name)\" has expired"
        }
        throw Problem(.unauthenticated, detail: "\(refusal); make one with: kioskctl tokens add")
    }

    /// Notes in the audit that a request was refused for want of a right. That somebody has not logged in yet is no
    /// denial.
    func noteDenial(_ problem: Problem, of request: Request, by caller: Caller) {
        let isDenial =
            [401, 403, 421].contains(problem.status)
            && (problem.code != .unauthenticated || request.headers[.authorization] != nil)
        guard isDenial else { return }
        audit.note(
            AuditEntry(
                time: .now, actor: caller.actor, address: caller.address ?? "local",
                action: "\(request.method.rawValue) \(request.uri.path)", outcome: .denied, message: problem.detail))
    }

    /// Sends a browser that asks for a screen of the page without a session to the login; nil for others.
    func loginPage(insteadOf problem: Problem, for request: Request) -> Response? {
        guard problem.code == .unauthenticated, [.get, .head].contains(request.method),
            !request.uri.path.hasPrefix("/v1/"), request.headers[.accept]?.contains("text/html") == true
        else { return nil }
        return Response(status: .seeOther, headers: [.location: "/login", .cacheControl: "no-store"])
    }
}

extension AuditLog {
    /// The findings for the health report.
    func checks() async -> [HealthReport.Check] {
        let (failures, damaged) = await problems()
        return failures.map { failure in
            HealthReport.Check(
                code: "audit-not-written", status: .warning,
                message:
                    "the audit is not written: \(failure); the daemon's log has its entries. Free space on the disk of the state directory, and look at who may write there"
            )
        }
            + damaged.map { path in
                HealthReport.Check(
                    code: "audit-damaged", status: .warning,
                    message:
                        "a file of the audit could not be used, and a new one was begun; it is kept as \(path). Look at the disk and at who may write there, and remove the file"
                )
            }
    }
}

/// The cookie of a session of the admin page. Cookies are shared between the ports of a host, so its name has the port.
enum SessionCookie {
    private static let secureName = "__Host-kioskd-"
    private static let loopbackName = "kioskd-"

    /// The value of a `name=value` pair; nil where it is another cookie.
    static func value(in pair: Substring) -> Substring? {
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        let name = pair[..<equals]
        guard [secureName, loopbackName].contains(where: { name.hasPrefix($0) }) else { return nil }
        return pair[pair.index(after: equals)...]
    }

    /// The field that opens a session in the browser. `isSecure`: over TLS, where the browser keeps other hosts and
    /// plain connections from setting it (RFC 6265bis, `__Host-`).
    static func setting(_ value: String, port: Int, isSecure: Bool) -> String {
        "\(name(port, isSecure))=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(SessionStore.lifetime)"
            + (isSecure ? "; Secure" : "")
    }

    /// The field that ends it.
    static func clearing(port: Int, isSecure: Bool) -> String {
        "\(name(port, isSecure))=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0" + (isSecure ? "; Secure" : "")
    }

    private static func name(_ port: Int, _ isSecure: Bool) -> String {
        (isSecure ? secureName : loopbackName) + String(port)
    }
}
