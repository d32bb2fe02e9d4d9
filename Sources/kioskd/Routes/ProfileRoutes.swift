import HTTPTypes
import Hummingbird
import KioskAPI
import PrintModel
import PrinterRegistry

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
