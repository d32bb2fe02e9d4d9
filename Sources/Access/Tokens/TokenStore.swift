import Dispatch
import KioskDigests
package import KioskPrintModel
package import Logging
import Synchronization

/// The tokens: in memory for each request, and in `tokens.json` in the state directory, which holds digests only.
///
/// Looking up is synchronous and touches no file. Changes are durable when they return.
package final class TokenStore: Sendable {
    private let path: String
    private let logger: Logger
    private let state: Mutex<State>
    /// One writer at a time, off the cooperative pool.
    private let queue = DispatchQueue(label: "tokens")

    private struct State {
        var nextID: UInt32
        /// By the secret's digest. A digest that is looked up tells nothing by the time that this takes, since nobody
        /// can choose the digest of a guess.
        var tokens: [String: AccessToken]
        /// Every origin that a token names.
        var origins: Set<String> = []
        /// When a last use was written last.
        var useWrittenAt: Timestamp?
        var hasUnwrittenUse = false
        /// Whether a write of last uses waits for its turn.
        var isWriteScheduled = false

        mutating func updateOrigins() { origins = Set(tokens.values.flatMap(\.origins)) }

        /// Notes a use; returns whether it is time to write.
        mutating func noteUse(at now: Timestamp) -> Bool {
            hasUnwrittenUse = true
            guard !isWriteScheduled else { return false }
            // A clock that was set back must not stop the writing for long.
            if let last = useWrittenAt, last <= now, now < last.advanced(bySeconds: useInterval) { return false }
            useWrittenAt = now
            isWriteScheduled = true
            return true
        }
    }

    /// The file's name in the state directory.
    package static let fileName = "tokens.json"
    /// The most tokens.
    package static let maximumCount = 1000
    /// Bytes of a token's name.
    package static let maximumNameLength = 64
    /// The most scopes of a token, and the most origins.
    package static let maximumScopes = 64
    package static let maximumOrigins = 32
    /// Seconds: 100 years. The years of RFC 3339 have four digits.
    private static let maximumLifetime = 100 * 366 * 86_400
    /// The least time between two writes of last uses, in seconds.
    private static let useInterval = 60

    /// Reads the tokens. Throws where the file is damaged, or others can read or change it. Blocks.
    package init(stateDirectory: String, logger: Logger) throws(AccessError) {
        path = "\(stateDirectory)/\(Self.fileName)"
        self.logger = logger
        // Whoever could not be verified later is told now.
        do throws(DigestError) { _ = try TokenSecret.random().digest() } catch {
            throw AccessError(.storage, error.message)
        }
        let file = try TokenFile.read(path)
        state = Mutex(
            State(
                nextID: file.nextID,
                tokens: Dictionary(file.tokens.map { ($0.sha256, $0.token) }) { first, _ in first }))
        state.withLock { $0.updateOrigins() }
    }

    /// What a secret is worth.
    package enum Verdict: Hashable, Sendable {
        case valid(AccessToken)
        /// It is no secret of ours: its form or its check digits are wrong.
        case malformed
        /// Nobody has it, or it was revoked.
        case unknown
        case expired(AccessToken)
    }

    /// Verifies a secret, and notes its use.
    package func verify(_ secret: some StringProtocol, at now: Timestamp) -> Verdict {
        guard let secret = TokenSecret(secret) else { return .malformed }
        guard let digest = try? secret.digest() else { return .unknown }
        let (verdict, mustWrite) = state.withLock { state -> (Verdict, Bool) in
            guard var token = state.tokens[digest] else { return (.unknown, false) }
            guard !token.isExpired(at: now) else { return (.expired(token), false) }
            token.lastUsedAt = now
            state.tokens[digest] = token
            return (.valid(token), state.noteUse(at: now))
        }
        if mustWrite { queue.async { [self] in writeUses() } }
        return verdict
    }

    /// The token of a secret; nil where the secret is wrong, revoked or expired.
    package func token(for secret: some StringProtocol, at now: Timestamp) -> AccessToken? {
        guard case .valid(let token) = verify(secret, at: now) else { return nil }
        return token
    }

    /// Whether a token still counts: for a response that goes on, such as a stream of events.
    package func isCurrent(_ id: UInt32, at now: Timestamp) -> Bool {
        state.withLock { $0.tokens.values.contains { $0.id == id && !$0.isExpired(at: now) } }
    }

    /// Every token, also expired ones, by number.
    package func list() -> [AccessToken] {
        state.withLock { $0.tokens.values.sorted { $0.id < $1.id } }
    }

    /// One token; nil where it never was or was revoked.
    package func token(_ id: UInt32) -> AccessToken? {
        state.withLock { $0.tokens.values.first { $0.id == id } }
    }

    /// The digest of a token's secret, by which it is known where it has another number; nil where it was revoked.
    package func digest(of id: UInt32) -> String? {
        state.withLock { $0.tokens.first { $0.value.id == id }?.key }
    }

    /// The token whose secret has this digest; nil where there is none.
    package func token(withDigest digest: String) -> AccessToken? { state.withLock { $0.tokens[digest] } }

    /// Whether a token names this origin, so that its pages may ask (CORS).
    package func isAllowed(origin: String) -> Bool {
        guard let origin = WebOrigin(rawValue: origin) else { return false }
        return state.withLock { $0.origins.contains(origin.rawValue) }
    }

    /// Makes a token; the secret is told this once.
    package func make(
        _ draft: TokenDraft, at now: Timestamp
    ) async throws(AccessError) -> (token: AccessToken, secret: String) {
        let draft = try Self.checked(draft, at: now)
        let secret = TokenSecret.random()
        let token = try await onQueue { () throws(AccessError) in try self.add(draft, secret, at: now) }
        return (token, secret.text)
    }

    /// Revokes a token, which counts at once; returns what it was.
    @discardableResult
    package func revoke(_ id: UInt32) async throws(AccessError) -> AccessToken {
        try await onQueue { () throws(AccessError) in
            guard let (digest, token) = self.state.withLock({ $0.tokens.first { $0.value.id == id } }) else {
                throw AccessError(.unknown, "there is no token \(id); see them with: kioskctl tokens list")
            }
            // It ends now, also where the file cannot be written; then it would come back with a restart, and its
            // owner is told.
            self.state.withLock { state in
                state.tokens[digest] = nil
                state.updateOrigins()
            }
            try self.write()
            return token
        }
    }

    /// Every token with the digest of its secret, by number: for an export.
    package func stored() -> [StoredToken] {
        state.withLock { state in
            state.tokens.map { StoredToken($1, sha256: $0) }.sorted { $0.token.id < $1.token.id }
        }
    }

    /// Adds tokens that another store issued, under new ids. A token whose secret or name exists here is kept, or
    /// replaced with `replacing`. Returns the outcome for each, in their order; with `isDryRun` what it would be.
    package func restore(
        _ new: [StoredToken], replacing: Bool, isDryRun: Bool = false, at now: Timestamp
    ) async throws(AccessError) -> [RestoredToken] {
        try await onQueue { () throws(AccessError) in
            let change = try self.change(restoring: new, replacing: replacing, at: now)
            guard !isDryRun, !change.added.isEmpty else { return change.outcomes }
            try self.write(adding: change.added, without: change.removed)
            self.state.withLock { state in
                for digest in change.removed { state.tokens[digest] = nil }
                for (digest, token) in change.added {
                    state.tokens[digest] = token
                    state.nextID = max(state.nextID, token.id + 1)
                }
                state.updateOrigins()
            }
            return change.outcomes
        }
    }

    /// Writes last uses that are not in the file yet.
    package func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                if state.withLock({ $0.hasUnwrittenUse }) { writeUses() }
                continuation.resume()
            }
        }
    }
}

