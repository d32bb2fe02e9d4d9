import CKioskOpenSSLLoader
import KioskAPIMessages

/// OpenSSL's TLS client, loaded when the first connection over TLS is opened.
enum LoadedOpenSSL {
    /// The library, or why it cannot be used. It is loaded once and for good.
    static let library: Result<copenssl_library, Unusable> = {
        var library = copenssl_library()
        if let reason = copenssl_load(&library) { return .failure(Unusable(reason: String(cString: reason))) }
        return .success(library)
    }()

    struct Unusable: Error {
        var reason: String
    }
}

extension copenssl_library {
    /// The text of the oldest error, which is the cause. Empties the queue of errors.
    var reason: String {
        let code = ERR_get_error()
        defer { ERR_clear_error() }
        guard code != 0 else { return "OpenSSL gives no reason" }
        guard let text = ERR_reason_error_string(code) else { return "OpenSSL error \(String(code, radix: 16))" }
        return String(cString: text)
    }

    /// Why a certificate was not verified: X509_V_ERR_….
    func verificationReason(_ code: Int) -> String {
        X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "X.509 verification error \(code)"
    }

    /// The SHA-256 fingerprints of a certificate's public key (DER SubjectPublicKeyInfo) and of all of it.
    func fingerprints(of certificate: OpaquePointer) -> (key: Fingerprint, certificate: Fingerprint)? {
        guard let key = fingerprint({ i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }),
            let whole = fingerprint({ i2d_X509(certificate, $0) })
        else { return nil }
        return (key, whole)
    }

    /// The fingerprint of what an i2d function writes: i2d_X509(3).
    private func fingerprint(
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> Fingerprint? {
        let length = write(nil)
        guard length > 0 else { return nil }
        var encoded = [UInt8](repeating: 0, count: Int(length))
        encoded.withUnsafeMutableBufferPointer { space in
            var end = space.baseAddress
            _ = write(&end)
        }
        var digest = [UInt8](repeating: 0, count: Fingerprint.length)
        var count: UInt32 = 0
        guard EVP_Digest(encoded, encoded.count, &digest, &count, EVP_sha256(), nil) == 1 else { return nil }
        return Fingerprint(octets: digest)
    }
}
