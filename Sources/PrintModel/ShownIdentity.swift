/// What a printer, or the host before it, shows to prove who it is.
public enum ShownIdentity: Hashable, Sendable {
    /// In a TLS handshake.
    case certificate(Certificate)
    /// In SSH's key exchange.
    case hostKey(HostKey)

    /// Of its public key: what is pinned.
    public var keyFingerprint: Fingerprint {
        switch self {
        case .certificate(let certificate): certificate.keyFingerprint
        case .hostKey(let key): key.fingerprint
        }
    }

    public var certificate: Certificate? {
        if case .certificate(let certificate) = self { certificate } else { nil }
    }

    public var hostKey: HostKey? {
        if case .hostKey(let key) = self { key } else { nil }
    }
}
