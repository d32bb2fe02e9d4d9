import Digests
import PrintModel

extension HostKey {
    /// Of a key that stands in a file.
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

    /// For sentences: its type, and its fingerprint as `ssh-keygen -l` prints it.
    var summary: String { "\(algorithm) \(fingerprint.openSSH)" }
}