// MARK: - Changes, on the queue

extension TokenStore {
    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(AccessError) -> Value
    ) async throws(AccessError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, AccessError>, Never>) in
            queue.async { continuation.resume(returning: Result { () throws(AccessError) in try work() }) }
        }
        return try result.get()
    }

    private func add(_ draft: TokenDraft, _ secret: TokenSecret, at now: Timestamp) throws(AccessError) -> AccessToken {
        let digest: String
        do throws(DigestError) { digest = try secret.digest() } catch { throw AccessError(.storage, error.message) }
        let token = try state.withLock { (state) throws(AccessError) in
            guard state.tokens.count < Self.maximumCount, state.nextID < .max else {
                throw AccessError(
                    .tooMany, "there are \(state.tokens.count) tokens already; revoke some with: kioskctl tokens revoke"
                )
            }
            guard !state.tokens.values.contains(where: { $0.name == draft.name }) else {
                throw AccessError(
                    .nameTaken, "there is a token \"\(draft.name)\" already; choose another name, or revoke that one")
            }
            let token = AccessToken(
                id: state.nextID, name: draft.name, scopes: draft.scopes, createdAt: now, expiresAt: draft.expiresAt,
                origins: draft.origins, createdBy: draft.createdBy)
            state.nextID += 1
            return token
        }
        // The secret counts once it is on disk.
        try write(adding: [digest: token])
        state.withLock { state in
            state.tokens[digest] = token
            state.updateOrigins()
        }
        return token
    }

    private func write(
        adding new: [String: AccessToken] = [:], without removed: Set<String> = []
    ) throws(AccessError) {
        let file = state.withLock { state in
            state.hasUnwrittenUse = false
            let tokens = state.tokens.filter { !removed.contains($0.key) }.merging(new) { $1 }
            let nextID = max(state.nextID, (new.values.map(\.id).max() ?? 0) + 1)
            return TokenFile(
                nextID: nextID,
                tokens: tokens.map { TokenFile.Entry($1, sha256: $0) }.sorted { $0.id < $1.id })
        }
        try file.write(to: path)
    }

    private func writeUses() {
        state.withLock { $0.isWriteScheduled = false }
        do throws(AccessError) { try write() } catch {
            logger.warning("the last uses of tokens are not saved: \(error)")
        }
    }

    private struct Change {
        var added: [String: AccessToken] = [:]
        var removed: Set<String> = []
        var outcomes: [RestoredToken] = []
    }

    private func change(
        restoring new: [StoredToken], replacing: Bool, at now: Timestamp
    ) throws(AccessError) -> Change {
        var (tokens, nextID) = state.withLock { ($0.tokens, $0.nextID) }
        var change = Change()
        for stored in new {
            let token = stored.token
            guard !token.isExpired(at: now) else {
                change.outcomes.append(RestoredToken(name: token.name, outcome: .expired))
                continue
            }
            guard TokenFile.isDigest(stored.sha256) else {
                throw AccessError(.invalid, "the token \"\(token.name)\" has no SHA-256 digest; export it again")
            }
            var draft = TokenDraft(
                name: token.name, scopes: token.scopes, expiresAt: token.expiresAt, origins: token.origins,
                createdBy: token.createdBy)
            draft = try Self.checked(draft, at: now)
            let present = tokens[stored.sha256]
            if let present, present.grants(draft) {
                change.outcomes.append(RestoredToken(name: token.name, outcome: .same))
                continue
            }
            let namesake = tokens.first { $0.key != stored.sha256 && $0.value.name == draft.name }
            guard present == nil && namesake == nil || replacing else {
                change.outcomes.append(RestoredToken(name: token.name, outcome: .kept))
                continue
            }
            if let namesake {
                tokens[namesake.key] = nil
                change.added[namesake.key] = nil
                change.removed.insert(namesake.key)
            }
            guard nextID < .max else { throw AccessError(.tooMany, "there are no numbers for tokens left") }
            let restored = AccessToken(
                id: present?.id ?? nextID, name: draft.name, scopes: draft.scopes, createdAt: token.createdAt,
                expiresAt: draft.expiresAt, lastUsedAt: present?.lastUsedAt, origins: draft.origins,
                createdBy: draft.createdBy)
            if present == nil { nextID += 1 }
            tokens[stored.sha256] = restored
            change.added[stored.sha256] = restored
            change.removed.remove(stored.sha256)
            change.outcomes.append(
                RestoredToken(
                    name: token.name, outcome: present == nil && namesake == nil ? .added : .replaced,
                    token: restored, replaced: present ?? namesake?.value))
        }
        guard tokens.count <= Self.maximumCount else {
            throw AccessError(
                .tooMany,
                "there would be \(tokens.count) tokens, and there may be \(Self.maximumCount); revoke some with: kioskctl tokens revoke"
            )
        }
        return change
    }

    private static func checked(_ draft: TokenDraft, at now: Timestamp) throws(AccessError) -> TokenDraft {
        var draft = draft
        guard !draft.name.isEmpty, draft.name.utf8.count <= maximumNameLength, !draft.name.hasControlCharacters,
            draft.name.first != " ", draft.name.last != " "
        else {
            throw AccessError(
                .invalid,
                "a token's name has 1 to \(maximumNameLength) bytes, no control characters, and no spaces at its ends")
        }
        guard !draft.scopes.isEmpty, draft.scopes.count <= maximumScopes else {
            throw AccessError(
                .invalid, "a token has 1 to \(maximumScopes) scopes; give some of \(TokenScope.forms)")
        }
        guard draft.origins.count <= maximumOrigins else {
            throw AccessError(.invalid, "a token has at most \(maximumOrigins) origins; make another for the rest")
        }
        var origins: [String] = []
        for text in draft.origins {
            guard let origin = WebOrigin(rawValue: text) else {
                throw AccessError(
                    .invalid,
                    "\"\(text.prefix(80))\" is not an origin; write scheme, host and port, such as https://till.example"
                )
            }
            if !origins.contains(origin.rawValue) { origins.append(origin.rawValue) }
        }
        guard origins.isEmpty || !draft.scopes.contains(.admin) else {
            throw AccessError(
                .invalid, "a token for web pages cannot have the scope admin; give it what its pages need")
        }
        if let end = draft.expiresAt, end <= now {
            throw AccessError(.invalid, "the token would end at \(end), which is over; give a later time")
        }
        if let end = draft.expiresAt, end > now.advanced(bySeconds: maximumLifetime) {
            throw AccessError(
                .invalid, "the token would end in more than 100 years; leave the end out for a token that has none")
        }
        draft.origins = origins
        return draft
    }
}
