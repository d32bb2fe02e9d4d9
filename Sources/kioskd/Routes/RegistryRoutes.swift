import Hummingbird
import KioskAPI
import PrinterRegistry

/// `/v1/registry/reload`: reads the registry's file again.
struct RegistryRoutes: Sendable {
    let editor: RegistryEditor

    func add(to router: Router<APIContext>) {
        router.post("/v1/registry/reload", use: reload)
    }

    @Sendable private func reload(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        try await editor.reload()
        return .noContent
    }
}
