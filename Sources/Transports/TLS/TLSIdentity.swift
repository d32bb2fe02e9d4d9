package import PrintModel
internal import COpenSSL

/// Our own certificate, its key and its chain.
package final class TLSIdentity: Sendable {
    /// What others will see of us.
    package let certificate: Certificate

    init(certificate: Certificate) {
        self.certificate = certificate
    }
}

extension TLSIdentity {
    /// Reads it from a PKCS#12 or PEM file, whichever the content is. Blocks on files. Throws `.badIdentity`, whose
    /// reason names the file and what to do.
    package static func load(_ source: Credentials.ClientCertificate) throws(TLSError) -> TLSIdentity {
        throw TLSError(.badIdentity, reason: "\(source.path) cannot be read yet")
    }
}
