/// What a printer shows to prove who it is, beside how it is trusted: what a person decides by.
public struct PrinterTrust: Hashable, Sendable, Codable {
    public var printer: PrinterID
    /// How its identity is proven as it is saved.
    public var trust: Trust
    /// What it showed when it was asked just now; nil where its connection has none.
    public var certificate: Certificate?
    /// The same of a printer behind SSH. At most one of both is there.
    public var hostKey: HostKey?
    /// Whether jobs and logins go to whoever shows this. The handshake that showed it tells. Under `none` they do,
    /// whatever it shows: nobody verified it.
    public var isTrusted: Bool
    /// Why it is not trusted, and what to do.
    public var problem: String?

    public init(printer: PrinterID, trust: Trust, identity: ShownIdentity?, isTrusted: Bool, problem: String? = nil) {
        self.printer = printer
        self.trust = trust
        certificate = identity?.certificate
        hostKey = identity?.hostKey
        self.isTrusted = isTrusted
        self.problem = problem
    }

    public var identity: ShownIdentity? {
        certificate.map { .certificate($0) } ?? hostKey.map { .hostKey($0) }
    }

    enum CodingKeys: String, CodingKey {
        case printer, trust, certificate
        case hostKey = "host-key"
        case isTrusted = "trusted"
        case problem
    }
}
