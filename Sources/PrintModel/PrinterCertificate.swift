/// The certificate that a printer shows, beside how it is trusted: what a person decides by.
public struct PrinterCertificate: Hashable, Sendable, Codable {
    public var printer: PrinterID
    /// How its identity is proven as it is saved.
    public var trust: Trust
    /// What it showed when it was asked just now; nil where its connection has none.
    public var certificate: Certificate?
    /// Whether jobs and logins go to whoever shows this certificate. The handshake that
    /// showed it tells. Under `none` they do, whatever it shows: nobody verified it.
    public var isTrusted: Bool
    /// Why it is not trusted, and what to do.
    public var problem: String?

    public init(printer: PrinterID, trust: Trust, certificate: Certificate?, isTrusted: Bool, problem: String? = nil) {
        self.printer = printer
        self.trust = trust
        self.certificate = certificate
        self.isTrusted = isTrusted
        self.problem = problem
    }

    enum CodingKeys: String, CodingKey {
        case printer, trust, certificate
        case isTrusted = "trusted"
        case problem
    }
}
