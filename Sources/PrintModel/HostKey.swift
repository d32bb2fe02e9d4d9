/// What people look at before they trust an SSH server's host key (RFC 4253 §6.6).
public struct HostKey: Hashable, Sendable, Codable {
    /// The SSH name of its type: `ssh-ed25519`, `ecdsa-sha2-nistp256`. From whoever answered: hostile until shown
    /// escaped.
    public var algorithm: String
    /// Of the public key as it is on the wire: what `ssh-keygen -l` prints, there in Base64.
    public var fingerprint: Fingerprint

    public init(algorithm: String, fingerprint: Fingerprint) {
        self.algorithm = algorithm
        self.fingerprint = fingerprint
    }
}
