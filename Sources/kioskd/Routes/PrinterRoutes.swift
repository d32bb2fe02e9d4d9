import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import NIOCore
import PrintModel
import PrinterRegistry

/// `/v1/printers`: what printers are saved and how they do; saving, removing and contacting them.
struct PrinterRoutes: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules

    func add(to router: Router<APIContext>, _ administration: RouterGroup<APIContext>) {
        router.get("/v1/printers", use: list)
        router.get("/v1/printers/{id}", use: show)
        administration.put("/v1/printers/{id}", use: save)
        administration.delete("/v1/printers/{id}", use: remove)
        router.post("/v1/printers/{id}/contact", use: contact)
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        let filter = try PrinterFilter(query: request.uri.query)
        var printers = await engine.printers()
        if let name = filter.role {
            guard let role = await editor.registry.role(name) else { throw Problem.unknown(name) }
            printers = role.printers.compactMap { id in printers.first { $0.printer.id == id } }
        }
        if !filter.jobTypes.isEmpty { printers.removeAll { $0.supports(filter.jobTypes) != true } }
        if let wanted = filter.available { printers.removeAll { $0.availability.isAvailable != wanted } }
        return try .json(PrinterList(printers: printers))
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(engine.printer(context.printerID()))
    }

    @Sendable private func save(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let id = try context.printerID()
        let change = try await request.change(PrinterChange.self, context)
        let before = await editor.registry.printer(id)
        try await editor.edit { try $0.saving(change.printer(id: id, over: $0.printer(id))) }
        let status = try await engine.printer(id)
        context.noteTrust(in: status.printer, insteadOf: before)
        return try .json(status, status: before == nil ? .created : .ok)
    }

    @Sendable private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let id = try context.printerID()
        try await editor.edit { try $0.removing(id) }
        return .noContent
    }

    @Sendable private func contact(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(engine.contact(context.printerID(), by: access.requester(of: context)))
    }
}
