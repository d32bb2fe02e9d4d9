import CKioskOpenSSL

/// A message digest that the system's OpenSSL computes incrementally. Only one task at a time may use it.
///
/// Once OpenSSL provides the algorithm, no bytes can make it fail: it hashes in memory that it has already. So only
/// `init` throws. Bytes after the end, and a failure of OpenSSL all the same, are bugs that end the process, since a
/// wrong digest could pass for a right one.
package final class MessageDigest {
    private let context: OpaquePointer
    /// The digest, once it is finished.
    private var finished: [UInt8]?

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

    /// Adds the next bytes of the data.
    /// - Precondition: The digest is not finished.
    package func update(_ bytes: [UInt8]) {
        precondition(finished == nil, "a finished digest is given more bytes")
        let result = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(result == 1, "EVP_DigestUpdate failed")
    }

    /// Returns the digest of all data. The first call finishes it; later ones return the same.
    package func finish() -> [UInt8] {
        if let finished { return finished }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let result = EVP_DigestFinal_ex(context, &digest, &count)
        precondition(result == 1, "EVP_DigestFinal_ex failed")
        let octets = Array(digest.prefix(Int(count)))
        finished = octets
        return octets
    }

    /// Returns the digest of all data in lower-case hexadecimal, as `finish` does.
    package func hexadecimal() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: finish().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the digest of these bytes in lower-case hexadecimal.
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
