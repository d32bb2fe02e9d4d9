import PrintModel

extension RegistryRules {
    /// Over `ipp` too, TLS may be asked for in the connection (RFC 2817), and then shows a certificate.
    private static let certificateSchemes: [PrinterURL.Scheme] = [.ipp, .ipps]

    /// What of a printer's trust and login does not go with its URL: a setting that does nothing would look like one
    /// that protects.
    static func trustViolations(of printer: SavedPrinter, path: String) -> [Violation] {
        let showsCertificate = certificateSchemes.contains(printer.url.scheme)
        var found: [Violation] = []
        switch printer.trust {
        case nil: break
        case _ where !showsCertificate && printer.url.scheme != .sshLpr:
            found.append(
                Violation(
                    path: "\(path).trust",
                    message:
                        "the printer \"\(printer.id)\" shows no certificate over \(printer.url.scheme), so there is nothing to trust",
                    instead: "an ipps:// url, or remove the key"))
        case .caFile? where !showsCertificate:
            found.append(
                Violation(
                    path: "\(path).trust",
                    message:
                        "the printer \"\(printer.id)\" shows a host key over \(printer.url.scheme), for which no CA vouches",
                    instead: "system, known-hosts:/path/to/known_hosts, sha256:FINGERPRINT, ask or none"))
        case .knownHosts? where showsCertificate:
            found.append(
                Violation(
                    path: "\(path).trust",
                    message:
                        "the printer \"\(printer.id)\" shows a certificate over \(printer.url.scheme), for which no known_hosts file vouches",
                    instead: "system, ca:/path/to/ca.pem, sha256:FINGERPRINT, ask or none"))
        default: break
        }
        guard !showsCertificate else { return found }
        if printer.allowsPlainLogin == true {
            found.append(
                Violation(
                    path: "\(path).login-without-tls",
                    message: "the printer \"\(printer.id)\" has no login over HTTP at \(printer.url.scheme)",
                    instead: "no such key"))
        }
        return found
    }
}
