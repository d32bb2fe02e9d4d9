import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import NIOCore

/// The admin page: screens made here, their forms, and the files that they need.
struct PageRoutes: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules
    let tests: TestPrinting
    let health: HealthRoute

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        router.get("/assets/{name}", use: asset)
        PrinterPages(engine: engine, editor: editor, access: access, tests: tests).add(to: router, pages)
        RolePages(engine: engine, editor: editor).add(to: router, pages)
        ServicePages(editor: editor, health: health, names: access.names).add(to: router, pages)
    }

    @Sendable private func asset(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let asset = context.parameters.get("name").flatMap(PageAssets.asset) else {
            throw Problem(.notFound, detail: "the page has no such file")
        }
        let tag = "\"\(asset.hash)\""
        var headers: HTTPFields = [.eTag: tag, .xContentTypeOptions: "nosniff"]
        // A URL that names the content never gets another one.
        let isExact = request.uri.query == "v=\(asset.hash)"
        headers[.cacheControl] = isExact ? "private, max-age=31536000, immutable" : "private, no-cache"
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = asset.mediaType
        return .bytes(asset.bytes, status: .ok, headers: headers)
    }
}
