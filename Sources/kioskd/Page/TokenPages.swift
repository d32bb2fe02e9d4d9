import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAccess
import KioskAdminPage
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry

/// `/tokens`: the access tokens of programs and tills.
struct TokenPages: Sendable {
    let network: NetworkAccess
    let editor: RegistryEditor
    let access: AccessRules

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/tokens", router) { page in
            page.answer(.tokens, await screen().screen(page.texts))
        }
        pages.post("/tokens", router, use: make)
        pages.post("/tokens/{id}/revoke", router, use: revoke)
    }

    private func screen() async -> TokensScreen {
        var tokens: [TokensScreen.Token] = []
        for token in network.tokens.list() {
            tokens.append(
                TokensScreen.Token(
                    id: token.id, name: token.name, scopes: token.scopes.map(\.rawValue).sorted(),
                    origins: token.origins, createdAt: token.createdAt, expiresAt: token.expiresAt,
                    lastUsedAt: token.lastUsedAt, createdBy: await access.names.name(ofActor: token.createdBy),
                    isExpired: token.isExpired(at: .now)))
        }
        return TokensScreen(tokens: tokens, roles: await editor.registry.roles.map(\.name))
    }

    /// Answers with the screen itself: the secret stands in no address, and in no second response.
    @Sendable private func make(_ page: PageRequest) async throws -> Response {
        let fields = page.fields
        do throws(AccessError) {
            guard let days = Int(fields.text("days") ?? "365"), (0...3650).contains(days) else {
                throw AccessError(.invalid, "the days are a number from 1 to 3650, or 0 for no end")
            }
            let scopes = fields.all("scope").map { TokenScope(rawValue: $0) }
            guard !scopes.contains(nil) else {
                throw AccessError(.invalid, "a scope is one of \(TokenScope.forms)")
            }
            let origins = (fields["origins"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
            let name = await access.requester(of: page.context).name ?? page.context.caller.description
            let (token, secret) = try await network.makeToken(
                TokenDraft(
                    name: fields.text("name") ?? "",
                    scopes: Set(scopes.compactMap(\.self)),
                    expiresAt: days > 0 ? Timestamp.now.advanced(bySeconds: days * 86_400) : nil,
                    origins: origins, createdBy: name), by: page.context.caller)
            var screen = await self.screen()
            screen.made = (token.name, secret)
            return page.answer(.tokens, screen.screen(page.texts), status: .created)
        } catch {
            var screen = await self.screen()
            (screen.form, screen.problem) = (fields, error.message)
            return page.answer(.tokens, screen.screen(page.texts), status: .unprocessableContent)
        }
    }

    @Sendable private func revoke(_ page: PageRequest) async throws -> Response {
        guard let id = page.context.parameters.get("id").flatMap({ UInt32($0) }) else {
            throw Problem(.notFound, detail: "there is no such token")
        }
        try await network.revokeToken(id, by: page.context.caller)
        return page.seeOther("/tokens", done: "token-revoked")
    }
}
