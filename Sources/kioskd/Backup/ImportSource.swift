import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskBackup
import KioskPrintModel
import KioskPrinterRegistry
import KioskTLS

/// An export that was read and checked as a whole: nothing of it is used before. Blocks, for the passphrase tenths of a
/// second.
struct ImportSource: Sendable {
    let document: ExportDocument
    let printers: [SavedPrinter]
    let roles: [Role]
    /// Whether there are secrets, opened or not.
    let hasSecrets: Bool
    /// Nil where no passphrase was given.
    let secrets: Secrets?

    struct Secrets: Sendable {
        var logins: [String: ExportedLogin]
        var tokens: [StoredToken]
        var certificate: ExportedCertificate?
        /// How much of each.
        var summary: String
    }

    /// Throws `BackupError` with what is wrong.
    init(_ file: [UInt8], passphrase: Secret?) throws {
        let export = try ExportFile(file)
        document = export.document
        hasSecrets = export.hasSecrets
        printers = try document.printers.sorted { $0.key < $1.key }.map { text, change in
            guard let id = PrinterID(rawValue: text) else {
                throw BackupError("\"\(text.shown)\" in it is not a printer's id; \(Self.nameRule)")
            }
            return change.printer(id: id, over: nil)
        }
        roles = try document.roles.sorted { $0.key < $1.key }.map { text, change in
            guard let name = RoleName(rawValue: text) else {
                throw BackupError("\"\(text.shown)\" in it is not a role's name; \(Self.nameRule)")
            }
            return change.role(name: name)
        }
        do throws(RegistryError) {
            _ = try Registry().merging(printers: printers, roles: roles)
        } catch {
            throw BackupError("its printers and roles are not valid: \(error.message)")
        }
        for (path, text) in document.trustFiles {
            guard path.hasPrefix("/"), !path.hasControlCharacters, text.utf8.count <= BackupPlaces.maximumTrustFile
            else {
                throw BackupError(
                    "the file \"\(path.shown)\" in it has no absolute path, or more than \(BackupPlaces.maximumTrustFile) bytes; export again"
                )
            }
        }
        guard let passphrase else { secrets = nil; return }
        secrets = try Self.checked(export.secrets(passphrase))
    }

    private static let nameRule = "write words of lower-case letters and digits joined by hyphens"
    /// As in secrets.yaml.
    private static let maximumText = 4096

    private static func checked(_ secrets: ExportedSecrets) throws(BackupError) -> Secrets {
        for (name, login) in secrets.logins {
            let texts = [login.user, login.password, login.token, login.passphrase, login.agent].compactMap(\.self)
            let files = [login.clientCertificate, login.clientKey, login.privateKey].compactMap(\.self)
            guard SecretStore.isName(name),
                texts.allSatisfy({ !$0.hasControlCharacters && $0.utf8.count <= maximumText }),
                files.allSatisfy({ $0.count <= BackupPlaces.maximumKeyFile }),
                login.agent.map({ $0 == "true" || $0.hasPrefix("/") }) ?? true
            else { throw BackupError("the login \"\(name.shown)\" among its secrets is not valid; export it again") }
        }
        if let certificate = secrets.certificate {
            let (text, key) = (Array(certificate.certificate.utf8), Array(certificate.key.utf8))
            guard max(text.count, key.count) <= ServerCertificate.maximumLength else {
                throw BackupError("the certificate among its secrets is too long; export it again")
            }
            guard TLSIdentity.isPair(certificate: text, key: key) else {
                throw BackupError("the certificate among its secrets does not fit its key; export it again")
            }
        }
        var tokens: [StoredToken] = []
        for token in secrets.tokens {
            let scopes = token.scopes.compactMap { TokenScope(rawValue: $0) }
            guard scopes.count == token.scopes.count else {
                throw BackupError(
                    "the token \"\(token.name.shown)\" among its secrets has a scope that this kioskd does not know; install a newer kioskd, or export without it"
                )
            }
            tokens.append(
                StoredToken(
                    AccessToken(
                        id: 0, name: token.name, scopes: Set(scopes), createdAt: token.createdAt,
                        expiresAt: token.expiresAt, origins: token.origins,
                        createdBy: token.createdBy.withoutControlCharacters.prefix(utf8Count: 255)),
                    sha256: token.sha256))
        }
        return Secrets(
            logins: secrets.logins, tokens: tokens, certificate: secrets.certificate, summary: secrets.summary)
    }
}

extension String {
    fileprivate var shown: String { withoutControlCharacters.prefix(utf8Count: 80) }
}
