import CKioskOpenSSL
import Glibc
package import KioskPrintModel

/// Our own certificate with its key and chain.
package final class TLSIdentity: Sendable {
    /// The certificate that peers see.
    package let certificate: Certificate
    let x509: OpenSSLReference
    let key: OpenSSLReference
    /// The issuers' certificates, sent along.
    let chain: [OpenSSLReference]

    /// The maximum number of certificates in a file. Real chains are much shorter.
    private static let maximumChainLength = 32

    /// `file` is the path that errors name.
    private init(
        x509: OpenSSLReference, key: OpenSSLReference, chain: [OpenSSLReference], file: String
    ) throws(TLSError) {
        guard let certificate = Certificate(x509: x509.pointer) else { throw .outOfMemory(.badIdentity) }
        self.certificate = certificate
        self.x509 = x509
        self.key = key
        self.chain = chain
        guard X509_check_private_key(x509.pointer, key.pointer) == 1 else {
            OpenSSLErrors.clear()
            throw .identity(file, "has a key that does not belong to its certificate; save a matching pair there")
        }
    }

    /// Reads an identity from a PKCS#12 or PEM file; the content tells which. Blocks on files.
    ///
    /// Throws `.badIdentity`, whose reason names the file and what to do. `ignoringDates` accepts a certificate that is
    /// expired or not valid yet, as printers show them.
    package static func load(
        _ source: Credentials.ClientCertificate, ignoringDates: Bool = false
    ) throws(TLSError) -> TLSIdentity {
        let file = try FileContent("the certificate file", at: source.path)
        defer { OpenSSLErrors.clear() }
        OpenSSLErrors.clear()
        let identity = file.contains("-----BEGIN ") ? try fromPEM(file, source) : try fromPKCS12(file, source)
        if !ignoringDates { try identity.checkDates(source.path) }
        return identity
    }

    /// Whether a certificate and a key in PEM can be read and belong together, as `load` finds of their files.
    package static func isPair(certificate: [UInt8], key: [UInt8]) -> Bool {
        guard let file = FileContent(certificate), let keyFile = FileContent(key) else { return false }
        defer { OpenSSLErrors.clear() }
        OpenSSLErrors.clear()
        return (try? fromPEM(file, at: "certificate", keyFile, at: "key", nil)) != nil
    }

    /// Throws if the certificate is expired or not valid yet.
    private func checkDates(_ file: String) throws(TLSError) {
        // X509_cmp_current_time returns a negative number for a time in the past, and 0 for an invalid time.
        guard X509_cmp_current_time(X509_get0_notAfter(x509.pointer)) > 0 else {
            throw .identity(
                file, "has a certificate that expired on \(certificate.notAfter); ask its issuer for a new one")
        }
        guard X509_cmp_current_time(X509_get0_notBefore(x509.pointer)) < 0 else {
            throw .identity(
                file,
                "has a certificate that is not valid before \(certificate.notBefore); check this machine's clock")
        }
    }
}

// PEM (RFC 7468).
extension TLSIdentity {
    private static func fromPEM(
        _ file: FileContent, _ source: Credentials.ClientCertificate
    ) throws(TLSError) -> TLSIdentity {
        let path = source.path
        let keyPath = source.keyPath ?? path
        let keyFile = source.keyPath == nil ? file : try FileContent("the key file", at: keyPath)
        return try fromPEM(file, at: path, keyFile, at: keyPath, source.passphrase)
    }

    private static func fromPEM(
        _ file: FileContent, at path: String, _ keyFile: FileContent, at keyPath: String, _ passphrase: Secret?
    ) throws(TLSError) -> TLSIdentity {
        var certificates = try file.certificates(at: path, atMost: maximumChainLength)
        guard !certificates.isEmpty else { throw .identity(path, "holds no certificate; put it before its key") }
        let key = try readKey(keyFile, at: keyPath, passphrase)
        // The key tells which certificate is ours; their order does not matter. If none matches, the first one fails.
        let index = certificates.firstIndex { X509_check_private_key($0.pointer, key.pointer) == 1 } ?? 0
        OpenSSLErrors.clear()
        let own = certificates.remove(at: index)
        return try TLSIdentity(x509: own, key: key, chain: certificates, file: path)
    }

    private static func readKey(
        _ file: FileContent, at path: String, _ passphrase: Secret?
    ) throws(TLSError) -> OpenSSLReference {
        let request = PassphraseRequest(passphrase)
        let key = try file.withBIO { bio in
            PEM_read_bio_PrivateKey(bio, nil, PassphraseRequest.callback, Unmanaged.passUnretained(request).toOpaque())
        }
        if let key { return .key(key) }
        let errors = OpenSSLErrors.drain()
        func error(_ text: String) -> TLSError {
            TLSError(.badIdentity, reason: "the key file \(path) \(text)", native: errors.native)
        }
        guard request.wasCalled else {
            throw file.contains("PRIVATE KEY-----")
                ? error("holds a key that cannot be read (\(errors.text)); export it again")
                : error("holds no private key; add it there, or name the file that has it")
        }
        guard passphrase != nil else {
            throw error("holds an encrypted key, and no passphrase is saved for it; add one to its credentials")
        }
        throw error("holds a key that its saved passphrase does not open (\(errors.text)); correct the passphrase")
    }
}

