import CKioskOpenSSL
import Glibc
import KioskPrintModel

// Reading X.509 certificates. Any content can be read, and all texts are bounded.
extension Certificate {
    /// The maximum octets of a distinguished name's text.
    private static var maximumNameLength: Int { 512 }
    /// The maximum octets of a host name (RFC 1035 §2.3.4).
    private static var maximumHostLength: Int { 255 }
    private static var maximumNames: Int { 32 }

    /// Reads `x509`, which stays with the caller. Nil if OpenSSL is out of memory.
    init?(x509: OpaquePointer) {
        defer { OpenSSLErrors.clear() }
        guard let fingerprint = Self.fingerprint(of: x509, i2d_X509),
            let keyFingerprint = Self.keyFingerprint(x509: x509)
        else { return nil }
        let subject = X509_get_subject_name(x509)
        let issuer = X509_get_issuer_name(x509)
        let alternatives = Self.alternativeNames(x509)
        self.init(
            subject: Self.text(subject), issuer: Self.text(issuer),
            names: alternatives.isEmpty ? Self.commonName(subject) : alternatives,
            notBefore: Self.timestamp(X509_get0_notBefore(x509)), notAfter: Self.timestamp(X509_get0_notAfter(x509)),
            fingerprint: fingerprint, keyFingerprint: keyFingerprint,
            isSelfSigned: X509_self_signed(x509, 0) == 1, key: Self.keyDescription(X509_get0_pubkey(x509))
        )
    }

    private static func cleaned(_ octets: some Collection<UInt8>, limit: Int) -> String {
        // In names, OpenSSL escapes control characters but not bidirectional ones.
        String(decoding: octets.prefix(limit), as: UTF8.self).withoutControlCharacters
    }

    private static func text(_ name: OpaquePointer?) -> String {
        guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        X509_NAME_print_ex(bio, name, 0, copenssl_name_flags())
        var octets = [UInt8](repeating: 0, count: maximumNameLength)
        let count = BIO_read(bio, &octets, Int32(octets.count))
        let isTruncated = BIO_ctrl_pending(bio) > 0
        return cleaned(octets.prefix(Int(max(0, count))), limit: maximumNameLength) + (isTruncated ? "…" : "")
    }

    private static func octets(_ text: UnsafePointer<ASN1_STRING>?) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(max(0, ASN1_STRING_length(text))))
    }

    private static func commonName(_ subject: OpaquePointer?) -> [String] {
        let index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(subject, index) else { return [] }
        var utf8: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry))
        guard count >= 0, let utf8 else { return [] }
        defer { CRYPTO_free(utf8, nil, 0) }
        return [cleaned(UnsafeBufferPointer(start: utf8, count: Int(count)), limit: maximumHostLength)]
    }

    private static func alternativeNames(_ x509: OpaquePointer) -> [String] {
        guard let names = X509_get_ext_d2i(x509, NID_subject_alt_name, nil, nil) else { return [] }
        let stack = OpaquePointer(names)
        defer { GENERAL_NAMES_free(stack) }
        var found: [String] = []
        for index in 0..<max(0, copenssl_sk_general_name_num(stack)) where found.count < maximumNames {
            guard let name = copenssl_sk_general_name_value(stack, index) else { continue }
            switch name.pointee.type {
            case GEN_DNS: found.append(cleaned(octets(name.pointee.d.dNSName), limit: maximumHostLength))
            case GEN_IPADD: address(octets(name.pointee.d.iPAddress)).map { found.append($0) }
            default: break
            }
        }
        return found
    }

    private static func address(_ octets: UnsafeBufferPointer<UInt8>) -> String? {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = octets.count == 4 ? AF_INET : AF_INET6
        return text.withUnsafeMutableBufferPointer { text in
            inet_ntop(family, octets.baseAddress, text.baseAddress, socklen_t(text.count)).map { String(cString: $0) }
        }
    }
}

// Validity, fingerprints and the key.
extension Certificate {
    /// The time, or the beginning of 1970 if it is invalid.
    private static func timestamp(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp {
        let unknown = Timestamp(millisecondsSince1970: 0)
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return unknown }
        defer { ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return unknown }
        return Timestamp(millisecondsSince1970: (Int64(days) * 86_400 + Int64(seconds)) * 1000)
    }

    /// The fingerprint for pinning: the SHA-256 of the DER SubjectPublicKeyInfo (RFC 7469 §2.4).
    static func keyFingerprint(x509: OpaquePointer) -> Fingerprint? {
        fingerprint(of: X509_get_X509_PUBKEY(x509), i2d_X509_PUBKEY)
    }

    private static func fingerprint(
        of object: OpaquePointer?,
        _ encode: (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> Fingerprint? {
        var der: UnsafeMutablePointer<UInt8>?
        let count = encode(object, &der)
        guard count > 0, let der else { return nil }
        defer { CRYPTO_free(der, nil, 0) }
        var digest = [UInt8](repeating: 0, count: Fingerprint.length)
        guard EVP_Digest(der, Int(count), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
        return Fingerprint(octets: digest)
    }

    private static func keyDescription(_ key: OpaquePointer?) -> String {
        guard let key else { return "unknown" }
        let kind = EVP_PKEY_get_base_id(key)
        switch kind {
        case NID_rsaEncryption: return "RSA \(EVP_PKEY_get_bits(key))"
        case NID_X9_62_id_ecPublicKey: return "EC \(curve(of: key))"
        case NID_ED25519: return "Ed25519"
        case NID_ED448: return "Ed448"
        default:
            let name = OBJ_nid2sn(kind).map { String(cString: $0) } ?? "unknown"
            return "\(name) \(EVP_PKEY_get_bits(key))"
        }
    }

    private static func curve(of key: OpaquePointer) -> String {
        var name = [CChar](repeating: 0, count: 80)
        guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return "\(EVP_PKEY_get_bits(key))" }
        let known = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        switch known {
        case "prime256v1": return "P-256"
        case "secp384r1": return "P-384"
        case "secp521r1": return "P-521"
        default: return known
        }
    }
}
