package import PrintModel
internal import Digests

extension HostKey {
    /// Reads a public key as it is on the wire (RFC 4253 §6.6): its first string names its type. Nil for what is none.
    package init?(wire octets: [UInt8]) {
        var reader = WireReader(octets)
        guard let name = reader.string(), !name.isEmpty, name.count <= 64, let digest = try? MessageDigest(.sha256) else { return nil }
        digest.update(octets)
        guard let fingerprint = Fingerprint(octets: digest.finish()) else { return nil }
        self.init(algorithm: String(decoding: name, as: UTF8.self), fingerprint: fingerprint)
    }
}