// PKCS#12 (RFC 7292).
extension TLSIdentity {
    private static func fromPKCS12(
        _ file: FileContent, _ source: Credentials.ClientCertificate
    ) throws(TLSError) -> TLSIdentity {
        let path = source.path
        guard let container = try file.withBIO({ d2i_PKCS12_bio($0, nil) }) else {
            throw .identity(path, "is neither PKCS#12 nor PEM; name one that has a certificate and its key")
        }
        defer { PKCS12_free(container) }
        let passphrase = try verifiedPassphrase(container, source)
        var (key, x509, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        let isRead = passphrase.withCString { PKCS12_parse(container, $0, &key, &x509, &others) } == 1
        // We own the results even if the call failed.
        let ownKey = key.map(OpenSSLReference.key)
        let own = x509.map(OpenSSLReference.x509)
        let chain = takeAll(others)
        guard isRead else {
            let errors = OpenSSLErrors.drain()
            if errors.isUnsupported { throw .legacyEncryption(path, errors) }
            throw .identity(path, "is damaged (\(errors.text)); export it again", native: errors.native)
        }
        guard let own else { throw .identity(path, "holds no certificate that goes with a key; export both together") }
        guard let ownKey else { throw .identity(path, "holds no key; export it with the certificate") }
        return try TLSIdentity(x509: own, key: ownKey, chain: chain, file: path)
    }

    /// The passphrase that the container's MAC confirms. RFC 7292 distinguishes no passphrase from an empty one, but
    /// exporting programs do not.
    private static func verifiedPassphrase(
        _ container: OpaquePointer, _ source: Credentials.ClientCertificate
    ) throws(TLSError) -> String? {
        let saved = source.passphrase?.reveal()
        // PKCS12_parse(3) would refuse it as well.
        guard PKCS12_mac_present(container) == 1 else {
            throw .identity(source.path, "has no MAC, so that anybody could have changed it; export it again with one")
        }
        let candidates: [String?] = saved.map { $0.isEmpty ? ["", nil] : [$0] } ?? [nil, ""]
        for candidate in candidates
        where candidate.withCString({ PKCS12_verify_mac(container, $0, -1) }) == 1 {
            return candidate
        }
        let errors = OpenSSLErrors.drain()
        guard !errors.isUnsupported else { throw .legacyEncryption(source.path, errors) }
        throw source.passphrase == nil
            ? .identity(source.path, "needs a passphrase, and none is saved for it; add one to its credentials")
            : .identity(
                source.path, "cannot be opened with the passphrase that is saved for it; correct the passphrase")
    }

    private static func takeAll(_ stack: OpaquePointer?) -> [OpenSSLReference] {
        guard let stack else { return [] }
        defer { copenssl_sk_x509_pop_free(stack) }
        return (0..<max(0, copenssl_sk_x509_num(stack))).compactMap { index in
            guard let x509 = copenssl_sk_x509_value(stack, index), X509_up_ref(x509) == 1 else { return nil }
            return .x509(x509)
        }
    }
}

/// Answers OpenSSL's request for a passphrase (pem_password_cb(3)). Without it, OpenSSL would ask at the terminal.
private final class PassphraseRequest {
    private let passphrase: Secret?
    private(set) var wasCalled = false

    init(_ passphrase: Secret?) { self.passphrase = passphrase }

    static let callback:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
            buffer, size, _, this in
            guard let this, let buffer else { return -1 }
            let request = Unmanaged<PassphraseRequest>.fromOpaque(this).takeUnretainedValue()
            request.wasCalled = true
            guard let octets = request.passphrase.map({ Array($0.reveal().utf8) }), octets.count <= Int(size) else {
                return -1
            }
            octets.withUnsafeBytes { if let base = $0.baseAddress { memcpy(buffer, base, $0.count) } }
            return Int32(octets.count)
        }
}

extension TLSError {
    /// `text` continues the sentence after the file's name.
    fileprivate static func identity(
        _ file: String, _ text: String, native: TransportError.NativeCode? = nil
    ) -> TLSError {
        TLSError(.badIdentity, reason: "the certificate file \(file) \(text)", native: native)
    }

    /// Only OpenSSL 3's legacy provider reads RC2-40 and single DES. It is not loaded, since converting once is safer.
    fileprivate static func legacyEncryption(_ path: String, _ errors: OpenSSLErrors) -> TLSError {
        .identity(
            path,
            "is encrypted in an outdated way that OpenSSL 3 does not read (\(errors.text)); convert it "
                + "and name the new file instead: openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem",
            native: errors.native)
    }
}

extension OpenSSLErrors {
    /// Whether no loaded provider offers an algorithm.
    fileprivate var isUnsupported: Bool {
        contains(reason: Int32(ERR_R_UNSUPPORTED))
            || contains(library: ERR_LIB_EVP, reason: EVP_R_UNSUPPORTED_ALGORITHM)
    }
}

extension String? {
    /// Calls `body` with the C string, or NULL for nil. Wipes the copy afterwards.
    fileprivate func withCString<Value>(_ body: (UnsafePointer<CChar>?) -> Value) -> Value {
        guard let self else { return body(nil) }
        var text = Array(self.utf8CString)
        return text.withUnsafeMutableBufferPointer { text in
            defer { OPENSSL_cleanse(text.baseAddress, text.count) }
            return body(UnsafePointer(text.baseAddress))
        }
    }
}
