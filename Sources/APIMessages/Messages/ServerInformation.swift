public import KioskPrintModel

/// The response to `GET /v1/server`: which daemon this is, and how to reach it over the network.
public struct ServerInformation: Hashable, Sendable, Codable {
    /// The daemon's version.
    public var version: String
    /// The URLs that it listens at besides its Unix socket: `https://0.0.0.0:8631`. Empty where it listens at none.
    public var addresses: [String]
    /// The host names and addresses of the machine, under which it is reached.
    public var names: [String]
    /// The certificate that it shows; nil where it speaks no TLS.
    public var certificate: Certificate?
    /// Whether the daemon made the certificate itself, and renews it; nil where it speaks no TLS.
    public var isOwnCertificate: Bool?

    /// Creates a description from its fields.
    public init(
        version: String, addresses: [String] = [], names: [String] = [], certificate: Certificate? = nil,
        isOwnCertificate: Bool? = nil
    ) {
        self.version = version
        self.addresses = addresses
        self.names = names
        self.certificate = certificate
        self.isOwnCertificate = isOwnCertificate
    }

    private enum CodingKeys: String, CodingKey {
        case version, addresses, names, certificate
        case isOwnCertificate = "own-certificate"
    }
}
