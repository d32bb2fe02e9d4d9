package import FoundationEssentials
import KioskAPIMessages
package import KioskPrintModel

/// What an export holds encrypted: the printers' logins, the access tokens' digests, and the daemon's own certificate.
package struct ExportedSecrets: Hashable, Sendable, Codable {
    /// The logins, by the name that printers give them.
    package var logins: [String: ExportedLogin]
    package var tokens: [ExportedToken]
    /// The certificate that the daemon made for itself; nil where it has none.
    package var certificate: ExportedCertificate?

    package init(
        logins: [String: ExportedLogin] = [:], tokens: [ExportedToken] = [], certificate: ExportedCertificate? = nil
    ) {
        self.logins = logins
        self.tokens = tokens
        self.certificate = certificate
    }
}

extension ExportedSecrets {
    /// `2 logins, 1 token, the server's certificate`
    package var summary: String {
        let parts = [
            ExportDocument.count(logins.count, "login"), ExportDocument.count(tokens.count, "token"),
            certificate == nil ? nil : "the server's certificate",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

/// A printer's login with the content of the files that it names.
package struct ExportedLogin: Hashable, Sendable, Codable {
    package var user: String?
    package var password: String?
    package var token: String?
    /// Of the private key or the client certificate.
    package var passphrase: String?
    package var clientCertificate: Data?
    package var clientKey: Data?
    package var privateKey: Data?
    /// `true`, or the path of an agent's socket. The agent's keys are not exported.
    package var agent: String?

    package init(
        user: String? = nil, password: String? = nil, token: String? = nil, passphrase: String? = nil,
        clientCertificate: Data? = nil, clientKey: Data? = nil, privateKey: Data? = nil, agent: String? = nil
    ) {
        self.user = user
        self.password = password
        self.token = token
        self.passphrase = passphrase
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.privateKey = privateKey
        self.agent = agent
    }

    private enum CodingKeys: String, CodingKey {
        case user, password, token, passphrase, agent
        case clientCertificate = "client-certificate"
        case clientKey = "client-key"
        case privateKey = "private-key"
    }
}

/// An access token with the SHA-256 digest of its secret, which is known only to its holder.
package struct ExportedToken: Hashable, Sendable, Codable {
    package var name: String
    package var scopes: [String]
    package var origins: [String]
    package var createdAt: Timestamp
    package var createdBy: String
    package var expiresAt: Timestamp?
    /// In lower-case hexadecimal.
    package var sha256: String

    package init(
        name: String, scopes: [String], origins: [String], createdAt: Timestamp, createdBy: String,
        expiresAt: Timestamp?, sha256: String
    ) {
        self.name = name
        self.scopes = scopes
        self.origins = origins
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.sha256 = sha256
    }

    private enum CodingKeys: String, CodingKey {
        case name, scopes, origins, sha256
        case createdAt = "created-at"
        case createdBy = "created-by"
        case expiresAt = "expires-at"
    }
}

/// The certificate of the daemon's TCP listener and its key, in PEM.
package struct ExportedCertificate: Hashable, Sendable, Codable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
