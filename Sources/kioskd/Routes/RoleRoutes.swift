import HTTPTypes
import Hummingbird
import KioskAPI
import NIOCore
import PrintModel
import PrinterRegistry

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
