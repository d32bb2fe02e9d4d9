import DurableFiles
import PrintModel

/// From a secrets file's bytes to credentials by name. What is wrong is told by its place, never by repeating what
/// stands there.
struct SecretReader {
    /// One name's credentials, or what is wrong with them: a mistake in one entry leaves the others usable.
    typealias Entry = Result<Credentials, CredentialError>

    private var list: ProblemList
    /// Where relative paths begin.
    private let folder: String

    /// `NAME: {user:, password:, …}` for each name. Fails as a whole where the file is no such mapping.
    static func entries(_ bytes: [UInt8], file: String) -> Result<[String: Entry], CredentialError> {
        var reader = SecretReader(file: file, problems: [])
        guard let root = reader.root(bytes) else { return .failure(reader.error) }
        if root.isNull { return .success([:]) }
        guard let pairs = root.pairs else {
            reader.list.add(
                "the secrets must be a mapping, and are \(root.kind)", at: root.position,
                instead: "NAME: { user: …, password: … }")
            return .failure(reader.error)
        }
        var entries: [String: Entry] = [:]
        for pair in pairs {
            guard let name = pair.key.text, RegistryRules.isFileName(name) else {
                reader.list.add(
                    "a name of credentials is none", at: pair.key.position,
                    instead: "letters, digits, dots, hyphens and underscores, and a mapping below")
                continue
            }
            var entry = SecretReader(file: file, problems: [])
            entries[name] = entry.result(of: pair.value, at: pair.key.position)
        }
        return reader.list.problems.isEmpty ? .success(entries) : .failure(reader.error)
    }

    /// A file that holds one entry's mapping.
    static func entry(_ bytes: [UInt8], file: String) -> Entry {
        var reader = SecretReader(file: file, problems: [])
        guard let root = reader.root(bytes) else { return .failure(reader.error) }
        return reader.result(of: root, at: root.position)
    }

    private init(file: String, problems: [RegistryProblem]) {
        list = ProblemList(file: file, problems: problems, isSecret: true)
        folder = Folder.parent(of: file)
    }

    private mutating func root(_ bytes: [UInt8]) -> YAMLNode? {
        let (root, _, problems) = YAMLComposer.compose(bytes, file: list.file, isSecret: true)
        list = ProblemList(file: list.file, problems: problems, isSecret: true)
        guard problems.isEmpty else { return nil }
        return root ?? YAMLNode(content: .scalar("", .plain), position: .start)
    }

    private var error: CredentialError {
        CredentialError(list.sorted.map(\.description).joined(separator: "\n"))
    }

    private mutating func result(of node: YAMLNode, at position: TextPosition) -> Entry {
        guard !node.isNull else {
            list.add(
                "the credentials are empty", at: position,
                instead: "user: and password:, client-certificate: or private-key:")
            return .failure(error)
        }
        let credentials = credentials(node)
        guard let credentials, list.problems.isEmpty else { return .failure(error) }
        return .success(credentials)
    }
}

extension SecretReader {
    private mutating func credentials(_ node: YAMLNode) -> Credentials? {
        guard let values = list.mapping(node, of: "a name of credentials", keys: Vocabulary.secretKeys, path: "") else {
            return nil
        }
        requireCompanions(values)
        let user = values["user"].flatMap { line($0, "the user") }
        if let user, user.contains(":"), let node = values["user"] {
            // RFC 7617 §2: the colon ends the user's name.
            list.add(
                "the user holds a colon, which no login over HTTP can carry", at: node.position,
                instead: "the name without it")
        }
        let password = values["password"].flatMap { line($0, "the password") }
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
            privateKey: privateKey.map { Credentials.PrivateKey(path: $0, passphrase: passphrase) }, agent: agent)
    }

    /// What means nothing alone, or not both together. A password needs no user: over SSH that stands in the printer's
    /// URL.
    private mutating func requireCompanions(_ values: [String: YAMLNode]) {
        for (key, companions) in [
            ("user", ["password", "private-key", "agent"]), ("client-key", ["client-certificate"]),
            ("passphrase", ["client-certificate", "private-key"]),
        ] {
            guard let node = values[key], companions.allSatisfy({ values[$0] == nil }) else { continue }
            list.add(
                "there is a \(key) without a \(companions.joined(separator: " or "))", at: node.position,
                instead: "\(companions.joined(separator: ": … or ")): … beside it")
        }
        if let node = values["private-key"], values["client-certificate"] != nil {
            list.add(
                "a private-key is for SSH and a client-certificate for TLS, and no printer takes both",
                at: node.position,
                instead: "it under another name")
        }
    }

    /// `true` for the one that this process was given, or the path of one's socket.
    private mutating func socket(_ node: YAMLNode) -> Credentials.Agent? {
        if case .scalar("true", .plain) = node.content { return .environment }
        if case .scalar("false", .plain) = node.content {
            list.add(
                "the agent is none", at: node.position, instead: "true, the path of an agent's socket, or no such key")
            return nil
        }
        return path(node, "the agent").map { .socket(path: $0) }
    }

    private mutating func line(_ node: YAMLNode, _ what: String) -> String? {
        guard
            let text = list.text(
                node, what, instead: "a text; in quotes where it holds : or # or begins with another sign")
        else { return nil }
        guard !text.hasControlCharacters, text.utf8.count <= Self.maximumLength else {
            list.add(
                "\(what) is longer than \(Self.maximumLength) bytes or not one line", at: node.position,
                instead: "one line")
            return nil
        }
        return text
    }

    private static let maximumLength = 4096

    private mutating func path(_ node: YAMLNode, _ what: String) -> String? {
        guard let text = line(node, what) else { return nil }
        guard !text.isEmpty else {
            list.add("\(what) is empty", at: node.position, instead: "the path of a file")
            return nil
        }
        return text.hasPrefix("/") ? text : "\(folder)/\(text)"
    }
}
