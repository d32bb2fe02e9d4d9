/// One line of a known_hosts file that says something.
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

    /// As it stands in a file, without its end of line.
    package var line: [UInt8] {
        let words = [
            marker.map { Array($0.rawValue.utf8) }, hosts.text, Array(key.algorithm.utf8),
            Base64Text.encode(key.octets),
        ]
        return Array(words.compactMap(\.self).joined(separator: [UInt8(ascii: " ")]))
    }
}

/// A host's public key as a known_hosts file has it.
package struct KnownHostKey: Hashable, Sendable {
    /// The name of its type, which its octets begin with too.
    package let algorithm: String
    /// As on the wire (RFC 4253 §6.6).
    package let octets: [UInt8]

    /// Nil where the octets do not begin with the name of a type.
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
