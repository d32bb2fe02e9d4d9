import COpenSSL

/// A keyed digest (HMAC, RFC 2104) by the system's OpenSSL.
package enum MessageAuthentication {
    /// Twenty octets. With SHA-1 (FIPS 180-4), for OpenSSH's hashed host names only.
    package static func sha1(key: [UInt8], of text: [UInt8]) throws(DigestError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard HMAC(EVP_sha1(), key, Int32(clamping: key.count), text, text.count, &code, &count) != nil else {
            ERR_clear_error()
            throw DigestError(
                message: "OpenSSL offers no HMAC with SHA-1; look at its provider configuration (openssl.cnf)")
        }
        return Array(code.prefix(Int(count)))
    }
}
