package import KioskPrintModel

/// What is known of a token: everything but its secret, of which only a digest is kept.
package struct AccessToken: Hashable, Sendable {
    /// The token's number, which is never given to another.
    package let id: UInt32
    /// The name that its maker gave it, which no other token has: `till-1`.
    package var name: String
    /// What it grants.
    package var scopes: Set<TokenScope>
    /// When it was made.
    package var createdAt: Timestamp
    /// When it ends; nil for a token that does not.
    package var expiresAt: Timestamp?
    /// When it was used last; nil before its first use. In the file it may be a minute behind.
    package var lastUsedAt: Timestamp?
    /// The origins whose web pages may use it, normalized (`WebOrigin`). Empty for a token that no web page may use.
    package var origins: [String]
    /// Who made it: `uid:0`, or another token.
    package var createdBy: String

    package init(
        id: UInt32, name: String, scopes: Set<TokenScope>, createdAt: Timestamp, expiresAt: Timestamp? = nil,
        lastUsedAt: Timestamp? = nil, origins: [String] = [], createdBy: String
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
        self.origins = origins
        self.createdBy = createdBy
    }

    /// Whether it has ended.
    package func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Whether a request with this `Origin` may use it. A request without one comes from no web page of another origin;
    /// `nil` is such a request.
    package func isUsable(from origin: String?) -> Bool {
        guard let origin else { return true }
        return WebOrigin(rawValue: origin).map { origins.contains($0.rawValue) } ?? false
    }
}

/// A token with the digest of its secret, as an export carries it to another kiosk.
package struct StoredToken: Hashable, Sendable {
    /// Its number counts in the store that it came from alone.
    package var token: AccessToken
    /// In lower-case hexadecimal.
    package var sha256: String

    package init(_ token: AccessToken, sha256: String) {
        self.token = token
        self.sha256 = sha256
    }
}

/// The outcome of restoring one token.
package struct RestoredToken: Hashable, Sendable {
    package var name: String
    package var outcome: Outcome
    /// As it is in this store now; nil where nothing was added or replaced.
    package var token: AccessToken?
    /// What it took the place of.
    package var replaced: AccessToken?

    package enum Outcome: Hashable, Sendable {
        case added, replaced
        /// Another token of this name, or with other rights, is here and stays.
        case kept
        case same
        /// It has ended.
        case expired
    }
}

extension AccessToken {
    /// Whether it has the name and grants the rights of a draft.
    func grants(_ draft: TokenDraft) -> Bool {
        name == draft.name && scopes == draft.scopes && expiresAt == draft.expiresAt && origins == draft.origins
    }
}

/// What a new token is to be.
package struct TokenDraft: Hashable, Sendable {
    package var name: String
    package var scopes: Set<TokenScope>
    /// When it ends; nil for a token that does not.
    package var expiresAt: Timestamp?
    /// The origins whose web pages may use it, as people write them.
    package var origins: [String]
    /// Who makes it.
    package var createdBy: String

    package init(
        name: String, scopes: Set<TokenScope>, expiresAt: Timestamp? = nil, origins: [String] = [], createdBy: String
    ) {
        self.name = name
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.origins = origins
        self.createdBy = createdBy
    }
}
