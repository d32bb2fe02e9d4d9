import COpenSSL

/// A message digest by the system's OpenSSL, fed piece by piece. Used by one task at a time.
package final class MessageDigest {
    private let context: OpaquePointer

    package enum Algorithm: String, Sendable {
        /// FIPS 180-4.
        case sha256 = "SHA-256"
        /// RFC 1321; for HTTP's Digest login only, which older printers still speak.
        case md5 = "MD5"

        fileprivate var implementation: OpaquePointer? {
            switch self {
            case .sha256: EVP_sha256()
            case .md5: EVP_md5()
            }
        }
    }

    /// Throws where OpenSSL's configuration does not offer the algorithm (FIPS mode has no MD5).
    package init(_ algorithm: Algorithm) throws(DigestError) {
        guard let context = EVP_MD_CTX_new() else { throw DigestError(message: "OpenSSL has no memory for a digest") }
        guard EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1 else {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
            throw DigestError(
                message: "OpenSSL offers no \(algorithm.rawValue); look at its provider configuration (openssl.cnf)"
            )
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// The digest of all that was fed; nothing may be fed afterwards.
    package func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_DigestFinal_ex(context, &digest, &count)
        return Array(digest.prefix(Int(count)))
    }

    /// As `finish`, in lower-case hexadecimal.
    package func hexadecimal() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: finish().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    package static func hexadecimal(_ algorithm: Algorithm, of bytes: [UInt8]) throws(DigestError) -> String {
        let digest = try MessageDigest(algorithm)
        digest.update(bytes)
        return digest.hexadecimal()
    }
}

/// Why OpenSSL gives no digest.
package struct DigestError: Error, Sendable {
    package var message: String
}
