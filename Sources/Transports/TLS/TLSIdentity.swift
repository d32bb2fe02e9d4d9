import COpenSSL
package import PrintModel

/// Our own certificate, its key and its chain.
package final class TLSIdentity: Sendable {
    /// What others will see of us.
    package let certificate: Certificate
    let x509: OpenSSLReference
    let key: OpenSSLReference
    /// The issuers to send along.
    let chain: [OpenSSLReference]

    /// `file`: what the reasons name.
    init(x509: OpenSSLReference, key: OpenSSLReference, chain: [OpenSSLReference], file: String) throws(TLSError) {
        guard let certificate = Certificate(x509: x509.pointer) else { throw .outOfMemory }
        self.certificate = certificate
        self.x509 = x509
        self.key = key
        self.chain = chain
        guard X509_check_private_key(x509.pointer, key.pointer) == 1 else {
            OpenSSLErrors.clear()
            throw .identity(file, "has a key that does not belong to its certificate; put both of one pair there")
        }
    }

    /// Throws when the certificate is out of its time.
    private func checkDates(_ file: String) throws(TLSError) {
        // X509_cmp_current_time: negative for a time that is over; 0 for what is no time.
        guard X509_cmp_current_time(X509_get0_notAfter(x509.pointer)) > 0 else {
            throw .identity(
                file, "has a certificate that expired on \(certificate.notAfter); ask who issued it for a new one")
        }
        guard X509_cmp_current_time(X509_get0_notBefore(x509.pointer)) < 0 else {
            throw .identity(
                file,
                "has a certificate that is not valid before \(certificate.notBefore); is this machine's clock right?")
        }
    }
}

extension TLSIdentity {
    /// Reads it from a PKCS#12 or PEM file, whichever the content is. Blocks on files. Throws `.badIdentity`, whose
    /// reason names the file and what to do. `anyTime`: also a certificate that is out of its time, as printers show
    /// them.
    package static func load(
        _ source: Credentials.ClientCertificate, anyTime: Bool = false
    ) throws(TLSError) -> TLSIdentity {
        let file = try FileContent("the certificate file", at: source.path)
        defer { OpenSSLErrors.clear() }
        OpenSSLErrors.clear()
        let identity = file.contains("-----BEGIN ") ? try fromPEM(file, source) : try fromPKCS12(file, source)
        if !anyTime { try identity.checkDates(source.path) }
        return identity
    }
}

extension TLSError {
    /// `words` goes on after the file's name.
    static func identity(_ file: String, _ words: String, native: UInt? = nil) -> TLSError {
        TLSError(.badIdentity, reason: "the certificate file \(file) \(words)", native: native.map { .openSSL($0) })
    }
}
