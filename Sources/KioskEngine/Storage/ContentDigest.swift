import Digests

/// SHA-256, by which contents are compared and found again.
enum ContentDigest {
    static func begin() throws(EngineError) -> MessageDigest {
        do {
            return try MessageDigest(.sha256)
        } catch {
            throw EngineError(.storageFailed, error.message)
        }
    }

    static func hexadecimal(of bytes: [UInt8]) throws(EngineError) -> String {
        let digest = try begin()
        digest.update(bytes)
        return digest.hexadecimal()
    }
}
