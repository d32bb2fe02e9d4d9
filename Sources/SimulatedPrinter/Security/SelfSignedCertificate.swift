import CKioskOpenSSL

/// A new key (EC P-256) with a self-signed certificate, as printers create them when they are first switched on.
struct SelfSignedCertificate {
    /// The unencrypted key and the certificate.
    let pem: [UInt8]

    /// Seconds.
    private static let validity = 3650 * 86_400
    /// Seconds by which the validity begins earlier, for clients with slow clocks.
    private static let clockTolerance = 86_400

    /// `names` are host names and addresses. The first one becomes the subject's common name.
    init(names: [String]) throws(SimulatedPrinterError) {
        let key = try Self.makeKey()
        defer { EVP_PKEY_free(key) }
        let certificate = try Self.check(X509_new(), "X509_new")
        defer { X509_free(certificate) }
        try Self.setFields(of: certificate, subject: names.first ?? "localhost")
        try Self.check(X509_set_pubkey(certificate, key), "X509_set_pubkey")
        try Self.addExtension(to: certificate, NID_basic_constraints, "critical,CA:FALSE")
        try Self.addExtension(to: certificate, NID_key_usage, "critical,digitalSignature")
        try Self.addExtension(to: certificate, NID_ext_key_usage, "serverAuth")
        let alternativeNames = names.map(Self.alternativeName).joined(separator: ",")
        try Self.addExtension(to: certificate, NID_subject_alt_name, alternativeNames)
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw Self.failure("X509_sign") }
        pem = try Self.write(key, certificate)
    }

    private static func makeKey() throws(SimulatedPrinterError) -> OpaquePointer {
        let context = try check(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EVP_PKEY_CTX_new_from_name")
        defer { EVP_PKEY_CTX_free(context) }
        try check(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        try check(EVP_PKEY_CTX_set_group_name(context, "P-256"), "EVP_PKEY_CTX_set_group_name")
        var key: OpaquePointer?
        try check(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        return try check(key, "EVP_PKEY_generate")
    }

    private static func setFields(of certificate: OpaquePointer, subject: String) throws(SimulatedPrinterError) {
        // X.509 version 3 is encoded as 2 (RFC 5280 §4.1.2.1).
        try check(X509_set_version(certificate, 2), "X509_set_version")
        // The serial number is positive and has at most 20 octets (RFC 5280 §4.1.2.2).
        let number = UInt64.random(in: 1...UInt64(Int64.max))
        try check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number), "ASN1_INTEGER_set_uint64")
        _ = try check(X509_gmtime_adj(X509_getm_notBefore(certificate), -clockTolerance), "X509_gmtime_adj")
        _ = try check(X509_gmtime_adj(X509_getm_notAfter(certificate), validity), "X509_gmtime_adj")
        let name = X509_get_subject_name(certificate)
        for (field, text) in [("O", "Simulated printer"), ("CN", subject)] {
            let added = X509_NAME_add_entry_by_txt(
                name, field, MBSTRING_FLAG, Array(text.utf8), Int32(clamping: text.utf8.count), -1, 0)
            try check(added, "X509_NAME_add_entry_by_txt")
        }
        try check(X509_set_issuer_name(certificate, name), "X509_set_issuer_name")
    }

    private static func alternativeName(_ name: String) -> String {
        let isAddress = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
        return "\(isAddress ? "IP" : "DNS"):\(name)"
    }

    private static func addExtension(
        to certificate: OpaquePointer, _ kind: Int32, _ value: String
    ) throws(SimulatedPrinterError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
        let addition = try check(X509V3_EXT_conf_nid(nil, &context, kind, value), "X509V3_EXT_conf_nid")
        defer { X509_EXTENSION_free(addition) }
        try check(X509_add_ext(certificate, addition, -1), "X509_add_ext")
    }

    private static func write(
        _ key: OpaquePointer, _ certificate: OpaquePointer
    ) throws(SimulatedPrinterError) -> [UInt8] {
        let memory = try check(BIO_new(BIO_s_mem()), "BIO_new")
        defer { BIO_free(memory) }
        try check(PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil), "PEM_write_bio_PrivateKey")
        try check(PEM_write_bio_X509(memory, certificate), "PEM_write_bio_X509")
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
        let count = BIO_read(memory, &bytes, Int32(clamping: bytes.count))
        guard count == bytes.count else { throw failure("BIO_read") }
        return bytes
    }

    private static func check(_ result: Int32, _ call: String) throws(SimulatedPrinterError) {
        guard result == 1 else { throw failure(call) }
    }

    private static func check<Value>(_ result: Value?, _ call: String) throws(SimulatedPrinterError) -> Value {
        guard let result else { throw failure(call) }
        return result
    }

    private static func failure(_ call: String) -> SimulatedPrinterError {
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_get_error(), &text, text.count)
        ERR_clear_error()
        let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return SimulatedPrinterError(
            "OpenSSL cannot create a certificate: \(call) failed (\(reason)). Name a certificate with --certificate.")
    }
}
