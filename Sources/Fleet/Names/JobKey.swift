import KioskDigests

/// The key of a job as it stands in subjects: the first 160 bits of SHA-256 over the sender's idempotency key, as 32
/// characters of base32 (RFC 4648 §6) in lower case. So any key makes a legal subject of known length.
package struct JobKey: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    /// The number of its characters.
    package static let length = 32
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The key of the job that a sender knows by `idempotencyKey`: 1 to 255 visible ASCII characters.
    package init(idempotencyKey: String) throws(FleetError) {
        guard (1...255).contains(idempotencyKey.utf8.count),
            idempotencyKey.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw FleetError(.invalidName, "an idempotency key is 1 to 255 visible ASCII characters") }
        do {
            let digest = try MessageDigest(.sha256)
            digest.update(Array(idempotencyKey.utf8))
            text = Base32.encode(digest.finish().prefix(Self.length * 5 / 8)).lowercased()
        } catch {
            throw FleetError(.libraryFailed, error.message)
        }
    }

    /// Reads a key out of a subject; nil where it is none.
    package init?(subjectToken: some StringProtocol) {
        guard subjectToken.utf8.count == Self.length, subjectToken.utf8.allSatisfy(Self.alphabet.contains) else {
            return nil
        }
        text = String(subjectToken)
    }
}
