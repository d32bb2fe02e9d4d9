/// What a NATS JWT says (nats-io/jwt, version 2). Names are those of the JSON. Tokens have no more than what is here:
/// what the fleet does not use stays at the server's defaults.
protocol TokenClaims: Codable {
    associatedtype Content: TokenContent
    /// Its own identifier.
    var jti: String { get set }
    /// The key of who has signed it.
    var iss: String { get set }
    var nats: Content { get }

    static var type: String { get }
    static var issuer: NKeyRole { get }
}

extension TokenClaims {
    static var version: Int { 2 }
}

protocol TokenContent: Codable {
    var type: String { get }
    var version: Int { get }
}

/// The operator of a hub, who signs accounts; signed by itself.
struct OperatorClaims: TokenClaims {
    static let type = "operator"
    static let issuer = NKeyRole.operator
    var jti = ""
    var iss = ""
    var name: String
    var sub: String
    /// In seconds since 1970, as all times.
    var iat: Int64
    var nats: Content

    struct Content: TokenContent {
        var type = OperatorClaims.type
        var version = OperatorClaims.version
        /// The key of the account whose users may see and change how the servers are.
        var system_account: String
    }
}

/// An account: what its users share, and who may sign them.
struct AccountClaims: TokenClaims {
    static let type = "account"
    static let issuer = NKeyRole.operator
    var jti = ""
    var iss = ""
    var name: String
    var sub: String
    var iat: Int64
    var nats: Content

    struct Content: TokenContent {
        var type = AccountClaims.type
        var version = AccountClaims.version
        var limits: Limits
        var signing_keys: [SigningKey]?
        /// Tokens of a user's key that were signed at this time or before are valid no more.
        var revocations: [String: Int64]?
        var default_permissions = TokenPermissions()
    }

    /// -1: as many as one likes. Left out is 0.
    struct Limits: Codable {
        var (subs, data, payload, imports, exports, conn, leaf) = (-1, -1, -1, -1, -1, -1, -1)
        var wildcards = true
        /// JetStream's; 0: it has none.
        var (mem_storage, disk_storage, streams, consumer) = (0, 0, 0, 0)

        static let withoutJetStream = Limits()
        static var withJetStream: Limits {
            var limits = Limits()
            (limits.mem_storage, limits.disk_storage, limits.streams, limits.consumer) = (-1, -1, -1, -1)
            return limits
        }
    }

    /// A key whose users have these rights and no others.
    struct SigningKey: Codable {
        var kind = "user_scope"
        var key: String
        var role: String
        var template: Template

        struct Template: Codable {
            var pub: TokenPermissions.Subjects
            var sub: TokenPermissions.Subjects
            var subs = -1
            var data = -1
            var payload = -1
        }
    }
}

/// A user of an account: who logs in.
struct UserClaims: TokenClaims {
    static let type = "user"
    static let issuer = NKeyRole.account
    var jti = ""
    var iss = ""
    var name: String
    var sub: String
    var iat: Int64
    /// When it ends; nil: never.
    var exp: Int64?
    var nats: Content

    struct Content: TokenContent {
        var type = UserClaims.type
        var version = UserClaims.version
        /// The account's key, where a signing key of it has signed.
        var issuer_account: String?
        // A user of a scoped signing key has none of these: the account's template holds them.
        var pub = TokenPermissions.Subjects()
        var sub = TokenPermissions.Subjects()
        var subs: Int?
        var data: Int?
        var payload: Int?
    }
}

/// What may be published and subscribed to; without a list, everything.
struct TokenPermissions: Codable {
    var pub = Subjects()
    var sub = Subjects()

    struct Subjects: Codable {
        var allow: [String]?
    }
}
