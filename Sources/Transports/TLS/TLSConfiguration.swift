package import KioskPrintModel

/// The supported versions. Older ones are insecure (RFC 8996).
package enum TLSVersion: Hashable, Sendable {
    case tls12
    case tls13
}

/// The settings of a TLS client.
package struct TLSClientConfiguration: Sendable {
    package var trust: Trust
    /// The certificate for a server that requests one.
    package var identity: TLSIdentity?
    /// The protocols that ALPN offers (RFC 7301), the preferred one first.
    package var applicationProtocols: [String]
    /// Lower for a peer that fails with the newest version.
    package var highestVersion = TLSVersion.tls13

    package init(trust: Trust, identity: TLSIdentity? = nil, applicationProtocols: [String] = ["http/1.1"]) {
        self.trust = trust
        self.identity = identity
        self.applicationProtocols = applicationProtocols
    }
}

/// The settings of a TLS server.
package struct TLSServerConfiguration: Sendable {
    package var identity: TLSIdentity
    /// A PEM file with the CAs of the clients; nil requests no certificate from clients.
    package var clientCAFile: String?
    /// Whether a client without a certificate is refused. Ignored without `clientCAFile`.
    package var requiresClientCertificate: Bool
    /// The protocols that ALPN may choose, the preferred one first. A client that offers none of them is refused
    /// (RFC 7301 §3.2).
    package var applicationProtocols: [String]
    package var highestVersion = TLSVersion.tls13

    package init(
        identity: TLSIdentity, clientCAFile: String? = nil, requiresClientCertificate: Bool = false,
        applicationProtocols: [String] = ["http/1.1"]
    ) {
        self.identity = identity
        self.clientCAFile = clientCAFile
        self.requiresClientCertificate = requiresClientCertificate
        self.applicationProtocols = applicationProtocols
    }
}
