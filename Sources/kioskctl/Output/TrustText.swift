import Glibc
import PrintModel
import Terminal

/// What people look at before they trust a certificate or a host key. All its texts are whoever answered's own.
enum TrustText {
    static func details(
        _ shown: PrinterTrust, _ identity: ShownIdentity, now: Timestamp, _ style: Style = .current
    ) -> String {
        var details = Details(shown.printer.rawValue)
        details.add("trust", shown.trust.description, shown.trust == .none ? .red : nil)
        if shown.trust == .none {
            details.add("trusted", "not verified (trust: none)", .red)
        } else {
            details.add("trusted", shown.isTrusted ? "yes" : "no", shown.isTrusted ? .green : .red)
        }
        details.add("why not", shown.problem)
        switch identity {
        case .certificate(let certificate): add(certificate, now: now, to: &details)
        case .hostKey(let key): details.add("host key", key.algorithm)
        }
        if case .pinned(let pins) = shown.trust, !pins.contains(identity.keyFingerprint) {
            for pin in pins { add("old key's SHA-256", pin, as: identity, to: &details) }
            add("new key's SHA-256", identity.keyFingerprint, as: identity, to: &details)
        } else {
            add("key's SHA-256", identity.keyFingerprint, as: identity, to: &details)
        }
        if let certificate = identity.certificate {
            add("certificate's SHA-256", certificate.fingerprint, as: identity, to: &details)
        }
        if let path = identity.hostKey.flatMap({ hostKeyFiles[$0.algorithm] }) {
            details.add("compare there", "ssh-keygen -l -f \(path)")
        }
        return details.text(style)
    }

    /// Where OpenSSH's server keeps its keys (sshd_config(5), "HostKey").
    private static let hostKeyFiles = [
        "ssh-ed25519": "/etc/ssh/ssh_host_ed25519_key.pub", "ecdsa-sha2-nistp256": "/etc/ssh/ssh_host_ecdsa_key.pub",
        "ssh-rsa": "/etc/ssh/ssh_host_rsa_key.pub",
    ]

    private static func add(_ certificate: Certificate, now: Timestamp, to details: inout Details) {
        details.add("subject", certificate.subject)
        details.add("issuer", certificate.isSelfSigned ? "itself (self-signed)" : certificate.issuer)
        details.add("names", certificate.names.joined(separator: ", "))
        details.add("valid from", certificate.notBefore.description + (certificate.notBefore > now ? " (not yet)" : ""))
        let isExpired = certificate.notAfter < now
        details.add(
            "valid until", certificate.notAfter.description + (isExpired ? " (expired)" : ""), isExpired ? .red : nil)
        details.add("key", certificate.key)
    }

    /// As printers' pages and browsers, or ssh-keygen, show it, and as the registry keeps it.
    private static func add(
        _ label: String, _ fingerprint: Fingerprint, as identity: ShownIdentity, to details: inout Details
    ) {
        details.add(label, identity.hostKey == nil ? withColons(fingerprint) : fingerprint.openSSH)
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
