import DurableFiles
import Glibc
public import PrintModel

/// Credentials by name: from the service manager's credentials where it has the name, else from the secrets file.
///
/// Both are read when they are asked for, on a thread of their own: what the files say then counts. Nothing of a secret
/// shows in an error.
public actor SecretStore: CredentialSource {
    /// Absolute.
    public nonisolated let path: String
    /// `$CREDENTIALS_DIRECTORY` (systemd.exec(5)): each file holds one entry's mapping.
    private let credentialsDirectory: String?
    private let user: uid_t
    private let executor = FileExecutor()
    private var files: [String: Cached] = [:]

    private struct Cached {
        var version: SecretFile.Version
        var content: Content
    }

    private enum Content {
        case entries(Result<[String: SecretReader.Entry], CredentialError>)
        case entry(SecretReader.Entry)
    }

    /// Hundreds of entries.
    private static let maximumLength = 1 << 18

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `path` is absolute; neither the file nor the folder need exist. `user`: for whom root looks whether the files
    /// can be used; nil is ourselves.
    public init(path: String, credentialsDirectory: String? = nil, user: UInt32? = nil) {
        self.user = user ?? geteuid()
        self.path = path
        self.credentialsDirectory = credentialsDirectory
    }

    public func credentials(named name: String) async throws -> Credentials {
        guard RegistryRules.isFileName(name) else {
            throw CredentialError(
                "the credentials have no name that a file could have; write letters, digits, dots, hyphens and underscores"
            )
        }
        let credentials = try managed(name) ?? fromFile(name)
        // A certificate alone is public.
        if let certificate = credentials.clientCertificate {
            try check(certificate.keyPath ?? certificate.path, of: "client certificate")
        }
        if let key = credentials.privateKey { try check(key.path, of: "private key") }
        return credentials
    }

    private func managed(_ name: String) throws(CredentialError) -> Credentials? {
        guard let credentialsDirectory,
            case .entry(let entry) = try content(
                of: "\(credentialsDirectory)/\(name)", { .entry(SecretReader.entry($0, file: $1)) })
        else { return nil }
        return try entry.get()
    }

    private func fromFile(_ name: String) throws(CredentialError) -> Credentials {
        guard let entries = try entries() else {
            throw CredentialError(
                "there are no credentials \"\(name)\": \(path) does not exist; write them there, with mode 0600\(unmanaged(name))"
            )
        }
        guard let entry = try entries.get()[name] else {
            throw CredentialError(
                "there are no credentials \"\(name)\" in \(path); add them under that name\(unmanaged(name))")
        }
        return try entry.get()
    }

    /// What the service manager passes shows in the service alone, and whoever checks from outside must know.
    private func unmanaged(_ name: String) -> String {
        credentialsDirectory == nil
            ? " (if the service gets them with LoadCredential=, look from inside: systemd-run --pipe --wait -p LoadCredential=\(name):FILE kioskd --check)"
            : ""
    }

    /// The secrets file's; nil where there is none. Throws where it cannot be used at all.
    func entries() throws(CredentialError) -> Result<[String: SecretReader.Entry], CredentialError>? {
        guard case .entries(let entries) = try content(of: path, { .entries(SecretReader.entries($0, file: $1)) })
        else { return nil }
        return entries
    }

    /// What a file says; nil where there is none.
    private func content(of path: String, _ read: ([UInt8], String) -> Content) throws(CredentialError) -> Content? {
        let cached = files.removeValue(forKey: path)
        guard let file = try SecretFile.open(path, keptBy: keeper(of: path), for: user) else { return nil }
        let version = file.version
        if let cached, cached.version == version {
            files[path] = cached
            return cached.content
        }
        let content = read(try file.read(limit: Self.maximumLength), path)
        if version.isSettled { files[path] = Cached(version: version, content: content) }
        return content
    }

    /// A file with a private key is kept like the secrets.
    private func check(_ path: String, of what: String) throws(CredentialError) {
        guard try SecretFile.open(path, keptBy: keeper(of: path), for: user) != nil else {
            throw CredentialError("there is no file \(path) for the \(what); put it there, with mode 0600")
        }
    }

    private func keeper(of path: String) -> SecretFile.Keeper {
        guard let credentialsDirectory else { return .mode }
        return path.hasPrefix("\(credentialsDirectory)/") ? .serviceManager : .mode
    }
}
