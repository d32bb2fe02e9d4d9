import PrintModel

extension RegistryRules {
    /// Over `ipp` too, TLS may be asked for in the connection (RFC 2817), and then shows a certificate.
    private static let certificateSchemes: [PrinterURL.Scheme] = [.ipp, .ipps]

    /// What of a printer's trust and login does not go with its URL: a setting that does nothing would look like one
    /// that protects.
    static func trustViolations(of printer: SavedPrinter, path: String) -> [Violation] {
        guard !certificateSchemes.contains(printer.url.scheme) else { return [] }
        var found: [Violation] = []
        if printer.trust != nil {
            found.append(Violation(
                path: "\(path).trust",
                message: "the printer \"\(printer.id)\" shows no certificate over \(printer.url.scheme), so there is nothing to trust",
                instead: "an ipps:// url, or remove the key"))
        }
        if printer.allowsPlainLogin == true {
            found.append(Violation(
                path: "\(path).login-without-tls",
                message: "the printer \"\(printer.id)\" has no login over HTTP at \(printer.url.scheme)", instead: "no such key"))
        }
        return found
    }
}
