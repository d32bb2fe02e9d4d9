package import KioskPrintModel
import NIOPosix
import Synchronization

/// The trust in host keys, from known_hosts files and pins. One for all connections of a transport.
package final class HostKeyTrust: Sendable {
    /// The files that `Trust.system` reads.
    private let systemFiles: [String]
    /// The type of each pinned key that was seen; it is requested first from then on.
    private let pinnedTypes = Mutex<[Fingerprint: String]>([:])

    package init(systemFiles: [String] = KnownHostsFile.system) { self.systemFiles = systemFiles }

    /// Makes the policy for one connection to a host, whose name is in lower case. Reads files on NIO's thread pool.
    /// Throws `unusableTrust`.
    package func policy(for trust: Trust, host: String, port: Int) async throws(SSHError) -> HostKeyPolicy {
        switch trust {
        case .system: return try HostKeyPolicy(await findings(in: systemFiles, isOptional: true, host, port))
        case .knownHosts(let path): return try HostKeyPolicy(await findings(in: [path], isOptional: false, host, port))
        case .pinned(let pins): return policy(pinning: pins, besides: try await revoked(host, port))
        case .ask:
            let revoked = try await revoked(host, port)
            return HostKeyPolicy { key, octets throws(SSHError) in
                try revoked.refuse(key, octets)
                throw SSHError(
                    .hostKeyUnknown, operation: "host key",
                    reason: "nobody has accepted its host key yet (\(key.summary))", hostKey: key)
            }
        case .none: return HostKeyPolicy { _, _ throws(SSHError) in }
        case .caFile(let path):
            throw SSHError(
                .unusableTrust, operation: "host key",
                reason: "the CA file \(path) vouches for certificates, and SSH shows host keys")
        }
    }

    private func findings(
        in paths: [String], isOptional: Bool, _ host: String, _ port: Int
    ) async throws(SSHError) -> KnownHosts.Findings {
        try await reading { () throws(SSHError) in
            var all = KnownHosts.Findings()
            for path in paths {
                all += try KnownHostsFile(path: path, isOptional: isOptional).findings(for: host, port: port)
            }
            return all
        }
    }

    /// The keys that the system's files revoke; neither a pin nor an accepted key outweighs that. A file that cannot be
    /// read revokes nothing here: nobody named the file, and somebody named the key.
    private func revoked(_ host: String, _ port: Int) async throws(SSHError) -> RevokedKeys {
        try await reading { [systemFiles] in
            RevokedKeys(
                systemFiles.flatMap { path in
                    (try? KnownHostsFile(path: path, isOptional: true).findings(for: host, port: port))?.revoked ?? []
                })
        }
    }

    private func reading<Value: Sendable>(
        _ work: @escaping @Sendable () throws(SSHError) -> Value
    ) async throws(SSHError) -> Value {
        let result: Result<Value, SSHError>
        do {
            result = try await NIOThreadPool.singleton.runIfActive { Result(catching: work) }
        } catch {
            throw SSHError(.cancelled, operation: "host key", reason: "cancelled")
        }
        return try result.get()
    }

    private func policy(pinning pins: [Fingerprint], besides revoked: RevokedKeys) -> HostKeyPolicy {
        let seen = pinnedTypes.withLock { types in pins.compactMap { types[$0] } }
        let preferred = HostKeyAlgorithms.order(seen)
        return HostKeyPolicy(preferredAlgorithms: preferred, alternatives: HostKeyAlgorithms.families) {
            key, octets throws(SSHError) in
            try revoked.refuse(key, octets)
            guard pins.contains(key.fingerprint) else {
                throw SSHError(
                    .hostKeyChanged(from: pins), operation: "host key",
                    reason:
                        "its host key is \(key.summary), and \(pins.map(\.openSSH).joined(separator: " or ")) is "
                        + "pinned",
                    hostKey: key)
            }
            self.remember(key)
        }
    }

    private func remember(_ key: HostKey) {
        pinnedTypes.withLock { types in
            // Pins come and go with the registry, which has hundreds of printers at most.
            if types.count >= Self.maximumTypes { types.removeAll() }
            types[key.fingerprint] = key.algorithm
        }
    }

    private static let maximumTypes = 4096
}
