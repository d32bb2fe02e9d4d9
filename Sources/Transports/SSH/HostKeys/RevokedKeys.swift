import PrintModel

/// Keys that known_hosts files mark as `@revoked` for a host.
struct RevokedKeys: Sendable {
    private let octets: Set<[UInt8]>

    init(_ keys: [KnownHostKey]) { octets = Set(keys.map(\.octets)) }

    /// Throws `hostKeyRevoked` for one of them, whose octets are those on the wire.
    func refuse(_ key: HostKey, _ octets: [UInt8]) throws(SSHError) {
        guard self.octets.contains(octets) else { return }
        throw SSHError(
            .hostKeyRevoked, operation: "host key",
            reason: "its host key (\(key.summary)) is marked as revoked in the known_hosts file",
            hostKey: key)
    }
}
