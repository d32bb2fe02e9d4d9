package import PrintModel

/// Which host keys a connection accepts: asked after the key exchange and before the login. All that has gone out by
/// then is the key exchange and libssh2's request for the service that logs in (RFC 4253 §10): nothing secret.
/// `HostKeyTrust` makes one from a printer's `trust`, for one connection: what the files say then counts.
package struct HostKeyPolicy: Sendable {
    /// Types of key (`ssh-ed25519`, `ssh-rsa`, …, as they stand in keys) to ask the server for: the known ones, then
    /// the others, best first. `ssh-rsa` stands for all its signatures. Types that nobody here speaks are passed over.
    package var preferredAlgorithms: [String]
    /// What else to prefer, one after the other, on a connection of its own each, when a handshake ended in
    /// `hostKeyChanged`: a pin does not tell its key's type, so the server may have shown another of its keys than the
    /// pinned one. One that begins with the type which was shown before may be left out. When all have ended the same
    /// way, the first error is the right one to throw.
    package var alternatives: [[String]]
    /// Throws `hostKeyUnknown`, `hostKeyChanged` or `hostKeyRevoked`. The octets are the public key as it is on the
    /// wire.
    package var judge: @Sendable (HostKey, [UInt8]) throws(SSHError) -> Void

    /// `preferredAlgorithms`: those to ask for first.
    package init(
        preferredAlgorithms: [String] = [], alternatives: [[String]] = [],
        judge: @escaping @Sendable (HostKey, [UInt8]) throws(SSHError) -> Void
    ) {
        self.preferredAlgorithms = HostKeyAlgorithms.preference(preferredAlgorithms)
        self.alternatives = alternatives
        self.judge = judge
    }
}
