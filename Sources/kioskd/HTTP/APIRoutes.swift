import DrawingService
import Hummingbird
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
