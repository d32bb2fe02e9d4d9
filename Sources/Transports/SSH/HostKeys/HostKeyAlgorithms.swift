import KioskDigests
package import KioskPrintModel

/// The types of host keys that are in use, best first (RFC 8709, RFC 5656, RFC 4253).
enum HostKeyAlgorithms {
    /// A server seldom has two keys of one family.
    static let families = [
        ["ssh-ed25519"], ["ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"], ["ssh-rsa"],
    ]

    private static let common = families.flatMap(\.self)

    /// Sorts key types, best first, without duplicates; unknown types follow in their own order.
    static func order(_ types: [String]) -> [String] {
        var rest: [String] = []
        for type in types where !common.contains(type) && !rest.contains(type) { rest.append(type) }
        return common.filter(types.contains) + rest
    }

    /// Adds all other key types behind these, best first. `ssh` requests the same order, so people compare the same key
    /// (libssh2's own order has ECDSA before Ed25519).
    static func preference(_ types: [String]) -> [String] {
        types + common.filter { !types.contains($0) }
    }

    /// The signature algorithms that a handshake names, best first, to get a key of these types before all others: the
    /// supported ones of each type. RSA keys have three (RFC 8332), of which libssh2 supports only the last before
    /// 1.11.
    static func signatures(of types: [String], supported: [String]) -> [String] {
        var order: [String] = []
        for name in types.flatMap({ $0 == "ssh-rsa" ? rsaSignatures : [$0] }) + supported
        where supported.contains(name) && !order.contains(name) { order.append(name) }
        return order
    }

    private static let rsaSignatures = ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"]
}

extension HostKey {
    /// A key from a known_hosts file.
    init(_ key: KnownHostKey) throws(SSHError) {
        let digest: MessageDigest
        do {
            digest = try MessageDigest(.sha256)
        } catch {
            throw SSHError(.unusableTrust, operation: "host key", reason: error.message)
        }
        digest.update(key.octets)
        guard let fingerprint = Fingerprint(octets: digest.finish()) else {
            throw SSHError(.unusableTrust, operation: "host key", reason: "OpenSSL computes no SHA-256")
        }
        self.init(algorithm: key.algorithm, fingerprint: fingerprint)
    }

    /// Reads a public key in its wire format (RFC 4253 §6.6): its first string names its type. Nil for anything else.
    package init?(wire octets: [UInt8]) {
        var reader = WireReader(octets)
        // RFC 4251 §6: at most 64 printable octets.
        guard let name = reader.string(), (1...64).contains(name.count),
            name.allSatisfy({ (0x21...0x7E).contains($0) }),
            let digest = try? MessageDigest(.sha256)
        else { return nil }
        digest.update(octets)
        guard let fingerprint = Fingerprint(octets: digest.finish()) else { return nil }
        self.init(algorithm: String(decoding: name, as: UTF8.self), fingerprint: fingerprint)
    }

    /// The key in messages: its type, and its fingerprint as `ssh-keygen -l` prints it.
    var summary: String { "\(algorithm) \(fingerprint.openSSH)" }
}
