import CKioskOpenSSL

/// A self-signed certificate of a server, with its key (EC P-256). It proves nothing by itself: clients pin its key, or
/// a person compares its fingerprint.
package struct SelfSignedCertificate: Sendable {
    /// What the certificate says.
    package struct Content: Hashable, Sendable {
        /// Host names and addresses. The first one becomes the subject's common name.
        package var names: [String]
        /// The subject's organization.
        package var organization: String
        /// The days until it ends.
        package var validDays: Int

        package init(names: [String], organization: String, validDays: Int) {
            self.names = names
            self.organization = organization
            self.validDays = validDays
        }
    }

    /// The unencrypted private key in PEM (RFC 7468).
    package let keyPEM: [UInt8]
    /// The certificate in PEM.
    package let certificatePEM: [UInt8]

    /// Seconds by which the validity begins earlier, for clients with slow clocks.
    private static let clockTolerance = 86_400
    /// The maximum length of a common name (X.520, ub-common-name).
    private static let maximumCommonName = 64

    /// Signs with the key of `keyPEM`, or with a new one where it is nil: a certificate that is renewed keeps its key,
    /// so that pins stay good. Throws `.badIdentity`.
    package init(_ content: Content, keyPEM: [UInt8]? = nil) throws(TLSError) {
        OpenSSLErrors.clear()
        let key = if let keyPEM { try Self.readKey(keyPEM) } else { try Self.makeKey() }
        defer { EVP_PKEY_free(key) }
        let certificate = try Self.check(X509_new(), "X509_new")
        defer { X509_free(certificate) }
        try Self.setFields(of: certificate, content)
        try Self.check(X509_set_pubkey(certificate, key), "X509_set_pubkey")
        try Self.addExtension(to: certificate, NID_basic_constraints, "critical,CA:FALSE")
        try Self.addExtension(to: certificate, NID_key_usage, "critical,digitalSignature")
        try Self.addExtension(to: certificate, NID_ext_key_usage, "serverAuth")
        let alternativeNames = content.names.map(Self.alternativeName).joined(separator: ",")
        try Self.addExtension(to: certificate, NID_subject_alt_name, alternativeNames)
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw Self.failure("X509_sign") }
        self.keyPEM = try Self.pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        certificatePEM = try Self.pem { PEM_write_bio_X509($0, certificate) }
    }

    private static func makeKey() throws(TLSError) -> OpaquePointer {
        let context = try check(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EVP_PKEY_CTX_new_from_name")
        defer { EVP_PKEY_CTX_free(context) }
        try check(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        try check(EVP_PKEY_CTX_set_group_name(context, "P-256"), "EVP_PKEY_CTX_set_group_name")
        var key: OpaquePointer?
        try check(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        return try check(key, "EVP_PKEY_generate")
    }

    private static func readKey(_ pem: [UInt8]) throws(TLSError) -> OpaquePointer {
        let memory = try check(BIO_new_mem_buf(pem, Int32(clamping: pem.count)), "BIO_new_mem_buf")
        defer { BIO_free(memory) }
        // Without the callback, OpenSSL would ask for a passphrase at the terminal.
        return try check(PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil), "PEM_read_bio_PrivateKey")
    }

    private static func setFields(of certificate: OpaquePointer, _ content: Content) throws(TLSError) {
        // X.509 version 3 is encoded as 2 (RFC 5280 §4.1.2.1).
        try check(X509_set_version(certificate, 2), "X509_set_version")
        // The serial number is positive and has at most 20 octets (RFC 5280 §4.1.2.2).
        let number = UInt64.random(in: 1...UInt64(Int64.max))
        try check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number), "ASN1_INTEGER_set_uint64")
        _ = try check(X509_gmtime_adj(X509_getm_notBefore(certificate), -clockTolerance), "X509_gmtime_adj")
        let validity = content.validDays * 86_400
        _ = try check(X509_gmtime_adj(X509_getm_notAfter(certificate), validity), "X509_gmtime_adj")
        let subject = X509_get_subject_name(certificate)
        let commonName = (content.names.first ?? "localhost").utf8.prefix(maximumCommonName)
        for (field, text) in [("O", Array(content.organization.utf8)), ("CN", Array(commonName))] {
            let added = X509_NAME_add_entry_by_txt(
                subject, field, MBSTRING_FLAG, text, Int32(clamping: text.count), -1, 0)
            try check(added, "X509_NAME_add_entry_by_txt")
        }
        try check(X509_set_issuer_name(certificate, subject), "X509_set_issuer_name")
    }

    private static func alternativeName(_ name: String) -> String {
        let isAddress = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
        return "\(isAddress ? "IP" : "DNS"):\(name)"
    }

    private static func addExtension(
        to certificate: OpaquePointer, _ kind: Int32, _ value: String
    ) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
        let addition = try check(X509V3_EXT_conf_nid(nil, &context, kind, value), "X509V3_EXT_conf_nid")
        defer { X509_EXTENSION_free(addition) }
        try check(X509_add_ext(certificate, addition, -1), "X509_add_ext")
    }

    private static func pem(_ write: (OpaquePointer) -> Int32) throws(TLSError) -> [UInt8] {
        let memory = try check(BIO_new(BIO_s_mem()), "BIO_new")
        defer { BIO_free(memory) }
        try check(write(memory), "PEM_write_bio")
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
        let count = BIO_read(memory, &bytes, Int32(clamping: bytes.count))
        guard count == bytes.count else { throw failure("BIO_read") }
        return bytes
    }

    private static func check(_ result: Int32, _ call: String) throws(TLSError) {
        guard result == 1 else { throw failure(call) }
    }

    private static func check<Value>(_ result: Value?, _ call: String) throws(TLSError) -> Value {
        guard let result else { throw failure(call) }
        return result
    }

    private static func failure(_ call: String) -> TLSError {
        let errors = OpenSSLErrors.drain()
        return TLSError(
            .badIdentity, reason: "OpenSSL cannot create a certificate: \(call) failed (\(errors.text))",
            native: errors.native)
    }
}
