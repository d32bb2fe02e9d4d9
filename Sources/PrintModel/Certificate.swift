/// What people look at before they trust a printer's certificate (X.509, RFC 5280). Its texts come from whoever
/// answered: they are hostile until shown escaped.
public struct Certificate: Hashable, Sendable, Codable {
    /// Distinguished names in RFC 2253's form.
    public var subject: String
    public var issuer: String
    /// The host names and addresses that it is for (subjectAltName; the common name where there is none).
    public var names: [String]
    public var notBefore: Timestamp
    public var notAfter: Timestamp
    /// Of the whole certificate (DER): what browsers show.
    public var fingerprint: Fingerprint
    /// Of its public key (DER SubjectPublicKeyInfo): what is pinned, since a renewed certificate may keep it.
    public var keyFingerprint: Fingerprint
    public var isSelfSigned: Bool
    /// `RSA 2048`, `EC P-256`.
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
