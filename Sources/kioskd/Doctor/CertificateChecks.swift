import Glibc
import KioskAPI
import KioskPrintModel
import KioskPrinterRegistry
import KioskTLS

/// When certificates end: the server's, and those with which printers are logged in to; and whether the server's still
/// has the machine's names and addresses.
struct CertificateChecks {
    let installation: Installation

    private static let warningDays: Int64 = 21
    private static let day: Int64 = 86_400_000

    func findings() async -> [DoctorFinding] { await server + clients() }

    private var server: [DoctorFinding] {
        switch installation.certificate {
        case .given(let path, let key):
            return ends(of: path, key, "server-certificate", command: nil) + unreadable([path, key].compactMap(\.self))
        case .own(let folder, _):
            let path = "\(folder)/certificate.pem"
            guard FileFacts(path) != nil else { return [] }
            // kioskd makes another, for the same key, when it starts.
            let restart = installation.isPrivate ? "" : " && systemctl try-restart kioskd"
            let command = ShellCommand.line("rm", path) + restart
            let findings = ends(of: path, "\(folder)/key.pem", "server-certificate", command: command)
            return findings + (findings.isEmpty ? names(of: path, key: "\(folder)/key.pem", command) : [])
        }
    }

    /// Root can read what the daemon cannot.
    private func unreadable(_ paths: [String]) -> [DoctorFinding] {
        guard installation.user != geteuid() else { return [] }
        return paths.filter { FileFacts($0) != nil && !RegistryCheck.mayRead($0, installation.user) }.map { path in
            .init(
                group: .certificates, code: "server-certificate-unreadable", status: .critical, subject: path,
                message:
                    "user \(installation.user), as whom kioskd runs, cannot read \(path); give it to this user, or to a group of theirs",
                command: nil)
        }
    }

    private func ends(
        of path: String, _ key: String?, passphrase: Secret? = nil, _ code: String, command: String?
    ) -> [DoctorFinding] {
        let certificate: Certificate
        do {
            certificate = try TLSIdentity.load(
                .init(path: path, keyPath: key, passphrase: passphrase), ignoringDates: true
            ).certificate
        } catch {
            return [
                .init(
                    group: .certificates, code: "\(code)-unusable", status: .critical, subject: path,
                    message: "the certificate \(path) cannot be used: \(error)", command: command)
            ]
        }
        let rest = certificate.notAfter.millisecondsSince1970 - Timestamp.now.millisecondsSince1970
        guard rest < Self.warningDays * Self.day else { return [] }
        let next = command == nil ? "; put a new one there" : "; kioskd makes another when it starts anew"
        return [
            .init(
                group: .certificates, code: rest < 0 ? "\(code)-expired" : "\(code)-expires",
                status: rest < 0 ? .critical : .warning, subject: path,
                message:
                    "the certificate \(path) \(rest < 0 ? "ended" : "ends") on \(certificate.notAfter)\(next)",
                command: command)
        ]
    }

    /// A machine that got another address is not recognised by clients that use it.
    private func names(of path: String, key: String, _ command: String) -> [DoctorFinding] {
        guard
            let certificate = try? TLSIdentity.load(.init(path: path, keyPath: key), ignoringDates: true).certificate
        else { return [] }
        let missing = MachineNames.current().certificateNames(and: []).filter { !certificate.names.contains($0) }
        guard !missing.isEmpty else { return [] }
        return [
            .init(
                group: .certificates, code: "server-certificate-names", status: .warning, subject: path,
                message:
                    "the server's certificate does not name \(missing.joined(separator: ", ")); kioskd makes another when it starts anew",
                command: command)
        ]
    }

    private func clients() async -> [DoctorFinding] {
        guard let registry = RegistryChecks.registry(of: installation) else { return [] }
        let secrets = SecretStore(installation.paths, user: installation.user)
        var findings: [DoctorFinding] = []
        for name in Set(registry.printers.compactMap(\.credentials)).sorted() {
            guard let certificate = try? await secrets.credentials(named: name).clientCertificate else { continue }
            findings += ends(
                of: certificate.path, certificate.keyPath, passphrase: certificate.passphrase, "client-certificate",
                command: nil)
        }
        return findings
    }
}
