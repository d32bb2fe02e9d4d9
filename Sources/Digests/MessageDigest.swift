import COpenSSL

/// A message digest that the system's OpenSSL computes incrementally. Only one task at a time may use it.
package final class MessageDigest {
    private let context: OpaquePointer

    package enum Algorithm: String, Sendable {
        /// FIPS 180-4.
        case sha256 = "SHA-256"
        /// RFC 1321. Only for HTTP Digest authentication, which older printers still use.
        case md5 = "MD5"

        fileprivate var implementation: OpaquePointer? {
            switch self {
            case .sha256: EVP_sha256()
            case .md5: EVP_md5()
            }
        }
    }

    /// Throws if OpenSSL's configuration does not provide the algorithm (FIPS mode has no MD5).
    package init(_ algorithm: Algorithm) throws(DigestError) {
        guard let context = EVP_MD_CTX_new() else {
            throw DigestError(message: "OpenSSL is out of memory for a digest")
        }
        guard EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1 else {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
            throw DigestError(
                message: "OpenSSL provides no \(algorithm.rawValue); check its provider configuration (openssl.cnf)"
            )
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// Returns the digest of all data. Do not call `update` afterwards.
    package func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_DigestFinal_ex(context, &digest, &count)
        return Array(digest.prefix(Int(count)))
    }

    /// Returns the digest of all data in lower-case hexadecimal. Do not call `update` afterwards.
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

/// The reason why OpenSSL cannot compute a digest.
package struct DigestError: Error, Sendable {
    package var message: String
}

/// The HMAC of a message (RFC 2104), computed by the system's OpenSSL.
package enum MessageAuthenticationCode {
    /// Returns the HMAC with SHA-1 (FIPS 180-4), 20 octets. Only for OpenSSH's hashed host names.
    package static func sha1(key: [UInt8], of text: [UInt8]) throws(DigestError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard HMAC(EVP_sha1(), key, Int32(clamping: key.count), text, text.count, &code, &count) != nil else {
            ERR_clear_error()
            throw DigestError(
                message: "OpenSSL provides no HMAC with SHA-1; check its provider configuration (openssl.cnf)")
        }
        return Array(code.prefix(Int(count)))
    }
}
