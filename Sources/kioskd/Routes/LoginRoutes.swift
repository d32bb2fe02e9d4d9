import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskAdminPage
import KioskPrintModel
import NIOCore

/// `/login` and `/logout`: a one-time code becomes the session of a browser.
struct LoginRoutes: Sendable {
    /// Nil where nobody comes in by the network.
    let network: NetworkAccess?

    static let path = "/login"
    /// The most bytes of a login's body.
    private static let maximumLength = 4096

    func add(to router: Router<APIContext>) {
        router.get("/login", use: show)
        router.post("/login", use: logIn)
        router.post("/logout", use: logOut)
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        page(request, context)
    }

    private func page(_ request: Request, _ context: APIContext, failure: LoginFailure? = nil) -> Response {
        let page = PageRequest(request, context, FormFields(), user: nil)
        var status = HTTPResponse.Status.ok
        if let failure { status = failure == .wrong ? .forbidden : .tooManyRequests }
        var response = page.answer(nil, LoginScreen(failure: failure).screen(page.texts), status: status)
        if case .throttled(let seconds) = failure { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    @Sendable private func logIn(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let network else { throw Problem(.notFound, detail: "nobody logs in to this daemon") }
        let (code, isForm) = try await code(of: request, context)
        let address = context.caller.address ?? context.caller.description
        switch network.codes.redeem(code, from: address, at: .now) {
        case .redeemed(let account):
            let opened = try network.sessions.open(for: account, from: address, at: .now)
            let caller = Caller(
                .user(account.uid, groups: account.groups), address: context.caller.address, session: opened.session.id)
            network.note("login", account.name, by: caller)
            let cookie = SessionCookie.setting(
                opened.cookie, port: context.cookiePort, isSecure: context.entrance?.isSecure ?? false)
            let fields: HTTPFields = [.setCookie: cookie, .cacheControl: "no-store"]
            guard isForm else {
                return try .json(
                    SessionDescription(user: account.name, expiresAt: opened.session.expiresAt), headers: fields)
            }
            return Self.seeOther("/", fields)
        case .wrong:
            noteFailure("the one-time code is wrong", context)
            if isForm { return page(request, context, failure: .wrong) }
            throw Problem(
                .wrongLoginCode,
                detail:
                    "the one-time code is wrong, was used, or is over; make another on the kiosk: sudo kioskctl admin")
        case .throttled(let seconds):
            noteFailure("too many wrong codes", context)
            if isForm { return page(request, context, failure: .throttled(seconds: seconds)) }
            throw Problem(
                .tooManyRequests, detail: "there were too many wrong codes; try again in \(seconds) s")
        }
    }

    @Sendable private func logOut(_ request: Request, _ context: APIContext) async throws -> Response {
        for session in network?.closeSessions(of: request) ?? [] {
            let caller = Caller(
                .user(session.account.uid, groups: session.account.groups), address: context.caller.address,
                session: session.id)
            network?.note("logout", session.account.name, by: caller)
        }
        let cookie = SessionCookie.clearing(port: context.cookiePort, isSecure: context.entrance?.isSecure ?? false)
        return Self.seeOther(Self.path, [.setCookie: cookie, .cacheControl: "no-store"])
    }

    private func noteFailure(_ message: String, _ context: APIContext) {
        network?.note(
            "login", by: Caller(.nobody, address: context.caller.address), outcome: .denied, message: message)
    }

    /// The code of a form or of JSON.
    private func code(of request: Request, _ context: APIContext) async throws -> (code: String, isForm: Bool) {
        try request.refuseQuery()
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        let isForm = type == FormFields.mediaType
        guard isForm || type == APIMediaTypes.json else {
            throw Problem(
                .invalidParameter,
                detail: "a login is sent as \(FormFields.mediaType) or \(APIMediaTypes.json), with \"code\"")
        }
        let body = try await request.boundedBody(
            Self.maximumLength, context, of: context.limits.bodies, what: "login", instead: "send the code alone")
        defer { body.reservation.giveBack() }
        guard isForm else { return (try await body.decoded(as: LoginRequest.self).code, false) }
        guard let fields = FormFields(body.bytes.readableBytesView) else {
            throw Problem(.invalidParameter, detail: "the form is not well-formed; load the page again")
        }
        return (fields["code"] ?? "", true)
    }

    private static func seeOther(_ path: String, _ fields: HTTPFields) -> Response {
        var fields = fields
        fields[.location] = path
        fields[.contentLength] = "0"
        return Response(status: .seeOther, headers: fields)
    }
}

/// The response to a login by JSON.
private struct SessionDescription: Encodable {
    var user: String
    var expiresAt: Timestamp

    enum CodingKeys: String, CodingKey {
        case user
        case expiresAt = "expires-at"
    }
}

extension APIContext {
    /// The port in the cookie's name. Nobody needs a cookie on the Unix socket, where the kernel tells who asks.
    fileprivate var cookiePort: Int { entrance?.port ?? 0 }
}

extension NetworkAccess {
    /// Ends the sessions whose cookies a request shows; returns what they were.
    fileprivate func closeSessions(of request: Request) -> [Session] {
        request.headers[values: .cookie].flatMap { $0.split(separator: ";") }
            .compactMap { SessionCookie.value(in: $0.drop { $0 == " " }) }
            .compactMap { sessions.close($0) }
    }
}
