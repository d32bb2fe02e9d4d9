package import KioskPrintModel

/// An access token as lists show it: everything but its secret.
package struct TokenDescription: Hashable, Sendable, Codable {
    package var id: UInt32
    package var name: String
    /// What it grants: `print:receipt`, `read`.
    package var scopes: [String]
    /// The origins whose web pages may use it.
    package var origins: [String]
    package var createdAt: Timestamp
    /// Who made it.
    package var createdBy: String
    /// When it ends; nil for a token that does not.
    package var expiresAt: Timestamp?
    /// When it was used last; nil before its first use.
    package var lastUsedAt: Timestamp?
    /// Whether it has ended.
    package var isExpired: Bool

    package init(
        id: UInt32, name: String, scopes: [String], origins: [String] = [], createdAt: Timestamp, createdBy: String,
        expiresAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil, isExpired: Bool = false
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.origins = origins
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
        self.isExpired = isExpired
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, scopes, origins
        case createdAt = "created-at"
        case createdBy = "created-by"
        case expiresAt = "expires-at"
        case lastUsedAt = "last-used-at"
        case isExpired = "expired"
    }
}

/// The response to `GET /v1/tokens`, by number.
package struct TokenList: Hashable, Sendable, Codable {
    package var tokens: [TokenDescription]
    package init(tokens: [TokenDescription]) { self.tokens = tokens }
}

/// The body of `POST /v1/tokens`.
package struct TokenRequest: Hashable, Sendable, Codable {
    package var name: String
    package var scopes: [String]
    package var origins: [String]?
    /// When the token ends.
    package var expiresAt: Timestamp?
    /// In how many seconds it ends, in place of a time.
    package var expiresIn: Int?

    package init(
        name: String, scopes: [String], origins: [String]? = nil, expiresAt: Timestamp? = nil, expiresIn: Int? = nil
    ) {
        self.name = name
        self.scopes = scopes
        self.origins = origins
        self.expiresAt = expiresAt
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, scopes, origins
        case expiresAt = "expires-at"
        case expiresIn = "expires-in"
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        scopes = try container.decode([String].self, forKey: .scopes)
        origins = try container.decodeIfPresent([String].self, forKey: .origins)
        expiresAt = try container.decodeIfPresent(Timestamp.self, forKey: .expiresAt)
        expiresIn = try container.decodeIfPresent(Int.self, forKey: .expiresIn)
        guard expiresAt == nil || expiresIn == nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .expiresIn, in: container, debugDescription: "\"expires-at\" says it already; write one of them"
            )
        }
        if let expiresIn, expiresIn < 1 {
            throw DecodingError.dataCorruptedError(
                forKey: .expiresIn, in: container, debugDescription: "it is \(expiresIn); write seconds from 1")
        }
    }
}

/// The response to `POST /v1/tokens`: the one time that the secret is told.
package struct NewToken: Hashable, Sendable, Codable {
    package var token: TokenDescription
    /// What is sent as `Authorization: Bearer …`.
    package var secret: String

    package init(token: TokenDescription, secret: String) {
        self.token = token
        self.secret = secret
    }
}
