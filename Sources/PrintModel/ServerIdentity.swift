/// The identity that a printer, or the host in front of it, presents.
public enum ShownIdentity: Hashable, Sendable {
    /// Presented in a TLS handshake.
    case certificate(Certificate)
    /// Presented in SSH's key exchange.
    case hostKey(HostKey)

    /// The fingerprint of its public key, which is pinned.
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

/// The identity that a printer presented, and the verdict of the same handshake.
public struct JudgedIdentity: Hashable, Sendable {
    public var identity: ShownIdentity
    /// Why the printer's `trust` refuses it; nil where it is trusted, and under `none`, which verifies nothing.
    public var refusal: TransportError?

    public init(_ identity: ShownIdentity, refusal: TransportError? = nil) {
        self.identity = identity
        self.refusal = refusal
    }
}

/// The fields of a printer's certificate that people check before they trust it (X.509, RFC 5280). Its texts come from
/// the other side: escape them before display.
public struct Certificate: Hashable, Sendable, Codable {
    /// Distinguished names in RFC 2253's form.
    public var subject: String
    public var issuer: String
    /// The host names and addresses that it is valid for (subjectAltName; the common name where there is none).
    public var names: [String]
    public var notBefore: Timestamp
    public var notAfter: Timestamp
    /// The fingerprint of the whole certificate (DER), as browsers show it.
    public var fingerprint: Fingerprint
    /// The fingerprint of its public key (DER SubjectPublicKeyInfo). This one is pinned, since a renewed certificate
    /// may keep its key.
    public var keyFingerprint: Fingerprint
    public var isSelfSigned: Bool
    /// The type and size of its key: `RSA 2048`, `EC P-256`.
    public var key: String

    public init(
        subject: String, issuer: String, names: [String], notBefore: Timestamp, notAfter: Timestamp,
        fingerprint: Fingerprint, keyFingerprint: Fingerprint, isSelfSigned: Bool, key: String
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.fingerprint = fingerprint
        self.keyFingerprint = keyFingerprint
        self.isSelfSigned = isSelfSigned
        self.key = key
    }

    enum CodingKeys: String, CodingKey {
        case subject, issuer, names
        case notBefore = "not-before"
        case notAfter = "not-after"
        case fingerprint
        case keyFingerprint = "key-fingerprint"
        case isSelfSigned = "self-signed"
        case key
    }
}

/// The fields of an SSH server's host key that people check before they trust it (RFC 4253 §6.6).
public struct HostKey: Hashable, Sendable, Codable {
    /// The SSH name of its type: `ssh-ed25519`, `ecdsa-sha2-nistp256`. It comes from the other side: escape it before
    /// display.
    public var algorithm: String
    /// The fingerprint of the public key in its wire format; `ssh-keygen -l` prints the same in Base64.
    public var fingerprint: Fingerprint

    public init(algorithm: String, fingerprint: Fingerprint) {
        self.algorithm = algorithm
        self.fingerprint = fingerprint
    }
}

/// The identity that a printer presents and how it is trusted, for a person who decides.
public struct PrinterTrust: Hashable, Sendable, Codable {
    public var printer: PrinterID
    /// The trust that is saved for the printer.
    public var trust: Trust
    /// The certificate that it presented just now; nil where its connection has none.
    public var certificate: Certificate?
    /// The host key that a host behind SSH presented just now. At most one of both is set.
    public var hostKey: HostKey?
    /// Whether jobs and logins are sent to a printer with this identity, as the handshake decided. Always true under
    /// `none`, which verifies nothing.
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
