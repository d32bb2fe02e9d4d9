/// What a file in the form of OpenSSH's known_hosts says (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT").
///
/// This folder needs nothing but the standard library, so that it can be fuzzed alone.
package struct KnownHosts: Hashable, Sendable {
    /// In the file's order.
    package var entries: [KnownHostsEntry]

    package init(entries: [KnownHostsEntry]) { self.entries = entries }

    /// What is known of one host.
    package struct Findings: Hashable, Sendable {
        package var known: [KnownHostKey] = []
        /// Keys that must not be trusted, wherever else they stand.
        package var revoked: [KnownHostKey] = []
        /// Keys that are known of the host at SSH's own port, where another one is asked about: they vouch for nothing.
        package var atStandardPort: [KnownHostKey] = []
    }

    /// All keys of a host. `host`: in lower case, an IPv6 address without brackets. `hmac`: HMAC-SHA1 (RFC 2104), which
    /// names are hashed with. Lines of certificate authorities (`@cert-authority`) say nothing: we take no host
    /// certificates.
    package func findings<Failure>(
        for host: String, port: Int,
        hmac: (_ key: [UInt8], _ text: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Findings {
        let name = Self.name(of: host, port: port)
        let bareName = Self.name(of: host, port: Self.standardPort)
        var findings = Findings()
        for entry in entries where entry.marker != .certAuthority {
            if try entry.hosts.contains(name, hmac: hmac) {
                if entry.marker == .revoked {
                    findings.revoked.append(entry.key)
                } else {
                    findings.known.append(entry.key)
                }
            } else if port != Self.standardPort, entry.marker == nil, try entry.hosts.contains(bareName, hmac: hmac) {
                findings.atStandardPort.append(entry.key)
            }
        }
        return findings
    }

    /// As a host stands in a file: `host`, or `[host]:port` for any port but SSH's own.
    private static func name(of host: String, port: Int) -> [UInt8] {
        Array((port == standardPort ? host : "[\(host)]:\(port)").utf8)
    }

    private static let standardPort = 22
}
