import KioskDurableFiles
import KioskPrintModel

/// Reads the credentials of a secrets file. Problems state their position, and never repeat the file's content.
struct SecretReader {
    /// The credentials of one name, or what is wrong with them: a mistake in one entry leaves the others usable.
    typealias Entry = Result<Credentials, CredentialError>

    private var yaml: YAMLReader
    /// The base of relative paths.
    private let folder: String

    /// Reads `NAME: {user:, password:, …}` for each name. Fails as a whole where the file is not such a mapping.
    static func entries(_ bytes: [UInt8], file: String) -> Result<[String: Entry], CredentialError> {
        var reader = SecretReader(file: file, problems: [])
        guard let root = reader.root(bytes) else { return .failure(reader.error) }
        if root.isNull { return .success([:]) }
        guard let pairs = root.pairs else {
            reader.yaml.report(
                "the secrets must be a mapping, and are \(root.kind)", at: root.position,
                instead: "NAME: { user: …, password: … }")
            return .failure(reader.error)
        }
        var entries: [String: Entry] = [:]
        for pair in pairs {
            guard let name = pair.key.text, RegistryRules.isFileName(name) else {
                reader.yaml.report(
                    "a name of credentials is not valid", at: pair.key.position,
                    instead: "letters, digits, dots, hyphens and underscores, and a mapping below")
                continue
            }
            var entry = SecretReader(file: file, problems: [])
            entries[name] = entry.result(of: pair.value, at: pair.key.position)
        }
        return reader.yaml.problems.isEmpty ? .success(entries) : .failure(reader.error)
    }

    /// Reads a file with the mapping of one entry.
    static func entry(_ bytes: [UInt8], file: String) -> Entry {
        var reader = SecretReader(file: file, problems: [])
        guard let root = reader.root(bytes) else { return .failure(reader.error) }
        return reader.result(of: root, at: root.position)
    }

    private init(file: String, problems: [RegistryProblem]) {
        yaml = YAMLReader(file: file, problems: problems, isSecret: true)
        folder = Folder.parent(of: file)
    }

    private mutating func root(_ bytes: [UInt8]) -> YAMLNode? {
        let (root, _, problems) = YAMLComposer.compose(bytes, file: yaml.file, isSecret: true)
        yaml = YAMLReader(file: yaml.file, problems: problems, isSecret: true)
        guard problems.isEmpty else { return nil }
        return root ?? YAMLNode(content: .scalar("", .plain), position: .start)
    }

    private var error: CredentialError {
        CredentialError(yaml.sortedProblems.map(\.description).joined(separator: "\n"))
    }

    private mutating func result(of node: YAMLNode, at position: TextPosition) -> Entry {
        guard !node.isNull else {
            yaml.report(
                "the credentials are empty", at: position,
                instead: "user: and password:, token:, client-certificate: or private-key:")
            return .failure(error)
        }
        let credentials = credentials(node)
        guard let credentials, yaml.problems.isEmpty else { return .failure(error) }
        return .success(credentials)
    }

    private mutating func credentials(_ node: YAMLNode) -> Credentials? {
        guard let values = yaml.mapping(node, of: "a name of credentials", keys: Self.secretKeys, path: "") else {
            return nil
        }
        requireCompanions(values)
        let user = values["user"].flatMap { line($0, "the user") }
        if let user, user.contains(":"), let node = values["user"] {
            // The colon ends the user's name (RFC 7617 §2).
            yaml.report(
                "the user contains a colon, which no login over HTTP allows", at: node.position,
                instead: "the name without it")
        }
        let password = values["password"].flatMap { line($0, "the password") }
        let token = values["token"].flatMap { bearerToken($0) }
        let certificate = values["client-certificate"].flatMap { path($0, "the client certificate") }
        let key = values["client-key"].flatMap { path($0, "the client key") }
        let passphrase = values["passphrase"].flatMap { line($0, "the passphrase") }.map { Secret($0) }
        let privateKey = values["private-key"].flatMap { path($0, "the private key") }
        let agent = values["agent"].flatMap { socket($0) }
        let clientCertificate = certificate.map {
            Credentials.ClientCertificate(path: $0, keyPath: key, passphrase: passphrase)
        }
        return Credentials(
            user: user, password: password.map { Secret($0) }, clientCertificate: clientCertificate,
            privateKey: privateKey.map { Credentials.PrivateKey(path: $0, passphrase: passphrase) }, agent: agent,
            token: token)
    }

    /// Reads a token in the form that a Bearer login has it in (RFC 6750 §2.1).
    private mutating func bearerToken(_ node: YAMLNode) -> Secret? {
        guard let text = line(node, "the token") else { return nil }
        let body = text.utf8.drop(while: Self.isTokenByte)
        guard body.startIndex > text.utf8.startIndex, body.allSatisfy({ $0 == UInt8(ascii: "=") }) else {
            yaml.report(
                "the token is none that a Bearer login can carry", at: node.position,
                instead: "letters, digits and - . _ ~ + /, and = at the end, without the word Bearer")
            return nil
        }
        return Secret(text)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~+/".utf8.contains(byte)
        }
    }

    /// Reports keys that need another key, or exclude one. A password needs no user: over SSH the printer's URL names
    /// it.
    private mutating func requireCompanions(_ values: [String: YAMLNode]) {
        for (key, companions) in [
            ("user", ["password", "private-key", "agent"]), ("client-key", ["client-certificate"]),
            ("passphrase", ["client-certificate", "private-key"]),
        ] {
            guard let node = values[key], companions.allSatisfy({ values[$0] == nil }) else { continue }
            yaml.report(
                "there is a \(key) without a \(companions.joined(separator: " or "))", at: node.position,
                instead: "\(companions.joined(separator: ": … or ")): … beside it")
        }
        if let node = values["private-key"], values["client-certificate"] != nil {
            yaml.report(
                "a private-key is for SSH and a client-certificate for TLS, and no printer accepts both",
                at: node.position,
                instead: "it under another name")
        }
    }

    /// Reads `true` for the agent in this process's environment, or the path of an agent's socket.
    private mutating func socket(_ node: YAMLNode) -> Credentials.Agent? {
        if case .scalar("true", .plain) = node.content { return .environment }
        if case .scalar("false", .plain) = node.content {
            yaml.report(
                "the agent cannot be false", at: node.position,
                instead: "true, the path of an agent's socket, or no such key")
            return nil
        }
        return path(node, "the agent").map { .socket(path: $0) }
    }

    private mutating func line(_ node: YAMLNode, _ what: String) -> String? {
        guard
            let text = yaml.text(
                node, what, instead: "a string; in quotes where it contains : or # or begins with a special character")
        else { return nil }
        guard !text.hasControlCharacters, text.utf8.count <= Self.maximumLength else {
            yaml.report(
                "\(what) is longer than \(Self.maximumLength) bytes or not one line", at: node.position,
                instead: "one line")
            return nil
        }
        return text
    }

    private static let maximumLength = 4096
    private static let secretKeys = [
        "user", "password", "token", "client-certificate", "client-key", "private-key", "passphrase", "agent",
    ]

    private mutating func path(_ node: YAMLNode, _ what: String) -> String? {
        guard let text = line(node, what) else { return nil }
        guard !text.isEmpty else {
            yaml.report("\(what) is empty", at: node.position, instead: "the path of a file")
            return nil
        }
        return text.hasPrefix("/") ? text : "\(folder)/\(text)"
    }
}
