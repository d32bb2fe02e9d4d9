internal import Glibc
internal import PrintModel
internal import Terminal

/// What people look at before they trust a certificate. All its texts are whoever answered's own.
enum CertificateText {
    static func details(
        _ shown: PrinterCertificate, _ certificate: Certificate, now: Timestamp, _ style: Style = .current
    ) -> String {
        var details = Details(shown.printer.rawValue)
        details.add("trust", shown.trust.description, shown.trust == .none ? .red : nil)
        if shown.trust == .none {
            details.add("trusted", "not verified (trust: none)", .red)
        } else {
            details.add("trusted", shown.isTrusted ? "yes" : "no", shown.isTrusted ? .green : .red)
        }
        details.add("why not", shown.problem)
        details.add("subject", certificate.subject)
        details.add("issuer", certificate.isSelfSigned ? "itself (self-signed)" : certificate.issuer)
        details.add("names", certificate.names.joined(separator: ", "))
        details.add("valid from", certificate.notBefore.description + (certificate.notBefore > now ? " (not yet)" : ""))
        let isExpired = certificate.notAfter < now
        details.add("valid until", certificate.notAfter.description + (isExpired ? " (expired)" : ""), isExpired ? .red : nil)
        details.add("key", certificate.key)
        if case .pinned(let pins) = shown.trust, !pins.contains(certificate.keyFingerprint) {
            for pin in pins { add("old key's SHA-256", pin, to: &details) }
            add("new key's SHA-256", certificate.keyFingerprint, to: &details)
        } else {
            add("key's SHA-256", certificate.keyFingerprint, to: &details)
        }
        add("certificate's SHA-256", certificate.fingerprint, to: &details)
        return details.text(style)
    }

    /// As printers' pages and browsers show it, and as the registry keeps it.
    private static func add(_ label: String, _ fingerprint: Fingerprint, to details: inout Details) {
        details.add(label, withColons(fingerprint))
        details.add("", fingerprint.description)
    }

    static func withColons(_ fingerprint: Fingerprint) -> String {
        fingerprint.octets.map { octet in
            let digits = String(octet, radix: 16, uppercase: true)
            return digits.utf8.count < 2 ? "0\(digits)" : digits
        }.joined(separator: ":")
    }

    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
