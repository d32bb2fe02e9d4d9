package import PrintModel

/// Which host keys a connection accepts: asked in the handshake, before anything of ours but the key exchange has gone out.
package struct HostKeyPolicy: Sendable {
    /// Types of key (`ssh-ed25519`, …) to ask the server for first, since one of them is known; the others follow.
    package var preferredAlgorithms: [String]
    /// Throws `hostKeyUnknown`, `hostKeyChanged` or `hostKeyRevoked`. The octets are the public key as it is on the wire.
    package var judge: @Sendable (HostKey, [UInt8]) throws(SSHError) -> Void

    package init(
        preferredAlgorithms: [String] = [], judge: @escaping @Sendable (HostKey, [UInt8]) throws(SSHError) -> Void
    ) {
        self.preferredAlgorithms = preferredAlgorithms
        self.judge = judge
    }
}
