import PrintModel

/// What a change of the secrets file, or of a file that it names, changed.
public struct SecretChange: Sendable {
    let before: SecretSnapshot
    let after: SecretSnapshot

    /// Whether something else stands behind a name now.
    public func concerns(_ name: String) -> Bool { before.state(of: name) != after.state(of: name) }
}

/// What the secrets file says at one moment.
public struct SecretSnapshot: Sendable {
    /// Nil where there is no such file.
    var entries: Result<[String: SecretReader.Entry], CredentialError>?
    /// The files with certificates and keys that it names; nil for one that cannot be opened.
    var files: [String: SecretFile.Version?]

    struct State: Hashable {
        var entry: SecretReader.Entry?
        var files: [SecretFile.Version?]
    }

    func state(of name: String) -> State {
        switch entries {
        case nil: return State(files: [])
        case .failure(let error)?: return State(entry: .failure(error), files: [])
        case .success(let entries)?:
            let paths = entries[name].map(Self.files) ?? []
            return State(entry: entries[name], files: paths.map { files[$0] ?? nil })
        }
    }

    static func files(of entry: SecretReader.Entry) -> [String] {
        guard case .success(let credentials) = entry else { return [] }
        let certificate = credentials.clientCertificate
        return [certificate?.path, certificate?.keyPath, credentials.privateKey?.path].compactMap(\.self)
    }
}
