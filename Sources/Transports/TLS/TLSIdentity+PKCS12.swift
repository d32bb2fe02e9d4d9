import COpenSSL
import PrintModel

// PKCS#12 (RFC 7292).
extension TLSIdentity {
    static func fromPKCS12(
        _ file: FileContent, _ source: Credentials.ClientCertificate
    ) throws(TLSError) -> TLSIdentity {
        let path = source.path
        guard let container = try file.withBIO({ d2i_PKCS12_bio($0, nil) }) else {
            throw .identity(path, "is neither PKCS#12 nor PEM; name one that has a certificate and its key")
        }
        defer { PKCS12_free(container) }
        let passphrase = try openingPassphrase(container, source)
        var (key, x509, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        let isRead = passphrase.withPassphrase { PKCS12_parse(container, $0, &key, &x509, &others) } == 1
        // Whatever came is ours, even beside a failure.
        let ownKey = key.map(OpenSSLReference.key)
        let own = x509.map(OpenSSLReference.x509)
        let chain = takeAll(others)
        guard isRead else { throw unreadable(path, source.passphrase != nil) }
        guard let own else { throw .identity(path, "holds no certificate that goes with a key; export both together") }
        guard let ownKey else { throw .identity(path, "holds no key; export it with the certificate") }
        return try TLSIdentity(x509: own, key: ownKey, chain: chain, file: path)
    }

    /// The passphrase that its MAC confirms. RFC 7292 tells no passphrase and an empty one apart, exporting programs do
    /// not.
    private static func openingPassphrase(
        _ container: OpaquePointer, _ source: Credentials.ClientCertificate
    ) throws(TLSError) -> String? {
        let given = source.passphrase?.reveal()
        // PKCS12_parse(3) would refuse it as well.
        guard PKCS12_mac_present(container) == 1 else {
            throw .identity(source.path, "has no MAC, so that anybody could have changed it; export it again with one")
        }
        let candidates: [String?] = given.map { $0.isEmpty ? ["", nil] : [$0] } ?? [nil, ""]
        for candidate in candidates
        where candidate.withPassphrase({ PKCS12_verify_mac(container, $0, -1) }) == 1 {
            return candidate
        }
        let errors = OpenSSLErrors.drain()
        guard !errors.isUnsupported else { throw .legacy(source.path, errors) }
        throw source.passphrase == nil
            ? .identity(source.path, "needs a passphrase, and none is saved for it; add one to its credentials")
            : .identity(
                source.path, "cannot be opened with the passphrase that is saved for it; correct the passphrase")
    }

    private static func unreadable(_ path: String, _ hasPassphrase: Bool) -> TLSError {
        let errors = OpenSSLErrors.drain()
        if errors.isUnsupported { return .legacy(path, errors) }
        return .identity(path, "is damaged (\(errors.words)); export it again", native: errors.first)
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

extension TLSError {
    /// RC2-40 and single DES are read by OpenSSL 3's legacy provider alone, which is not loaded: converting once is
    /// safer.
    fileprivate static func legacy(_ path: String, _ errors: OpenSSLErrors) -> TLSError {
        .identity(
            path,
            "is encrypted in an outdated way that OpenSSL 3 does not read (\(errors.words)); convert it "
                + "and name the new file instead: openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem",
            native: errors.first)
    }
}

extension OpenSSLErrors {
    /// An algorithm that no loaded provider offers.
    fileprivate var isUnsupported: Bool {
        contains(reason: Int32(ERR_R_UNSUPPORTED))
            || contains(library: ERR_LIB_EVP, reason: EVP_R_UNSUPPORTED_ALGORITHM)
    }
}

extension String? {
    /// Lends the C string, or NULL; the copy is wiped afterwards.
    fileprivate func withPassphrase<Value>(_ work: (UnsafePointer<CChar>?) -> Value) -> Value {
        guard let self else { return work(nil) }
        var text = Array(self.utf8CString)
        return text.withUnsafeMutableBufferPointer { text in
            defer { OPENSSL_cleanse(text.baseAddress, text.count) }
            return work(UnsafePointer(text.baseAddress))
        }
    }
}
