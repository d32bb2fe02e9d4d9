import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskPrintModel
import NIOCore

/// `/v1/tokens`, `/v1/login-codes` and `/v1/audit`: who may come in by the network, and what they did.
struct AccessRoutes: Sendable {
    /// Nil where nobody comes in by the network.
    let network: NetworkAccess?
    let access: AccessRules

    func add(to administration: RouterGroup<APIContext>) {
        administration.get("/v1/tokens", use: list)
        administration.post("/v1/tokens", use: make)
        administration.delete("/v1/tokens/{id}", use: revoke)
        administration.post("/v1/login-codes", use: makeLoginCode)
        administration.get("/v1/audit", use: entries)
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let tokens = try stores.tokens.list()
        return try .json(TokenList(tokens: tokens.map { TokenDescription($0, at: .now) }))
    }

    @Sendable private func make(_ request: Request, _ context: APIContext) async throws -> Response {
        let wanted = try await request.change(TokenRequest.self, context)
        let now = Timestamp.now
        let draft = TokenDraft(
            name: wanted.name, scopes: try Self.scopes(wanted.scopes),
            expiresAt: wanted.expiresAt ?? wanted.expiresIn.map(now.advanced), origins: wanted.origins ?? [],
            createdBy: context.caller.owner?.description ?? "nobody")
        let made = try await stores.makeToken(draft, by: context.caller, at: now)
        return try .json(
            NewToken(token: TokenDescription(made.token, at: now), secret: made.secret), status: .created,
            headers: [.cacheControl: "no-store"])
    }

    @Sendable private func revoke(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let text = context.parameters.get("id") ?? ""
        guard let id = UInt32(text), text == String(id) else {
            throw Problem(
                .unknownToken,
                detail:
                    "there is no token \"\(text.withoutControlCharacters.prefix(utf8Count: 80))\"; a token's id is a number"
            )
        }
        try await stores.revokeToken(id, by: context.caller)
        return .noContent
    }

    /// Only for whom the kernel knows: a session has the rights of this user, and no more.
    @Sendable private func makeLoginCode(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        guard context.caller.address == nil, case .user(let user, let groups) = context.caller.identity else {
            throw Problem(
                .notAllowed,
                detail: "a one-time code is made on the kiosk itself; run there: sudo kioskctl admin")
        }
        let name = await access.names.name(of: user)
        let made = try stores.codes.make(for: LocalAccount(uid: user, groups: groups, name: name), at: .now)
        try stores.note("login-code.make", by: context.caller)
        let code = made.code.description
        return try .json(
            NewLoginCode(code: code, path: "\(LoginRoutes.path)#\(code)", expiresAt: made.expiresAt, user: name),
            status: .created, headers: [.cacheControl: "no-store"])
    }

    @Sendable private func entries(_ request: Request, _ context: APIContext) async throws -> Response {
        let query = try AuditQuery(query: request.uri.query)
        // One more tells whether there is another page.
        var found = try await stores.audit.entries(before: query.before, limit: query.limit + 1)
        let isLast = found.count <= query.limit
        found = Array(found.prefix(query.limit))
        return try .json(AuditPage(entries: found.map(AuditRecord.init), next: isLast ? nil : found.last?.number))
    }

    private var stores: NetworkAccess {
        get throws(Problem) {
            guard let network else { throw Problem(.notFound, detail: "the daemon keeps no tokens") }
            return network
        }
    }

    private static func scopes(_ words: [String]) throws(Problem) -> Set<TokenScope> {
        var scopes: Set<TokenScope> = []
        for word in words {
            guard let scope = TokenScope(rawValue: word) else {
                throw Problem(
                    .invalidParameter,
                    detail:
                        "\"\(word.withoutControlCharacters.prefix(utf8Count: 80))\" is not a scope; write some of \(TokenScope.forms)"
                )
            }
            scopes.insert(scope)
        }
        return scopes
    }
}

extension NetworkAccess {
    /// Makes a token, and notes it in the audit.
    func makeToken(
        _ draft: TokenDraft, by caller: Caller, at now: Timestamp = .now
    ) async throws(AccessError) -> (token: AccessToken, secret: String) {
        let made = try await tokens.make(draft, at: now)
        let description = TokenDescription(made.token, at: now)
        note("token.make", description.auditName, by: caller, after: description.auditText)
        return made
    }

    /// Revokes a token, and notes in the audit that this was done or failed.
    func revokeToken(_ id: UInt32, by caller: Caller) async throws(AccessError) {
        do throws(AccessError) {
            let token = TokenDescription(try await tokens.revoke(id), at: .now)
            note("token.revoke", token.auditName, by: caller, before: token.auditText)
        } catch {
            note("token.revoke", "\(id)", by: caller, outcome: .failed, message: error.message)
            throw error
        }
    }

    /// Adds tokens of an export, and notes each in the audit that was added or replaced.
    func restoreTokens(
        _ new: [StoredToken], replacing: Bool, by caller: Caller
    ) async throws(AccessError) {
        let now = Timestamp.now
        for restored in try await tokens.restore(new, replacing: replacing, at: now) {
            guard let token = restored.token.map({ TokenDescription($0, at: now) }) else { continue }
            note(
                "token.import", token.auditName, by: caller,
                before: restored.replaced.map { TokenDescription($0, at: now).auditText }, after: token.auditText)
        }
    }

    /// Notes in the audit what a caller did.
    func note(
        _ action: String, _ object: String? = nil, by caller: Caller, before: String? = nil, after: String? = nil,
        outcome: AuditEntry.Outcome = .done, message: String? = nil
    ) {
        audit.note(
            AuditEntry(
                time: .now, actor: caller.actor, address: caller.address ?? "local", action: action, object: object,
                before: before, after: after, outcome: outcome, message: message))
    }
}

extension TokenDescription {
    init(_ token: AccessToken, at now: Timestamp) {
        self.init(
            id: token.id, name: token.name, scopes: token.scopes.sorted().map(\.rawValue), origins: token.origins,
            createdAt: token.createdAt, createdBy: token.createdBy, expiresAt: token.expiresAt,
            lastUsedAt: token.lastUsedAt, isExpired: token.isExpired(at: now))
    }

    /// `3 (till-1)`
    fileprivate var auditName: String { "\(id) (\(name))" }

    /// What it grants.
    fileprivate var auditText: String {
        var text = scopes.joined(separator: " ")
        if !origins.isEmpty { text += "; origins \(origins.joined(separator: " "))" }
        return text + (expiresAt.map { "; until \($0)" } ?? "")
    }
}

extension AuditRecord {
    fileprivate init(_ entry: AuditEntry) {
        self.init(
            id: entry.number, time: entry.time, actor: entry.actor, address: entry.address, action: entry.action,
            object: entry.object, before: entry.before, after: entry.after, outcome: entry.outcome.rawValue,
            message: entry.message)
    }
}

extension Problem {
    init(_ error: AccessError) {
        let code: Problem.Code =
            switch error.code {
            case .nameTaken: .tokenNameTaken
            case .unknown: .unknownToken
            case .tooMany: .tooManyRequests
            case .storage: .storageFailed
            case .damaged, .unprotected: .storageDamaged
            default: .invalidParameter
            }
        self.init(code, detail: error.message)
    }
}
