public import PrintModel

/// The answer of `GET /v1/roles`, in the registry's order.
public struct RoleList: Hashable, Sendable, Codable {
    public var roles: [Role]
    public init(roles: [Role]) { self.roles = roles }
}
