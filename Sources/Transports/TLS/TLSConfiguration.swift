package import PrintModel

/// The versions that are spoken; what is older is broken (RFC 8996).
package enum TLSVersion: Hashable, Sendable {
    case tls12
    case tls13
}

/// How we connect.
package struct TLSClientConfiguration: Sendable {
    package var trust: Trust
    /// What we show a server that asks who we are.
    package var identity: TLSIdentity?
    /// Offered by ALPN (RFC 7301), the best first.
    package var applicationProtocols: [String]
    /// Lower for a peer that fails at the newest.
    package var highestVersion = TLSVersion.tls13

    package init(trust: Trust, identity: TLSIdentity? = nil, applicationProtocols: [String] = ["http/1.1"]) {
        self.trust = trust
        self.identity = identity
        self.applicationProtocols = applicationProtocols
    }
}

/// How we serve.
package struct TLSServerConfiguration: Sendable {
    package var identity: TLSIdentity
    /// A PEM file of the CAs whose clients are known; nil asks clients for no certificate.
    package var clientCAFile: String?
    /// Whether a client without a certificate is refused. Means nothing without `clientCAFile`.
    package var requiresClientCertificate: Bool
    /// What ALPN may choose, the best first; a client that offers none of them is refused (RFC 7301 §3.2).
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
