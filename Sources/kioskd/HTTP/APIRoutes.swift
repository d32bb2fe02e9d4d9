import DrawingService
import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import PrintModel
import PrinterRegistry

/// All of the API's routes.
enum APIRoutes {
    static func router(
        engine: PrintEngine, registry: RegistryStore, maximumDocumentLength: Int64, administrators: Administrators,
        access: AccessRules? = nil, printing: @escaping @Sendable (PrinterIdentity) -> PrintingSettings? = { _ in nil },
        drawing: DrawingService? = nil,
        discovery: (any PrinterDiscovery)? = nil
    ) -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        let administration = router.group().add(middleware: AdministratorsOnly(administrators: administrators))
        let editor = RegistryEditor(engine: engine, store: registry)
        let access = access ?? AccessRules(administrators: administrators)
        JobRoutes(engine: engine, access: access, maximumDocumentLength: maximumDocumentLength).add(to: router)
        PrinterRoutes(engine: engine, editor: editor, access: access).add(to: router, administration)
        DiscoveryRoutes(discovery: discovery, editor: editor).add(to: router)
        TrustRoutes(engine: engine, editor: editor).add(to: router, administration)
        PreviewRoute(engine: engine, editor: editor, settings: printing, drawing: drawing).add(to: router)
        RoleRoutes(editor: editor).add(to: router, administration)
        ProfileRoutes(editor: editor).add(to: router)
        RegistryRoutes(editor: editor).add(to: router)
        EventRoutes(engine: engine, access: access).add(to: router)
        HealthRoute(engine: engine).add(to: router)
        OpenAPIRoute().add(to: router)
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
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        let methods = entries.filter { entry in
            entry.pattern.count == parts.count
                && zip(entry.pattern, parts).allSatisfy { pattern, part in pattern.map { $0 == part } ?? true }
        }
        return Set(methods.map(\.method.rawValue)).sorted()
    }

    /// `GET /v1/jobs/{id}` for each route, sorted.
    var lines: [String] { entries.map { "\($0.method) \($0.path)" }.sorted() }
}

/// `/v1/health`: how the engine does, for monitoring.
struct HealthRoute: Sendable {
    let engine: PrintEngine

    func add(to router: Router<APIContext>) {
        router.get("/v1/health") { request, _ in
            try request.refuseQuery()
            return try await Response.json(engine.health())
        }
    }
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
