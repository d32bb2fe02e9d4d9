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
                        command: ShellCommand.advised(in: message)))
            }
        }
        return findings
    }

    /// A new key beside the old one, and its name in the secrets file. Its public half has to go to the host.
    private func rsa(_ key: Credentials.PrivateKey, _ name: String) throws -> [DoctorFinding] {
        guard let warning = try PrivateKeyFile.check(key) else { return [] }
        let new = "\(key.path)_ed25519"
        let secrets = installation.paths.secrets
        let edit = "s|private-key: *\\(.*/\\)\\{0,1\\}\(Folder.name(of: key.path)) *$|private-key: \(new)|"
        let make = ShellCommand.line("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", new)
        return [
            .init(
                group: .ssh, code: "ssh-key-rsa", status: .warning, subject: key.path,
                message: "\(warning); then add \(new).pub to the host's authorized_keys",
                command:
                    "\(make) && \(ShellCommand.line("chown", "\(installation.user)", new)) && \(ShellCommand.line("sed", "-i", edit, secrets))"
            )
        ]
    }
}
