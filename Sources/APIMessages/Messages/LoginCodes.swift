package import KioskPrintModel

/// The response to `POST /v1/login-codes`: a code with which a browser logs in to the admin page, once.
package struct NewLoginCode: Hashable, Sendable, Codable {
    /// As people read and type it: `7KQ2-XW9M`.
    package var code: String
    /// The page's path that logs in: `/login#7KQ2-XW9M`. What stands behind `#` is never sent to a server.
    package var path: String
    package var expiresAt: Timestamp
    /// Whose rights the session has.
    package var user: String

    package init(code: String, path: String, expiresAt: Timestamp, user: String) {
        self.code = code
        self.path = path
        self.expiresAt = expiresAt
        self.user = user
    }

    private enum CodingKeys: String, CodingKey {
        case code, path, user
        case expiresAt = "expires-at"
    }
}

/// The JSON body of `POST /login`.
package struct LoginRequest: Hashable, Sendable, Codable {
    package var code: String

    package init(code: String) { self.code = code }

    private enum CodingKeys: String, CodingKey, CaseIterable { case code }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        code = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .code)
    }
}
