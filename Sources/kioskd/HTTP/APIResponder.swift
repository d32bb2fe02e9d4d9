import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import KioskAPI
import KioskAccess
import KioskDocumentPrinting
import KioskDrawingService
import KioskEngine
import KioskFleetAgent
import KioskMetrics
import KioskPrintModel
import KioskPrinterRegistry
import Logging
import NIOCore
import Synchronization

/// Responds to every request: by its route, or with problem details.
struct APIResponder: Sendable {
    private let router: RouterResponder<APIContext>
    private let routes: RouteTable
    /// Who may come in from the network; nil where the Unix socket is the only door.
    private let network: NetworkAccess?
    let logger: Logger
    private let date = DateField()

    init(router: Router<APIContext>, network: NetworkAccess? = nil, logger: Logger) {
        self.router = router.buildResponder()
        routes = RouteTable(router)
        self.network = network
        self.logger = logger
    }

    /// Serves the requests of a connection that `caller` opened.
    func serve(
        _ caller: Caller, _ presence: ClientPresence, _ limits: CallerLimits, _ peer: NetworkPeer? = nil
    ) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            let source = APIContext.Source(
                channel: channel, caller: caller, presence: presence, limits: limits, logger: logger, peer: peer)
            let response = await response(to: request, source)
            try await writer.write(response: response.head, body: response.body)
        }
    }

    /// Responds to each request of a connection with a problem, and does not read it.
    func refuse(_ problem: Problem) -> HTTPChannelHandler.Responder {
        { request, writer, _ in
            let response = refusal(of: request, problem)
            try await writer.write(response: response.head, body: response.body)
        }
    }

    func response(to request: Request, _ source: APIContext.Source) async -> Response {
        var source = source
        source.requestID = RequestID.id(of: request.headers)
        if source.caller.address != nil, let network { source.page = network.cors.admission(of: request.head) }
        var response = await routed(request, source)
        CORS.addFields(to: &response.headers, for: source.page)
        response.headers[.requestID] = source.requestID
        response.headers[.date] = date.value
        return response
    }

    /// The response to a request that is refused unread.
    private func refusal(of request: Request, _ problem: Problem) -> Response {
        var response = problemResponse(problem, to: request)
        response.headers[.requestID] = RequestID.id(of: request.headers)
        response.headers[.date] = date.value
        return response
    }

    private func routed(_ request: Request, _ source: APIContext.Source) async -> Response {
        var source = source
        do {
            if let refusal = source.peer?.refusal(of: request.head) { throw refusal }
            if case .preflight(let fields) = source.page { return Response(status: .noContent, headers: fields) }
            try admit(request, &source)
            let context = APIContext(source: source)
            try request.refuseTransferCodings()
            if let expect = request.headers[.expect], expect.lowercased() != "100-continue" {
                // RFC 9110 §10.1.1
                throw Problem(
                    .expectationFailed, detail: "the daemon knows no expectation but 100-continue; leave Expect out")
            }
            let executor = Self.isBrief(request) ? nil : globalConcurrentExecutor
            let response = try await withTaskExecutorPreference(executor) {
                try await router.respond(to: request, context: context)
            }
            // The router's own "nothing here"; what the routes themselves miss is thrown as a problem.
            // A screen of the admin page says it itself.
            let isMissing = response.status == .notFound && response.headers[.contentType] == nil
            return isMissing ? problemResponse(noRoute(request), to: request) : response
        } catch {
            let problem = Problem(describing: error)
            if problem.code == .internalError {
                logger.error(
                    "\(request.method) \(request.uri.path) failed: \(error)",
                    metadata: ["request-id": "\(source.requestID)"])
            }
            network?.noteDenial(problem, of: request, by: source.caller)
            return network?.loginPage(insteadOf: problem, for: request) ?? problemResponse(problem, to: request)
        }
    }

    /// Finds out who sends a request over the network, and whether the route is theirs to use. On the Unix socket the
    /// kernel has named the caller.
    private func admit(_ request: Request, _ source: inout APIContext.Source) throws(Problem) {
        guard source.caller.address != nil else { return }
        guard let network else {
            throw Problem(.unauthenticated, detail: "the daemon serves nobody over the network")
        }
        switch source.page {
        case .refused(let problem): throw problem
        case .shared(let origin): source.caller = try network.caller(of: request, from: source.caller, page: origin)
        case .own, .preflight: source.caller = try network.caller(of: request, from: source.caller)
        }
        let caller = source.caller
        source.isStillIn = { network.isStillIn(caller) }
        guard let route = routes.route(of: request.method == .head ? .get : request.method, at: request.uri.path)
        else {
            // Whoever is unknown learns nothing of what there is.
            if caller.identity == .nobody { try caller.check(.printOrRead) }
            throw noRoute(request)
        }
        try caller.check(RouteRights.right(for: route))
    }

    /// Whether the event loop itself responds, without a switch of threads: to what a till asks for each receipt.
    /// Lists, previews and whatever else may take milliseconds are made elsewhere.
    private static func isBrief(_ request: Request) -> Bool {
        switch request.method {
        case .post: request.uri.path == APIPaths.jobs
        case .get:
            request.uri.path.hasPrefix(APIPaths.jobs + "/")
                && !request.uri.path.dropFirst(APIPaths.jobs.count + 1).contains("/")
        default: false
        }
    }

    private func problemResponse(_ problem: Problem, to request: Request) -> Response {
        var problem = problem
        problem.instance = request.uri.path.withoutControlCharacters
        var headers = HTTPFields()
        if problem.code == .methodNotAllowed {
            headers[.allow] = routes.methods(at: request.uri.path).joined(separator: ", ")
        }
        // RFC 6750 §3
        if problem.code == .unauthenticated { headers[.wwwAuthenticate] = "Bearer realm=\"kioskd\"" }
        if let seconds = problem.code.retryAfter { headers[.retryAfter] = String(seconds) }
        // Whoever has too much under way is not left with an idle connection, too.
        if [.tooManyRequests, .overloaded].contains(problem.code) { headers[.connection] = "close" }
        let response = try? Response.json(
            problem, status: HTTPResponse.Status(code: problem.status), headers: headers,
            mediaType: APIMediaTypes.problem
        )
        // RFC 9110 §9.3.2: a body after the response to HEAD would be read as the next response.
        let whole = response ?? Response(status: .internalServerError)
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
    /// Where the connection came in over TCP; nil on the Unix socket.
    let entrance: HostRule.Door?
    /// Whether the caller may still be here, for a response that goes on: tokens are revoked and sessions closed.
    let isStillIn: @Sendable () -> Bool
    /// Tells this request from others: the caller's `X-Request-ID`, or one of our own.
    let requestID: String

    struct Source: RequestContextSource {
        let channel: any Channel
        var caller: Caller
        let presence: ClientPresence
        let limits: CallerLimits
        let logger: Logger
        /// The other end of a connection over TCP; nil on a Unix socket.
        var peer: NetworkPeer?
        /// The web page that sent the request; `own` on the Unix socket.
        var page = CORS.Admission.own
        var isStillIn: @Sendable () -> Bool = { true }
        var requestID = ""
    }

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        caller = source.caller
        presence = source.presence
        limits = source.limits
        entrance = source.peer?.entrance
        isStillIn = source.isStillIn
        requestID = source.requestID
    }

    /// Tells the connection that the body is wanted: a client that waits (`Expect: 100-continue`) is told to send it,
    /// and with `time`, it must end within that. Does not wait for the event loop; where neither is the case, the loop
    /// is not woken at all.
    func wantBody(of request: Request, within time: TimeAmount? = nil) {
        guard time != nil || request.headers[.expect] != nil else { return }
        channel.triggerUserOutboundEvent(ConnectionHandler.BodyWanted(time: time), promise: nil)
    }

    /// Logs who had a printer flash or beep.
    func noteIdentification(of printer: PrinterID) {
        logger.notice("\(caller) had \(printer) show which printer it is")
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

/// The `Date` field (RFC 9110 §6.6.1), written anew at most once a second and only when a response asks for it.
final class DateField: Sendable {
    private let last = Mutex<(second: time_t, text: String)>((0, ""))

    var value: String {
        let now = time(nil)
        return last.withLock { last in
            if last.second != now { last = (now, Self.text(of: now)) }
            return last.text
        }
    }

    /// RFC 9110 §5.6.7: `Sat, 21 Nov 2026 03:40:00 GMT`. The names are English whatever the locale is.
    static func text(of moment: time_t) -> String {
        var moment = moment
        var parts = tm()
        gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

/// All of the API's routes.
enum APIRoutes {
    static func router(
        engine: PrintEngine, registry: RegistryStore, maximumDocumentLength: Int64, administrators: Administrators,
        access: AccessRules? = nil, printing: @escaping @Sendable (PrinterIdentity) -> PrintingSettings? = { _ in nil },
        drawing: DrawingService? = nil, pages: PagePreparation? = nil, discovery: PrinterDiscovery? = nil,
        trace: WireTrace = WireTrace(), network: NetworkAccess? = nil,
        door: NetworkDoor? = nil, metrics: MetricsPage? = nil, backup: BackupPlaces? = nil,
        fleet: FleetMembership? = nil, partnership: Partnership? = nil
    ) -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        let administration = router.group().add(middleware: AdministratorsOnly(administrators: administrators))
        let editor = RegistryEditor(
            engine: engine, store: registry, audit: network?.audit, office: fleet?.configuration?.state)
        let access = access ?? AccessRules(administrators: administrators)
        JobRoutes(
            engine: engine, access: access, audit: network?.audit, maximumDocumentLength: maximumDocumentLength,
            partnership: partnership
        ).add(to: router)
        StandbyRoutes(keeper: partnership?.keeper, access: access).add(to: router)
        PrinterRoutes(engine: engine, editor: editor, access: access).add(to: router, administration)
        let tests = TestPrinting(engine: engine, editor: editor, access: access, settings: printing)
        TestPrintRoute(engine: engine, tests: tests).add(to: router)
        DiscoveryRoutes(discovery: discovery, engine: engine, editor: editor).add(to: router)
        ProbeRoutes(prober: PrinterProber(engine: engine, editor: editor)).add(to: administration)
        TraceRoute(trace: trace, editor: editor).add(to: administration)
        TrustRoutes(engine: engine, editor: editor).add(to: router, administration)
        let previews = PreviewRoute(engine: engine, editor: editor, settings: printing, drawing: drawing, pages: pages)
        previews.add(to: router)
        JobPreviewRoute(engine: engine, access: access, previews: previews).add(to: router)
        RoleRoutes(editor: editor).add(to: router, administration)
        ProfileRoutes(editor: editor).add(to: router)
        RegistryRoutes(editor: editor).add(to: router, administration)
        AccessRoutes(network: network, access: access).add(to: administration)
        BackupRoutes(editor: editor, network: network, places: backup).add(to: administration)
        LoginRoutes(network: network).add(to: router)
        EventRoutes(engine: engine, access: access).add(to: router)
        let health = HealthRoute(
            engine: engine, editor: editor, access: access, moves: discovery?.moves, door: door, network: network,
            fleet: fleet, partnership: partnership)
        health.add(to: router)
        let fleetRoute = FleetRoute(fleet: fleet, engine: engine)
        fleetRoute.add(to: router)
        ServerRoute(door: door).add(to: router)
        MetricsRoute(page: metrics).add(to: router)
        OpenAPIRoute().add(to: router)
        let screens = PageServer(access: access, network: network, isInFleet: fleet != nil)
        PageRoutes(engine: engine, editor: editor, access: access, tests: tests, health: health)
            .add(to: router, screens)
        FleetPages(route: fleetRoute).add(to: router, screens)
        KioskScriptRoute().add(to: router)
        JobPages(engine: engine, editor: editor, access: access, previews: previews).add(to: router, screens)
        ReceiptPages(engine: engine, editor: editor, access: access, previews: previews).add(to: router, screens)
        ModelPages(engine: engine, editor: editor, trust: TrustRoutes(engine: engine, editor: editor))
            .add(to: router, screens)
        AddPrinterPages(
            engine: engine, editor: editor, prober: PrinterProber(engine: engine, editor: editor), tests: tests,
            discovery: discovery
        ).add(to: router, screens)
        if let network { TokenPages(network: network, editor: editor, access: access).add(to: router, screens) }
        return router
    }
}

/// Every path of the API with its methods, to tell "nothing here" from "not that method", and to compare with the
/// API's description.
struct RouteTable: Sendable {
    private let entries: [Entry]

    private struct Entry: Sendable {
        /// `v1/jobs/{id}`, with nil for a captured part.
        var pattern: [String?]
        var path: String
        var method: HTTPRequest.Method

        var captures: Int { pattern.count { $0 == nil } }
    }

    init(_ router: Router<APIContext>) {
        entries = router.routes.map { route in
            let parts = route.path.description.split(separator: "/").map(String.init)
            return Entry(
                pattern: parts.map { $0.hasPrefix("{") ? nil : $0 }, path: "/" + parts.joined(separator: "/"),
                method: route.method
            )
        }
    }

    /// The methods that `path` takes, in alphabetical order; empty when there is nothing.
    func methods(at path: String) -> [String] {
        Set(entries(at: path).map(\.method.rawValue)).sorted()
    }

    /// The entries whose pattern fits; one with fewer captured parts comes first, as in the router.
    private func entries(at path: String) -> [Entry] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        let fitting = entries.filter { entry in
            entry.pattern.count == parts.count
                && zip(entry.pattern, parts).allSatisfy { pattern, part in pattern.map { $0 == part } ?? true }
        }
        return fitting.sorted { $0.captures < $1.captures }
    }

    private func entry(of method: HTTPRequest.Method, at path: String) -> Entry? {
        entries(at: path).first { $0.method == method }
    }

    /// The route that serves a request, as in `lines`; nil where there is none.
    func route(of method: HTTPRequest.Method, at path: String) -> String? {
        entry(of: method, at: path).map { "\($0.method) \($0.path)" }
    }

    /// `GET /v1/jobs/{id}` for each route, sorted.
    var lines: [String] { entries.map { "\($0.method) \($0.path)" }.sorted() }
}

/// `/v1/openapi.json`: the API's description, as it is committed beside the routes.
struct OpenAPIRoute: Sendable {
    func add(to router: Router<APIContext>) {
        router.get("/v1/openapi.json") { request, _ in
            try request.refuseQuery()
            return Response.bytes(
                PackageResources.openapi_json, status: .ok, headers: [.contentType: APIMediaTypes.json])
        }
    }
}
