import Digests
package import PrintModel

extension HostKey {
    /// Reads a public key as it is on the wire (RFC 4253 §6.6): its first string names its type. Nil for what is none.
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
}
