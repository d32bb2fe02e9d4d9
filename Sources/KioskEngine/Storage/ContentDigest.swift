internal import COpenSSL

/// SHA-256 (FIPS 180-4) by the system's OpenSSL, fed piece by piece. Used by one task at a time.
final class ContentDigest {
    private let context: OpaquePointer

    init() throws(EngineError) {
        guard let context = EVP_MD_CTX_new() else {
            throw EngineError(.storageFailed, "OpenSSL has no memory for a digest")
        }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw EngineError(.storageFailed, "OpenSSL offers no SHA-256; look at its provider configuration (openssl.cnf)")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// The digest of all that was fed, in lower-case hexadecimal; nothing may be fed afterwards.
    func hexadecimal() -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_DigestFinal_ex(context, &digest, &count)
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.prefix(Int(count)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    static func hexadecimal(of bytes: [UInt8]) throws(EngineError) -> String {
        let digest = try ContentDigest()
        digest.update(bytes)
        return digest.hexadecimal()
    }
}
