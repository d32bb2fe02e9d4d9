internal import NIOPosix
package import PrintModel
internal import Synchronization

/// Who vouches for host keys: known_hosts files and pins. One for all connections of a transport.
package final class HostKeyTrust: Sendable {
    /// What `system` reads.
    private let systemFiles: [String]
    /// The type of each pinned key that was seen: asked for first from then on.
    private let types = Mutex<[Fingerprint: String]>([:])

    package init(systemFiles: [String] = KnownHostsFile.system) { self.systemFiles = systemFiles }

    /// For one connection to a host, whose name is in lower case. Reads files, on a thread of NIO's pool. Throws
    /// `SSHError` with `unusableTrust`.
    package func policy(for trust: Trust, host: String, port: Int) async throws -> HostKeyPolicy {
        switch trust {
        case .system: return try await policy(reading: systemFiles.map { KnownHostsFile(path: $0, isOptional: true) }, host, port)
        case .knownHosts(let path): return try await policy(reading: [KnownHostsFile(path: path, isOptional: false)], host, port)
        case .pinned(let pins): return policy(pinning: pins)
        case .ask:
            return HostKeyPolicy { key, _ throws(SSHError) in
                throw SSHError(
                    .hostKeyUnknown, operation: "host key", reason: "nobody has accepted its host key yet (\(key.summary))", hostKey: key)
            }
        case .none: return HostKeyPolicy { _, _ throws(SSHError) in }
        case .caFile(let path):
            throw SSHError(
                .unusableTrust, operation: "host key", reason: "the CA file \(path) vouches for certificates, and SSH shows host keys")
        }
    }

    private func policy(reading files: [KnownHostsFile], _ host: String, _ port: Int) async throws -> HostKeyPolicy {
        try await NIOThreadPool.singleton.runIfActive {
            var all = KnownHosts.Findings()
            for file in files {
                let found = try file.findings(for: host, port: port)
                all.known += found.known
                all.revoked += found.revoked
            }
            return try HostKeyPolicy(all)
        }
    }

    private func policy(pinning pins: [Fingerprint]) -> HostKeyPolicy {
        let seen = types.withLock { types in pins.compactMap { types[$0] } }
        let preferred = HostKeyAlgorithms.order(seen)
        return HostKeyPolicy(preferredAlgorithms: preferred, alternatives: HostKeyAlgorithms.families) { key, _ throws(SSHError) in
            guard pins.contains(key.fingerprint) else {
                throw SSHError(
                    .hostKeyChanged(from: pins), operation: "host key",
                    reason: "its host key is \(key.summary), and \(pins.map(\.openSSH).joined(separator: " or ")) is pinned", hostKey: key)
            }
            self.remember(key)
        }
    }

    private func remember(_ key: HostKey) {
        types.withLock { types in
            // Pins come and go with the registry, which has hundreds of printers at most.
            if types.count >= Self.mostTypes { types.removeAll() }
            types[key.fingerprint] = key.algorithm
        }
    }

    private static let mostTypes = 4096
}

extension HostKeyPolicy {
    /// Accepts what is known and not revoked.
    init(_ findings: KnownHosts.Findings) throws(SSHError) {
        var known: [HostKey] = []
        for key in findings.known where !findings.revoked.contains(key) {
            let key = try HostKey(key)
            if !known.contains(key) { known.append(key) }
        }
        let accepted = known
        self.init(preferredAlgorithms: HostKeyAlgorithms.order(known.map(\.algorithm))) { key, octets throws(SSHError) in
            if findings.revoked.contains(where: { $0.octets == octets }) {
                throw SSHError(
                    .hostKeyRevoked, operation: "host key", reason: "its host key (\(key.summary)) is marked as revoked in the known_hosts file",
                    hostKey: key)
            }
            if findings.known.contains(where: { $0.octets == octets }) { return }
            guard !accepted.isEmpty else {
                throw SSHError(
                    .hostKeyUnknown, operation: "host key", reason: "no known_hosts file knows its host key (\(key.summary))", hostKey: key)
            }
            throw SSHError(
                .hostKeyChanged(from: accepted.map(\.fingerprint)), operation: "host key",
                reason: "its host key is \(key.summary), and it is known by \(accepted.map(\.summary).joined(separator: ", "))",
                hostKey: key)
        }
    }
}
