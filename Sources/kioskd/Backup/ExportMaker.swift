import FoundationEssentials
import Glibc
import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskBackup
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry

/// What an export is made of beside registry and tokens, and where an import writes.
struct BackupPlaces: Sendable {
    let secrets: SecretStore
    /// The folder of `printers.yaml`.
    let registryFolder: String
    /// The folder of the certificate that the daemon makes for itself; nil where the administrator gives one.
    let certificateFolder: String?
    /// Reloads the TCP listener's certificate from that folder.
    let refreshCertificate: @Sendable () -> Void

    /// CA and known_hosts files that were imported.
    var trustFolder: String { "\(registryFolder)/trust" }
    /// Keys and client certificates that were imported.
    var keyFolder: String { "\(Folder.parent(of: secrets.path))/keys" }
    var certificateFile: String? { certificateFolder.map { "\($0)/certificate.pem" } }
    var certificateKeyFile: String? { certificateFolder.map { "\($0)/key.pem" } }

    /// Bytes of a CA or known_hosts file, as they are read for connections.
    static let maximumTrustFile = 1 << 20
    /// Bytes of a login's key or client certificate.
    static let maximumKeyFile = 256 << 10
}

/// Makes exports of a daemon.
struct ExportMaker: Sendable {
    let registry: Registry
    let tokens: TokenStore
    let places: BackupPlaces

    /// The readable part, with the certificates and host keys of CA and known_hosts files.
    func document(at now: Timestamp) async throws -> ExportDocument {
        var document = ExportDocument(
            createdAt: now, createdBy: "kioskd \(Version.text)", host: MachineNames.current().names.first ?? "",
            printers: Dictionary(registry.printers.map { ($0.id.rawValue, PrinterChange($0)) }) { first, _ in first },
            roles: Dictionary(registry.roles.map { ($0.name.rawValue, RoleChange($0)) }) { first, _ in first },
            logins: Set(registry.printers.compactMap(\.credentials)).sorted())
        let trusts = Dictionary(grouping: Set(registry.printers.compactMap(\.trust))) { $0.file ?? "" }
        for (path, trusts) in trusts.sorted(by: { $0.key < $1.key }) where !path.isEmpty {
            do {
                let content = try await BackgroundWork.run { try TrustFileContent.read(path, for: trusts) }
                if content.isEmpty {
                    document.leftOut.append(
                        "the trust of printers names \(path): it holds no certificate in PEM or host key to export"
                            .withoutControlCharacters)
                } else {
                    document.trustFiles[path] = content
                }
            } catch let error as FileError {
                document.leftOut.append(
                    "the trust of printers names \(path): \(error.message)".withoutControlCharacters)
            }
        }
        return document
    }

    /// The secrets; a login that cannot be read is noted in `document`.
    func secrets(notingIn document: inout ExportDocument, at now: Timestamp) async throws -> ExportedSecrets {
        var secrets = ExportedSecrets()
        for name in document.logins {
            do {
                secrets.logins[name] = try await Self.login(named: name, places.secrets)
            } catch let error as CredentialError {
                document.leftOut.append(error.message.withoutControlCharacters)
            }
        }
        secrets.tokens = tokens.stored().filter { !$0.token.isExpired(at: now) }.map { stored in
            let token = stored.token
            return ExportedToken(
                name: token.name, scopes: token.scopes.sorted().map(\.rawValue), origins: token.origins,
                createdAt: token.createdAt, createdBy: token.createdBy, expiresAt: token.expiresAt,
                sha256: stored.sha256)
        }
        secrets.certificate = try await certificate()
        return secrets
    }

    private func certificate() async throws -> ExportedCertificate? {
        guard let path = places.certificateFile, let keyPath = places.certificateKeyFile else { return nil }
        return try await BackgroundWork.run {
            guard let certificate = try? AtomicFile.read(path, limit: ServerCertificate.maximumLength),
                let key = try? AtomicFile.read(keyPath, limit: ServerCertificate.maximumLength)
            else { return nil }
            return ExportedCertificate(
                certificate: String(decoding: certificate, as: UTF8.self), key: String(decoding: key, as: UTF8.self))
        }
    }

    /// A login as it stands, with the content of its files. Throws `CredentialError` where it cannot be used.
    static func login(named name: String, _ secrets: SecretStore) async throws -> ExportedLogin {
        let credentials = try await secrets.credentials(named: name)
        let agent: String? =
            switch credentials.agent {
            case nil: nil
            case .environment?: "true"
            case .socket(let path)?: path
            }
        return try await BackgroundWork.run {
            func file(_ path: String?) throws -> Data? {
                guard let path else { return nil }
                do throws(FileError) {
                    return Data(try AtomicFile.read(path, limit: BackupPlaces.maximumKeyFile))
                } catch {
                    throw CredentialError("the credentials \"\(name)\" cannot be used: \(error.message)")
                }
            }
            let certificate = credentials.clientCertificate
            return ExportedLogin(
                user: credentials.user, password: credentials.password?.reveal(), token: credentials.token?.reveal(),
                passphrase: (certificate?.passphrase ?? credentials.privateKey?.passphrase)?.reveal(),
                clientCertificate: try file(certificate?.path), clientKey: try file(certificate?.keyPath),
                privateKey: try file(credentials.privateKey?.path), agent: agent)
        }
    }
}

extension Trust {
    /// The CA or known_hosts file that vouches; nil for other trust.
    var file: String? {
        switch self {
        case .caFile(let path), .knownHosts(let path): path
        default: nil
        }
    }

    /// The same trust with the file at another path.
    func moved(to path: String) -> Trust {
        switch self {
        case .caFile: .caFile(path: path)
        case .knownHosts: .knownHosts(path: path)
        default: self
        }
    }
}
