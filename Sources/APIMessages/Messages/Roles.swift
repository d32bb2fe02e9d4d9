public import KioskPrintModel

/// The response to `GET /v1/roles`, in the registry's order. A role is sent as `Role`, a profile as `PrinterProfile`;
/// only a role's change (`RoleChange`) has a form of its own.
public struct RoleList: Hashable, Sendable, Codable {
    /// The roles.
    public var roles: [Role]
    public init(roles: [Role]) { self.roles = roles }
}

/// The body of `PUT /v1/roles/{name}`: the complete role. Omitted settings take the defaults for that role name.
public struct RoleChange: Hashable, Sendable, Codable {
    /// The role's printers, first preference first.
    public var printers: [PrinterID]
    /// How a printer is chosen.
    public var policy: Role.PrinterPolicy?
    /// The job type that its printers must do.
    public var jobType: JobTypes?
    /// What a job's ticket is filled up with.
    public var defaults: Ticket?
    /// What becomes of a job whose fate nobody can know.
    public var unconfirmed: Role.UnconfirmedPolicy?
    /// The seconds after which a job of this role expires.
    public var expiresAfter: Int?
    /// The most pages of a job, as sides of sheets and of all copies.
    public var pageLimit: Int?
    /// Whether its jobs are kept at the kiosk's partner too.
    public var mirror: Bool?
    /// How long its jobs and documents are kept.
    public var keep: Retention?

    public init(
        printers: [PrinterID], policy: Role.PrinterPolicy? = nil, jobType: JobTypes? = nil, defaults: Ticket? = nil,
        unconfirmed: Role.UnconfirmedPolicy? = nil, expiresAfter: Int? = nil, pageLimit: Int? = nil,
        mirror: Bool? = nil, keep: Retention? = nil
    ) {
        self.printers = printers
        self.policy = policy
        self.jobType = jobType
        self.defaults = defaults
        self.unconfirmed = unconfirmed
        self.expiresAfter = expiresAfter
        self.pageLimit = pageLimit
        self.mirror = mirror
        self.keep = keep
    }

    /// The change that saves a role as it is.
    public init(_ role: Role) {
        self.init(
            printers: role.printers, policy: role.policy == .failover ? nil : role.policy, jobType: role.jobType,
            defaults: role.defaults == Ticket() ? nil : role.defaults,
            unconfirmed: role.unconfirmed, expiresAfter: role.expiresAfter, pageLimit: role.pageLimit,
            mirror: role.mirror ? true : nil, keep: role.keep == Retention() ? nil : role.keep
        )
    }

    /// The role that this change saves under `name`.
    public func role(name: RoleName) -> Role {
        Role(
            name: name, printers: printers, policy: policy ?? .failover, jobType: jobType,
            defaults: defaults ?? Ticket(), unconfirmed: unconfirmed, expiresAfter: expiresAfter,
            pageLimit: pageLimit, mirror: mirror ?? false, keep: keep ?? Retention()
        )
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case printers, policy
        case jobType = "job-type"
        case defaults, unconfirmed
        case expiresAfter = "expires-after"
        case pageLimit = "page-limit"
        case mirror, keep
    }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            printers: container.decode([PrinterID].self, forKey: .printers),
            policy: container.decodeIfPresent(Role.PrinterPolicy.self, forKey: .policy),
            jobType: container.decodeIfPresent(String.self, forKey: .jobType).map { keyword in
                guard let jobType = JobTypes(keyword: keyword) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .jobType, in: container, debugDescription: "\"\(keyword)\" is not a job type"
                    )
                }
                return jobType
            },
            defaults: container.decodeIfPresent(StrictTicketDefaults.self, forKey: .defaults)?.ticket,
            unconfirmed: container.decodeIfPresent(Role.UnconfirmedPolicy.self, forKey: .unconfirmed),
            expiresAfter: container.decodeIfPresent(Int.self, forKey: .expiresAfter),
            pageLimit: container.decodeIfPresent(Int.self, forKey: .pageLimit),
            mirror: container.decodeIfPresent(Bool.self, forKey: .mirror),
            keep: container.decodeIfPresent(StrictRetention.self, forKey: .keep)?.retention
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(printers, forKey: .printers)
        try container.encodeIfPresent(policy, forKey: .policy)
        try container.encodeIfPresent(jobType?.keywords.first, forKey: .jobType)
        if let defaults, defaults != Ticket() { try container.encode(defaults, forKey: .defaults) }
        try container.encodeIfPresent(unconfirmed, forKey: .unconfirmed)
        try container.encodeIfPresent(expiresAfter, forKey: .expiresAfter)
        try container.encodeIfPresent(pageLimit, forKey: .pageLimit)
        try container.encodeIfPresent(mirror, forKey: .mirror)
        try container.encodeIfPresent(keep, forKey: .keep)
    }
}
