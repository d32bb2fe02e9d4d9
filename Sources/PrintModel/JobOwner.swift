/// Who a job belongs to: who may see, cancel and reprint it, besides operators.
public enum JobOwner: Hashable, Sendable {
    /// A user of this machine, by user id.
    case user(UInt32)
    /// Whoever holds an access token of the API, by the token's number.
    case token(UInt32)

    private static let tokenPrefix = "token:"
}

extension JobOwner: CustomStringConvertible {
    /// `uid:1000`, `token:3`
    public var description: String {
        switch self {
        case .user(let user): "uid:\(user)"
        case .token(let token): Self.tokenPrefix + String(token)
        }
    }
}

extension JobOwner: Codable {
    /// A user is a number, a token a string: `1000`, `"token:3"`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let user = try? container.decode(UInt32.self) {
            self = .user(user)
            return
        }
        let text = try container.decode(String.self)
        guard text.hasPrefix(Self.tokenPrefix), let token = UInt32(text.dropFirst(Self.tokenPrefix.count)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an owner is a user id or \"\(Self.tokenPrefix)NUMBER\"")
        }
        self = .token(token)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .user(let user): try container.encode(user)
        case .token: try container.encode(description)
        }
    }
}
