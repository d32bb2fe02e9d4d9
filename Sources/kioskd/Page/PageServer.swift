import Glibc
import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskPrintModel
import Logging
import NIOCore

/// Answers requests for screens: reads forms, and shows what a route throws as a screen of its own.
struct PageServer: Sendable {
    let access: AccessRules
    /// Nil where no audit is kept.
    let network: NetworkAccess?
    /// Whether the kiosk belongs to a fleet, and has a screen for it.
    let isInFleet: Bool

    typealias Handler = @Sendable (PageRequest) async throws -> Response

    /// A screen. It never changes anything.
    func get(_ path: RouterPath, _ router: Router<APIContext>, use handler: @escaping Handler) {
        router.get(path) { try await answer($0, $1, fields: FormFields(), handler) }
    }

    /// What a form does; it answers with `PageRequest.seeOther`, or shows the form again.
    func post(_ path: RouterPath, _ router: Router<APIContext>, use handler: @escaping Handler) {
        router.post(path) { request, context in
            let fields: FormFields
            do {
                fields = try await self.fields(of: request, context)
            } catch {
                return try failure(error, PageRequest(request, context, FormFields(), user: nil, isInFleet: isInFleet))
            }
            return try await answer(request, context, fields: fields, handler)
        }
    }

    private func answer(
        _ request: Request, _ context: APIContext, fields: FormFields, _ handler: Handler
    ) async throws -> Response {
        let user = if let id = context.caller.user { await access.names.name(of: id) } else { nil as String? }
        let page = PageRequest(request, context, fields, user: user, isInFleet: isInFleet)
        do {
            guard access.administrators.include(context.caller) else {
                throw Problem(
                    .notAllowed,
                    detail:
                        "the page is for root, kioskd's own user and members of its --admin-group; have one of them log in"
                )
            }
            return try await handler(page)
        } catch {
            return try failure(error, page)
        }
    }

    private func failure(_ error: any Error, _ page: PageRequest) throws -> Response {
        let problem = Problem(describing: error)
        if problem.code == .internalError {
            page.context.logger.error("\(page.request.method) \(page.request.uri.path) failed: \(error)")
        }
        network?.noteDenial(problem, of: page.request, by: page.context.caller)
        let screen = ProblemScreen(title: problem.title, detail: problem.detail ?? "").screen(page.texts)
        return page.answer(nil, screen, status: HTTPResponse.Status(code: problem.status))
    }

    private func fields(of request: Request, _ context: APIContext) async throws -> FormFields {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == nil || type == FormFields.mediaType else {
            throw Problem(.invalidParameter, detail: "a form is sent as \(FormFields.mediaType)")
        }
        let body = try await request.boundedBody(
            FormFields.maximumLength, context, of: context.limits.bodies, what: "form", instead: "write less")
        defer { body.reservation.giveBack() }
        guard let fields = FormFields(body.bytes.readableBytesView) else {
            throw Problem(.invalidParameter, detail: "the form is not well-formed; load the page again")
        }
        return fields
    }
}

/// A request for a screen, with the reader's language and the form's fields.
struct PageRequest: Sendable {
    let request: Request
    let context: APIContext
    /// The fields of the form; empty for GET.
    let fields: FormFields
    /// The texts in the reader's language.
    let texts: Texts
    private let user: String?
    private let isInFleet: Bool

    init(
        _ request: Request, _ context: APIContext, _ fields: FormFields, user: String?, isInFleet: Bool = false
    ) {
        self.request = request
        self.context = context
        self.fields = fields
        self.user = user
        self.isInFleet = isInFleet
        texts = Languages.texts(accepting: request.headers[.acceptLanguage])
    }

    /// The query's parameters; those that nobody reads are ignored, since people change addresses by hand.
    var query: QueryItems { (try? QueryItems(request.uri.query)) ?? QueryItems() }

    /// The condition of a change: the form's revision still holds.
    var condition: Precondition { Precondition(Revision(text: fields["revision"] ?? "")) }

    /// What a problem says above a screen. `changed`: what to do where somebody else was faster.
    func notice(of problem: Problem, changed: Texts.Key = "problem.changed.detail") -> PageNotice {
        guard problem.code == .changedMeanwhile else {
            let findings = (problem.problems ?? []).map(\.message)
            let detail = ([problem.detail ?? ""] + findings).joined(separator: "\n")
            return PageNotice(.problem, texts("problem.not-saved"), detail: detail)
        }
        return PageNotice(.problem, texts("problem.changed"), detail: texts(changed))
    }

    /// The notice that the last form left in the address: `?done=printer-saved` shows the text `done.printer-saved`.
    private var notice: PageNotice? {
        query["done"].flatMap { texts.member($0, of: "done") }.map { PageNotice(.done, $0) }
    }

    /// A screen. `notice`: a message in place of the one in the address.
    func answer(
        _ section: PageSection?, _ screen: PageScreen, notice: PageNotice? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let frame = PageFrame(
            texts: texts, section: section, user: user, host: HostName.text, notice: notice ?? self.notice,
            isInFleet: isInFleet)
        return .bytes(frame.document(screen).bytes, status: status, headers: Self.headers)
    }

    /// Sends the browser to another screen, which says what was done.
    func seeOther(_ path: String, done: String? = nil) -> Response {
        var items = QueryItems()
        items.add("done", done)
        // The path may have a query of its own: a list with its filter.
        let suffix = path.contains("?") && done != nil ? "&" + items.suffix.dropFirst() : items.suffix
        return Response(status: .seeOther, headers: [.location: path + suffix, .contentLength: "0"])
    }

    /// docs/security.md says why each.
    private static let headers: HTTPFields = {
        var fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
            .xContentTypeOptions: "nosniff",
            .vary: "Accept-Language",
        ]
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()
}

/// The machine's name, read once.
enum HostName {
    static let text: String = {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return bytes.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }()
}
