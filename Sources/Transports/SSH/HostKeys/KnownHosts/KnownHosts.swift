import KioskPrintModel

/// The contents of a file in the format of OpenSSH's known_hosts (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT").
///
/// This folder needs nothing but PrintModel, so that it can be fuzzed alone.
package struct KnownHosts: Hashable, Sendable {
    /// The lines, in the file's order.
    package var entries: [KnownHostsEntry]

    package init(entries: [KnownHostsEntry]) { self.entries = entries }

    /// The keys found for one host.
    package struct Findings: Hashable, Sendable {
        package var known: [KnownHostKey] = []
        /// Keys that must not be trusted, even if they are known as well.
        package var revoked: [KnownHostKey] = []
        /// Keys known for the host at SSH's standard port when another port was looked up: they are not trusted.
        package var atStandardPort: [KnownHostKey] = []
    }

    /// Finds all keys of a host. `host`: in lower case, an IPv6 address without brackets. `hmac`: HMAC-SHA1 (RFC
    /// 2104), with which names are hashed. Lines of certificate authorities (`@cert-authority`) are ignored, since we
    /// support no host certificates.
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

    /// The host's name in a file: `host`, or `[host]:port` for any port but SSH's own.
    private static func name(of host: String, port: Int) -> [UInt8] {
        Array((port == standardPort ? host : "[\(host)]:\(port)").utf8)
    }

    private static let standardPort = 22

    /// Parses a file's octets. Skips lines that cannot be read, as OpenSSH does. Accepts more than OpenSSH in two
    /// ways: a tab may follow a marker, and keys may have an unknown type.
    package init(parsing octets: [UInt8]) {
        entries = octets.split(separator: UInt8(ascii: "\n")).compactMap(Self.entry)
    }

    /// Parses a line; nil for an empty line, a comment, and what cannot be read.
    private static func entry(_ line: ArraySlice<UInt8>) -> KnownHostsEntry? {
        guard !line.contains(0) else { return nil }
        var rest = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        guard var field = nextField(&rest), field.first != UInt8(ascii: "#") else { return nil }
        var marker: KnownHostsEntry.Marker?
        if field.first == UInt8(ascii: "@") {
            marker = KnownHostsEntry.Marker(rawValue: String(decoding: field, as: UTF8.self))
            guard marker != nil, let hosts = nextField(&rest), hosts.first != UInt8(ascii: "@") else { return nil }
            field = hosts
        }
        guard let hosts = KnownHostNames(field), let algorithm = nextField(&rest), let key = nextField(&rest),
            let octets = Base64.decode(key, strict: true), let key = KnownHostKey(octets),
            key.algorithm.utf8.elementsEqual(algorithm)
        else { return nil }
        return KnownHostsEntry(marker: marker, hosts: hosts, key: key)
    }

    /// Takes the field before the next space or tab. What follows the last field is a comment.
    private static func nextField(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        func isSpace(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t") }
        rest = rest.drop(while: isSpace)
        let field = rest.prefix { !isSpace($0) }
        rest = rest.dropFirst(field.count)
        return field.isEmpty ? nil : field
    }
}

/// A line of a known_hosts file that is neither empty nor a comment.
package struct KnownHostsEntry: Hashable, Sendable {
    package var marker: Marker?
    package var hosts: KnownHostNames
    package var key: KnownHostKey

    package enum Marker: String, Hashable, Sendable, CaseIterable {
        /// The key must not be trusted for these hosts.
        case revoked = "@revoked"
        /// The key signs the certificates of these hosts.
        case certAuthority = "@cert-authority"
    }

    package init(marker: Marker? = nil, hosts: KnownHostNames, key: KnownHostKey) {
        self.marker = marker
        self.hosts = hosts
        self.key = key
    }

    /// The line as it is written in a file, without its end of line.
    package var line: [UInt8] {
        let fields = [
            marker.map { Array($0.rawValue.utf8) }, hosts.text, Array(key.algorithm.utf8),
            Array(Base64.encode(key.octets).utf8),
        ]
        return Array(fields.compactMap(\.self).joined(separator: [UInt8(ascii: " ")]))
    }
}

/// A host's public key in a known_hosts file.
package struct KnownHostKey: Hashable, Sendable {
    /// The name of its type, with which its octets begin as well.
    package let algorithm: String
    /// The key in its wire format (RFC 4253 §6.6).
    package let octets: [UInt8]

    /// Returns nil if the octets do not begin with the name of a type.
    package init?(_ octets: [UInt8]) {
        guard octets.count >= 4 else { return nil }
        let length = octets[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // RFC 4251 §6 bounds names at 64.
        guard (1...64).contains(length), octets.count > 4 + Int(length) else { return nil }
        let name = octets[4..<4 + Int(length)]
        guard name.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        algorithm = String(decoding: name, as: UTF8.self)
        self.octets = octets
    }
}
