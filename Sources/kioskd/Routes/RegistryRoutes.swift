import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import NIOCore

/// `/v1/roles`: what programs print to.
struct RoleRoutes: Sendable {
    let editor: RegistryEditor

    func add(to router: Router<APIContext>, _ administration: RouterGroup<APIContext>) {
        router.get("/v1/roles", use: list)
        router.get("/v1/roles/{name}", use: show)
        administration.put("/v1/roles/{name}", use: save)
        administration.delete("/v1/roles/{name}", use: remove)
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(RoleList(roles: editor.registry.roles))
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(role(named: context.roleName()))
    }

    @Sendable private func save(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let name = try context.roleName()
        let role = try await request.change(RoleChange.self, context).role(name: name)
        let isNew = await editor.registry.role(name) == nil
        try await editor.edit { try $0.assigning(role) }
        return try await .json(self.role(named: name), status: isNew ? .created : .ok)
    }

    @Sendable private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let name = try context.roleName()
        try await editor.edit { try $0.removing(name) }
        return .noContent
    }

    private func role(named name: RoleName) async throws -> Role {
        guard let role = await editor.registry.role(name) else { throw Problem.unknown(name) }
        return role
    }
}

extension Problem {
    static func unknown(_ role: RoleName) -> Problem {
        Problem(
            .unknownRole, detail: "there is no role \"\(role)\"; assign one with: kioskctl roles assign \(role) PRINTER"
        )
    }
}

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

/// Edits the registry: an edit is on disk and in force in the engine when it returns.
struct RegistryEditor: Sendable {
    let engine: PrintEngine
    let store: RegistryStore

    var registry: Registry {
        get async { await store.registry }
    }

    func edit(_ edit: @Sendable (Registry) throws -> Registry) async throws {
        try await store.update(edit)
        await engine.applyRegistry()
    }

    func reload() async throws {
        try await store.reload()
        await engine.applyRegistry()
    }
}

/// `/v1/profiles`: what is known of models of printers.
struct ProfileRoutes: Sendable {
    let editor: RegistryEditor

    func add(to router: Router<APIContext>) {
        router.get("/v1/profiles", use: list)
        router.get("/v1/profiles/{name}", use: show)
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(ProfileList(profiles: editor.registry.profiles?.profiles ?? []))
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let name = context.parameters.get("name").flatMap { PercentEncoding.decode($0) } ?? ""
        guard let profile = await editor.registry.profiles?.profile(named: name) else {
            throw Problem(
                .unknownProfile,
                detail:
                    "there is no profile \"\(name.withoutControlCharacters.prefix(80))\"; see them with: kioskctl profiles list"
            )
        }
        return try .json(profile)
    }
}
