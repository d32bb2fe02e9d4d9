import Glibc
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry
import KioskSSH

/// Whether logins can be read, and whether this libssh2 can use the private keys that they name.
struct SSHChecks {
    let installation: Installation

    func findings() async -> [DoctorFinding] {
        guard let registry = RegistryChecks.registry(of: installation) else { return [] }
        let secrets = SecretStore(installation.paths, user: installation.user)
        var findings: [DoctorFinding] = []
        for name in Set(registry.printers.compactMap(\.credentials)).sorted() {
            do {
                guard let key = try await secrets.credentials(named: name).privateKey else { continue }
                findings += try rsa(key, name)
            } catch {
                let message = (error as? SSHError)?.reason ?? "\(error)"
                findings.append(
                    .init(
                        group: .ssh, code: "credentials-unusable", status: .critical, subject: name,
                        message: "the credentials \"\(name)\" cannot be used: \(message)",
                        command: (error as? CredentialError)?.remedy.map { ShellCommand.line($0) }))
            }
        }
        return findings
    }

    /// A new key beside the old one, which is used until the host knows the new one and the secrets file names it.
    private func rsa(_ key: Credentials.PrivateKey, _ name: String) throws -> [DoctorFinding] {
        guard let warning = try PrivateKeyFile.check(key) else { return [] }
        let new = "\(key.path)_ed25519"
        let make = ShellCommand.line("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", new)
        // Not what a link leads to: the folder may be kioskd's.
        let give = ShellCommand.line("chown", "--no-dereference", "\(installation.user)", new)
        return [
            .init(
                group: .ssh, code: "ssh-key-rsa", status: .warning, subject: key.path,
                message:
                    "\(warning); then add \(new).pub to the host's authorized_keys, and write private-key: \(new) for \"\(name)\" into \(installation.paths.secrets)",
                command: FileFacts(new) == nil ? "\(make) && \(give)" : nil)
        ]
    }
}
