import Glibc
import KioskDurableFiles
public import KioskPrintModel

/// The credentials by name: those of the service manager where it has the name, else those of the secrets file.
///
/// Each request reads the present files, off the cooperative pool. No error contains a part of a secret.
public actor SecretStore: CredentialSource {
    /// The absolute path of the secrets file.
    public nonisolated let path: String
    /// `$CREDENTIALS_DIRECTORY` (systemd.exec(5)): each file contains the mapping of one entry.
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

    /// Bytes, enough for hundreds of entries.
    static let maximumLength = 1 << 18

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `path` is absolute; neither the file nor the folder need exist. `user` is the user for whom root checks whether
    /// the files can be used; nil is this process's user.
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
        // A certificate without a key is public.
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
                "there are no credentials \"\(name)\": \(path) does not exist; write them there, with mode 0600\(serviceManagerHint(name))"
            )
        }
        guard let entry = try entries.get()[name] else {
            throw CredentialError(
                "there are no credentials \"\(name)\" in \(path); add them under that name\(serviceManagerHint(name))")
        }
        return try entry.get()
    }

    /// A hint for checks outside the service: only the service sees the credentials of the service manager.
    private func serviceManagerHint(_ name: String) -> String {
        credentialsDirectory == nil
            ? " (if the service gets them with LoadCredential=, check inside the service: systemd-run --pipe --wait -p LoadCredential=\(name):FILE kioskd --check)"
            : ""
    }

    /// The entries of the secrets file; nil where there is none. Throws where it cannot be used at all.
    private func entries() throws(CredentialError) -> Result<[String: SecretReader.Entry], CredentialError>? {
        guard case .entries(let entries) = try content(of: path, { .entries(SecretReader.entries($0, file: $1)) })
        else { return nil }
        return entries
    }

    /// The content of a file, cached by its version; nil where there is no file.
    private func content(of path: String, _ read: ([UInt8], String) -> Content) throws(CredentialError) -> Content? {
        let cached = files.removeValue(forKey: path)
        guard let file = try SecretFile.open(path, protectedBy: protection(of: path), for: user) else { return nil }
        let version = file.version
        if let cached, cached.version == version {
            files[path] = cached
            return cached.content
        }
        let content = read(try file.read(limit: Self.maximumLength), path)
        if version.isSettled { files[path] = Cached(version: version, content: content) }
        return content
    }

    /// The bytes of the secrets file, checked as for reading; nil where there is none.
    func presentContent() throws(CredentialError) -> [UInt8]? {
        guard let file = try SecretFile.open(path, protectedBy: protection(of: path), for: user) else { return nil }
        return try file.read(limit: Self.maximumLength)
    }

    /// The files with certificates and keys that the secrets file names; nil where it cannot be read as a whole.
    package func namedFiles() -> Set<String>? {
        guard case .success(let entries)? = try? entries() else { return nil }
        var files: Set<String> = []
        for entry in entries.values {
            guard case .success = entry else { return nil }
            files.formUnion(SecretSnapshot.files(of: entry))
        }
        return files
    }

    /// Checks a file with a private key; it must be protected like the secrets.
    private func check(_ path: String, of what: String) throws(CredentialError) {
        guard try SecretFile.open(path, protectedBy: protection(of: path), for: user) != nil else {
            throw CredentialError("there is no file \(path) for the \(what); create it, with mode 0600")
        }
    }

    private func protection(of path: String) -> SecretFile.Protection {
        guard let credentialsDirectory else { return .fileMode }
        return path.hasPrefix("\(credentialsDirectory)/") ? .serviceManager : .fileMode
    }
}

// MARK: - Watching

extension SecretStore {
    /// Calls `changed` whenever the secrets file, or a certificate or key that it names, was changed, replaced or given
    /// other permissions since `known`, until the task is cancelled; then returns. Throws only when the file's folder
    /// cannot be watched.
    public nonisolated func watch(
        since known: SecretSnapshot, _ changed: @Sendable (SecretChange) async -> Void
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var known = known
        var watcher = try await beginWatching(known) { continuation.yield() }
        // For changes before the watch began.
        continuation.yield()
        await withTaskCancellationHandler {
            for await _ in events {
                // Watch first, so that no edit is missed: the target of a link may have changed.
                if let new = try? await beginWatching(known, { continuation.yield() }) { watcher = new }
                let now = await snapshot()
                if now.files.keys != known.files.keys,
                    let wider = try? await beginWatching(now, { continuation.yield() })
                {
                    watcher = wider
                    continuation.yield()
                }
                let change = SecretChange(before: known, after: now)
                known = now
                await changed(change)
            }
        } onCancel: {
            continuation.finish()
        }
        withExtendedLifetime(watcher) {}
    }

    /// The present state of the secrets file and the files that it names.
    public func snapshot() -> SecretSnapshot {
        let entries: Result<[String: SecretReader.Entry], CredentialError>?
        do throws(CredentialError) {
            entries = try self.entries()
        } catch {
            entries = .failure(error)
        }
        guard case .success(let known)? = entries else { return SecretSnapshot(entries: entries, files: [:]) }
        let paths = Set(known.values.flatMap(SecretSnapshot.files))
        return SecretSnapshot(
            entries: entries, files: Dictionary(uniqueKeysWithValues: paths.map { ($0, SecretFile.version(of: $0)) }))
    }

    private func beginWatching(
        _ snapshot: SecretSnapshot, _ changed: @escaping @Sendable () -> Void
    ) throws -> FolderWatcher {
        do throws(FileError) {
            return try FolderWatcher(paths: [path], alsoWherePossible: Array(snapshot.files.keys), changed: changed)
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }
}

/// A change of the secrets file, or of a file that it names.
public struct SecretChange: Sendable {
    let before: SecretSnapshot
    let after: SecretSnapshot

    /// Whether the credentials of this name changed.
    public func concerns(_ name: String) -> Bool { before.state(of: name) != after.state(of: name) }
}

/// The state of the secrets file and the files that it names, at one time.
public struct SecretSnapshot: Sendable {
    /// Nil where there is no such file.
    fileprivate var entries: Result<[String: SecretReader.Entry], CredentialError>?
    /// The versions of the files with certificates and keys, by path; nil for one that cannot be opened.
    fileprivate var files: [String: SecretFile.Version?]

    fileprivate struct State: Hashable {
        var entry: SecretReader.Entry?
        var files: [SecretFile.Version?]
    }

    fileprivate func state(of name: String) -> State {
        switch entries {
        case nil: return State(files: [])
        case .failure(let error)?: return State(entry: .failure(error), files: [])
        case .success(let entries)?:
            let paths = entries[name].map(Self.files) ?? []
            return State(entry: entries[name], files: paths.map { files[$0] ?? nil })
        }
    }

    fileprivate static func files(of entry: SecretReader.Entry) -> [String] {
        guard case .success(let credentials) = entry else { return [] }
        let certificate = credentials.clientCertificate
        return [certificate?.path, certificate?.keyPath, credentials.privateKey?.path].compactMap(\.self)
    }
}
