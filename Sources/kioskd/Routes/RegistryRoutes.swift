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
        let role = try await role(named: context.roleName())
        return try .json(role, headers: Revision(of: role).fields)
    }

    @Sendable private func save(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let name = try context.roleName()
        let role = try await request.change(RoleChange.self, context).role(name: name)
        let isNew = await editor.registry.role(name) == nil
        let condition = try Precondition(of: request)
        try await editor.edit(by: context.caller) { registry in
            try condition.check(registry.role(name), of: "the role \"\(name)\"")
            return try registry.assigning(role)
        }
        let saved = try await self.role(named: name)
        return try .json(saved, status: isNew ? .created : .ok, headers: Revision(of: saved).fields)
    }

    @Sendable private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let name = try context.roleName()
        let condition = try Precondition(of: request)
        try await editor.edit(by: context.caller) { registry in
            try condition.check(registry.role(name), of: "the role \"\(name)\"")
            return try registry.removing(name)
        }
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

/// `/v1/registry`: reads the registry's file again; its versions, and undoing what was changed since one of them.
struct RegistryRoutes: Sendable {
    let editor: RegistryEditor

    func add(to router: Router<APIContext>, _ administration: RouterGroup<APIContext>) {
        router.post("/v1/registry/reload", use: reload)
        administration.get("/v1/registry/versions", use: versions)
        administration.get("/v1/registry/versions/{number}", use: version)
        administration.post("/v1/registry/versions/{number}/restore", use: restore)
    }

    @Sendable private func versions(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let versions = try await editor.store.keptVersions().map {
            RegistryVersionSummary(number: $0.number, savedAt: $0.savedAt, size: $0.content.count)
        }
        return try .json(RegistryVersionList(versions: versions))
    }

    @Sendable private func version(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let number = try Self.number(context)
        guard let version = try await editor.store.keptVersions().first(where: { $0.number == number }) else {
            throw Self.notKept
        }
        return try .json(
            RegistryVersionText(
                number: number, savedAt: version.savedAt, text: String(decoding: version.content, as: UTF8.self)))
    }

    @Sendable private func restore(_ request: Request, _ context: APIContext) async throws -> Response {
        let number = try Self.number(context)
        let isEmpty = request.contentLength ?? (request.headers[.transferEncoding] == nil ? 0 : 1) == 0
        try request.refuseQuery()
        let newest = isEmpty ? nil : try await request.change(RegistryRestore.self, context).newest
        try await editor.restore(by: context.caller, version: number, over: newest)
        return .noContent
    }

    private static func number(_ context: APIContext) throws -> Int {
        let text = context.parameters.get("number") ?? ""
        guard let number = Int(text), number > 0, text == String(number) else { throw notKept }
        return number
    }

    private static var notKept: Problem {
        Problem(.notFound, detail: "this version of the registry is not kept; see GET /v1/registry/versions")
    }

    @Sendable private func reload(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        try await editor.reload(by: context.caller)
        return .noContent
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
