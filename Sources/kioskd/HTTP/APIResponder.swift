import HTTPTypes
import Hummingbird
import HummingbirdCore
import KioskAPI
import Logging
import NIOCore
import PrintModel

/// Answers every request: by its route, or with problem details.
struct APIResponder: Sendable {
    private let router: RouterResponder<APIContext>
    private let routes: RouteTable
    let logger: Logger
    private let date = DateField()

    init(router: Router<APIContext>, logger: Logger) {
        self.router = router.buildResponder()
        routes = RouteTable(router)
        self.logger = logger
    }

    func response(to request: Request, _ source: APIContext.Source) async -> Response {
        var response = await routed(request, source)
        response.headers[.date] = date.value
        return response
    }

    /// The answer where nobody looks at what is asked.
    func refusal(of request: Request, _ problem: Problem) -> Response {
        var response = problemAnswer(problem, to: request)
        response.headers[.date] = date.value
        return response
    }

    private func routed(_ request: Request, _ source: APIContext.Source) async -> Response {
        let context = APIContext(source: source)
        do {
            try request.refuseTransferCodings()
            if let expect = request.headers[.expect], expect.lowercased() != "100-continue" {
                // RFC 9110 §10.1.1
                throw Problem(
                    .expectationFailed, detail: "the daemon knows no expectation but 100-continue; leave Expect out")
            }
            let response = try await router.respond(to: request, context: context)
            // The router's own "nothing here"; what the routes themselves miss is thrown as a problem.
            return response.status == .notFound ? problemAnswer(noRoute(request), to: request) : response
        } catch {
            let problem = Problem(describing: error)
            if problem.code == .internalError {
                logger.error("\(request.method) \(request.uri.path) failed: \(error)")
            }
            return problemAnswer(problem, to: request)
        }
    }

    private func problemAnswer(_ problem: Problem, to request: Request) -> Response {
        var problem = problem
        problem.instance = request.uri.path.withoutControlCharacters
        var headers = HTTPFields()
        if problem.code == .methodNotAllowed {
            headers[.allow] = routes.methods(at: request.uri.path).joined(separator: ", ")
        }
        if let seconds = problem.code.retryAfter { headers[.retryAfter] = String(seconds) }
        // Whoever has too much under way is not left with an idle connection, too.
        if [.tooManyRequests, .overloaded].contains(problem.code) { headers[.connection] = "close" }
        let answer = try? Response.json(
            problem, status: HTTPResponse.Status(code: problem.status), headers: headers,
            mediaType: APIMediaTypes.problem
        )
        // RFC 9110 §9.3.2: a body behind the answer to HEAD would be read as the next answer.
        let whole = answer ?? Response(status: .internalServerError)
        return request.method == .head ? whole.createHeadResponse() : whole
    }

    private func noRoute(_ request: Request) -> Problem {
        let methods = routes.methods(at: request.uri.path)
        guard !methods.isEmpty else {
            return Problem(.notFound, detail: "there is nothing at this path; \(APIPaths.openAPI) lists what there is")
        }
        return Problem(
            .methodNotAllowed,
            detail: "\(request.method.rawValue) is not allowed here; allowed are \(methods.joined(separator: ", "))"
        )
    }
}

/// One request's surroundings: the parameters of its path, its connection, and its caller.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The caller that the kernel named when the connection was opened.
    let caller: Caller
    let presence: ClientPresence
    let limits: CallerLimits

    struct Source: RequestContextSource {
        let channel: any Channel
        let caller: Caller
        let presence: ClientPresence
        let limits: CallerLimits
        let logger: Logger
    }

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        caller = source.caller
        presence = source.presence
        limits = source.limits
    }

    /// Tells a client that waits (`Expect: 100-continue`) to send the body. With `time`, the body must end within it.
    func wantBody(within time: TimeAmount? = nil) async throws {
        try await channel.triggerUserOutboundEvent(ConnectionHandler.BodyWanted(time: time)).get()
    }

    /// Logs who changed to whom a printer's documents and login go.
    func noteTrust(in printer: SavedPrinter, insteadOf before: SavedPrinter?) {
        let (old, new) = (before?.target.trust ?? .system, printer.target.trust)
        guard old != new else { return }
        logger.notice("\(caller) changed the trust of \(printer.id) (\(printer.url)) from \(old) to \(new)")
    }
}

extension Response {
    /// A value as JSON.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
        mediaType: String = APIMediaTypes.json
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        return try bytes(APIJSON.encode(value), status: status, headers: headers)
    }

    static func bytes(_ bytes: some Collection<UInt8>, status: HTTPResponse.Status, headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentLength] = String(bytes.count)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static var noContent: Response { Response(status: .noContent) }
}
