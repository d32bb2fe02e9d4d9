package import KioskPrintModel

/// The check of a host key, after the key exchange and before the login. Only the key exchange and libssh2's request
/// for the authentication service (RFC 4253 §10) were sent by then: nothing secret. `HostKeyTrust` makes a policy from
/// a printer's `trust` for each connection, so that changes in the files take effect.
package struct HostKeyPolicy: Sendable {
    /// The key types (`ssh-ed25519`, `ssh-rsa`, …, as they are named in keys) to request from the server: the known
    /// ones, then the others, best first. `ssh-rsa` stands for all its signatures. Types that libssh2 does not support
    /// are skipped.
    package var preferredAlgorithms: [String]
    /// The key types to prefer on further connections when a handshake ended in `hostKeyChanged`. A pin does not
    /// contain its key's type, so the server may have shown another of its keys than the pinned one. An entry that
    /// begins with a type that was shown already may be skipped. When all end the same way, the first error is the one
    /// to throw.
    package var alternatives: [[String]]
    /// Throws `hostKeyUnknown`, `hostKeyChanged` or `hostKeyRevoked`. The octets are the public key in its wire format.
    package var verify: @Sendable (HostKey, [UInt8]) throws(SSHError) -> Void

    /// `preferredAlgorithms`: the types to request first.
    package init(
        preferredAlgorithms: [String] = [], alternatives: [[String]] = [],
        verify: @escaping @Sendable (HostKey, [UInt8]) throws(SSHError) -> Void
    ) {
        self.preferredAlgorithms = HostKeyAlgorithms.preference(preferredAlgorithms)
        self.alternatives = alternatives
        self.verify = verify
    }
}

extension HostKeyPolicy {
    /// Accepts keys that are known and not revoked. As with `ssh`, a host's key has changed if another of the shown
    /// type is known. If only other types are known, the shown key is unknown: the server may have it as well.
    init(_ findings: KnownHosts.Findings) throws(SSHError) {
        var known: [HostKey] = []
        for key in findings.known where !findings.revoked.contains(key) {
            let key = try HostKey(key)
            if !known.contains(key) { known.append(key) }
        }
        let (accepted, revoked) = (known, RevokedKeys(findings.revoked))
        self.init(preferredAlgorithms: HostKeyAlgorithms.order(known.map(\.algorithm))) {
            key, octets throws(SSHError) in
            try revoked.refuse(key, octets)
            if findings.known.contains(where: { $0.octets == octets }) { return }
            let old = accepted.filter { $0.algorithm == key.algorithm }
            guard old.isEmpty else {
                throw SSHError(
                    .hostKeyChanged(from: old.map(\.fingerprint)), operation: "host key",
                    reason: "its host key is \(key.summary), and it is known by \(old.summary)", hostKey: key)
            }
            var reason = "no known_hosts file knows its host key (\(key.summary))"
            if !accepted.isEmpty {
                reason += ", but it is known by \(accepted.summary)"
            } else if findings.atStandardPort.contains(where: { $0.octets == octets }) {
                reason += ", but it is known as the key of the host's port 22"
            }
            throw SSHError(.hostKeyUnknown, operation: "host key", reason: reason, hostKey: key)
        }
    }
}

extension [HostKey] {
    fileprivate var summary: String { map(\.summary).joined(separator: ", ") }
}

extension KnownHosts.Findings {
    static func += (all: inout Self, more: Self) {
        all.known += more.known
        all.revoked += more.revoked
        all.atStandardPort += more.atStandardPort
    }
}

/// The keys that known_hosts files mark as `@revoked` for a host.
struct RevokedKeys: Sendable {
    private let octets: Set<[UInt8]>

    init(_ keys: [KnownHostKey]) { octets = Set(keys.map(\.octets)) }

    /// Throws `hostKeyRevoked` if the key is one of them. The octets are the key in its wire format.
    func refuse(_ key: HostKey, _ octets: [UInt8]) throws(SSHError) {
        guard self.octets.contains(octets) else { return }
        throw SSHError(
            .hostKeyRevoked, operation: "host key",
            reason: "its host key (\(key.summary)) is marked as revoked in the known_hosts file",
            hostKey: key)
    }
}
