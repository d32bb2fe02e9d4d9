import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// The printers whose credentials cannot be used, with the reason; no secret leaves this.
    func unusableCredentials() async -> [PrinterID: String] {
        guard let credentials else { return [:] }
        var read: [String: Result<Credentials, any Error>] = [:]
        for name in Set(snapshot.printers.compactMap(\.credentials)) {
            do {
                read[name] = .success(try await credentials.credentials(named: name))
            } catch {
                read[name] = .failure(error)
            }
        }
        var problems: [PrinterID: String] = [:]
        for printer in snapshot.printers {
            guard let name = printer.credentials, let result = read[name] else { continue }
            do {
                try result.get().check(named: name, for: printer.url)
            } catch {
                problems[printer.id] = "\(error)"
            }
        }
        return problems
    }

    /// What of a printer's trust and login an admin should know at all times, whether the printer prints or not.
    func securityChecks(
        _ printer: SavedPrinter, _ obstacle: Obstacle?, _ unusable: [PrinterID: String]
    ) -> [HealthReport.Check] {
        let subject = printer.id.rawValue
        var checks: [HealthReport.Check] = []
        if let problem = unusable[printer.id], obstacle?.code != .credentialsUnusable {
            checks.append(
                .init(
                    code: "credentials-unusable", subject: subject, status: .warning,
                    message: "\(printer.id) cannot be logged in to: \(problem)".withoutControlCharacters))
        }
        if printer.trust == Trust.none {
            // Over plain ipp:// there mostly is no certificate to pin.
            let advice =
                printer.url.scheme == .ipp
                ? "save it with an ipps:// URL"
                : "pin its \(printer.url.scheme.identityNoun) with: kioskctl printers trust \(printer.id)"
            checks.append(
                .init(
                    code: "trust-none", subject: subject, status: .warning,
                    message:
                        "\(printer.id) is not verified: whoever answers at \(printer.url) gets its documents and logins; \(advice)"
                ))
        }
        if printer.allowsPlainLogin == true, printer.trust == Trust.none, printer.url.scheme == .ipps {
            checks.append(
                .init(
                    code: "login-without-tls", subject: subject, status: .warning,
                    message:
                        "\(printer.id) may be logged in to without being verified: whoever answers in its place gets its password; pin its certificate with: kioskctl printers trust \(printer.id), or take login-without-tls from it"
                ))
        }
        if printer.allowsPlainLogin == true, printer.url.scheme == .ipp {
            checks.append(
                .init(
                    code: "login-without-tls", subject: subject, status: .warning,
                    message:
                        "\(printer.id) may be logged in to without TLS: others on the network can read its password; use an ipps:// URL, or take login-without-tls from it"
                ))
        }
        return checks
    }
}
