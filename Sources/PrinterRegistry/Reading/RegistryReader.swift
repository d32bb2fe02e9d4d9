import PrintModel

/// From a registry file's bytes to a valid registry, or to everything that is wrong with it.
struct RegistryReader {
    private let profiles: ProfileLibrary?
    var list: ProblemList
    private var printers: [(path: String, printer: SavedPrinter)] = []
    private var roles: [(path: String, role: Role)] = []
    /// The ids of printers that were refused for another reason.
    private var brokenPrinters: Set<PrinterID> = []

    /// What reading a file gives: the registry, and what the writer needs to change the file.
    struct Output {
        var registry: Registry
        var root: YAMLNode?
        var source: SourceText
    }

    /// The only version of the file's shape so far.
    static let version = 1

    static func read(_ bytes: [UInt8], file: String, profiles: ProfileLibrary?) throws(RegistryError) -> Output {
        guard bytes.count <= YAMLLimits.maximumLength else {
            throw RegistryError(problems: [
                RegistryProblem(
                    file: file, line: 0, column: 0,
                    message: "the file is longer than \(YAMLLimits.maximumLength) bytes",
                    instead: "a shorter file")
            ])
        }
        let (root, source, problems) = YAMLComposer.compose(bytes, file: file)
        var reader = RegistryReader(profiles: profiles, list: ProblemList(file: file, problems: problems))
        if let root, !root.isNull { reader.readRoot(root) }
        reader.list.add(
            RegistryRules.violations(
                printers: reader.printers, roles: reader.roles, profiles: profiles,
                brokenPrinters: reader.brokenPrinters))
        guard reader.list.problems.isEmpty else { throw RegistryError(problems: reader.list.sorted) }
        let registry = Registry(
            unchecked: reader.printers.map(\.printer), roles: reader.roles.map(\.role), profiles: profiles)
        return Output(registry: registry, root: root, source: source)
    }

    private init(profiles: ProfileLibrary?, list: ProblemList) {
        self.profiles = profiles
        self.list = list
    }

    private mutating func readRoot(_ root: YAMLNode) {
        guard let values = list.mapping(root, of: "the registry", keys: Vocabulary.fileKeys, path: "") else { return }
        if let version = values["version"], let number = list.integer(version, "version"), number != Self.version {
            list.add("version \(number) is not known", at: version.position, instead: "version: \(Self.version)")
        }
        if let printers = values["printers"], !printers.isNull,
            let items = list.items(printers, "printers", example: "{ id: till-1, url: ipp://192.0.2.10/ipp/print }")
        {
            for (index, item) in items.enumerated() { readPrinter(item, path: "printers.\(index)") }
        }
        if let roles = values["roles"], !roles.isNull {
            guard let pairs = roles.pairs else {
                list.add(
                    "roles must be a mapping, and is \(roles.kind)", at: roles.position,
                    instead: "receipt: { printers: [till-1] }")
                return
            }
            for pair in pairs { readRole(pair) }
        }
    }

    private mutating func readPrinter(_ node: YAMLNode, path: String) {
        list.note(path, at: node.position)
        let before = list.problems.count
        guard let values = list.mapping(node, of: "a printer", keys: Vocabulary.printerKeys, path: path) else { return }
        let id: PrinterID? = required("id", in: values, of: node, "a printer", example: "till-1").flatMap {
            self.name($0, "the id")
        }
        let url = required("url", in: values, of: node, "a printer", example: "ipp://192.0.2.10/ipp/print").flatMap {
            self.url($0)
        }
        let (name, location) = (text("name", in: values), text("location", in: values))
        let (profile, credentials) = (text("profile", in: values), text("credentials", in: values))
        let jobTypes = values["job-types"].flatMap { list.jobTypes($0) }
        let trust = values["trust"].flatMap { self.trust($0) }
        let allowsPlainLogin = values["login-without-tls"].flatMap { list.flag($0, "login-without-tls") }
        guard let id, let url, list.problems.count == before else {
            if let id { brokenPrinters.insert(id) }
            return
        }
        let printer = SavedPrinter(
            id: id, url: url, name: name, location: location, profile: profile, jobTypes: jobTypes,
            credentials: credentials, trust: trust, allowsPlainLogin: allowsPlainLogin)
        printers.append((path, printer))
    }

    private mutating func text(_ key: String, in values: [String: YAMLNode]) -> String? {
        values[key].flatMap { list.text($0, "the \(key)", instead: "a text, or remove the key") }
    }

    private mutating func url(_ node: YAMLNode) -> PrinterURL? {
        guard let text = list.text(node, "the url", instead: "ipp://192.0.2.10/ipp/print") else { return nil }
        do {
            return try PrinterURL(text)
        } catch {
            // Not the URL itself: it may hold a password.
            list.add("the url is refused: \(error.reason)", at: node.position, instead: error.instead)
            return nil
        }
    }

    private mutating func trust(_ node: YAMLNode) -> Trust? {
        guard let text = list.text(node, "the trust", instead: Trust.forms)
        else { return nil }
        do {
            return try Trust(text)
        } catch {
            list.add(
                "the trust is refused: \(error.reason)\(list.quoted(node))", at: node.position, instead: error.instead)
            return nil
        }
    }

    private mutating func required(
        _ key: String, in values: [String: YAMLNode], of node: YAMLNode, _ what: String, example: String
    ) -> YAMLNode? {
        if let value = values[key] { return value }
        list.add("\(what) lacks its \(key)", at: node.position, instead: "\(key): \(example)")
        return nil
    }

    private mutating func name<Name: KebabCaseName>(_ node: YAMLNode, _ what: String) -> Name? {
        let instead = "lower-case letters and digits in words joined by hyphens, such as till-1"
        guard let text = list.text(node, what, instead: instead) else { return nil }
        if let name = Name(rawValue: text) { return name }
        list.add("\(what) \"\(text.prefix(60))\" is no name", at: node.position, instead: instead)
        return nil
    }
}

extension RegistryReader {
    private mutating func readRole(_ pair: YAMLNode.Pair) {
        guard let name: RoleName = name(pair.key, "the role") else { return }
        let path = "roles.\(name)"
        list.note(path, at: pair.key.position)
        guard !pair.value.isNull else {
            list.add("the role \"\(name)\" is empty", at: pair.key.position, instead: "printers: [till-1] under it")
            return
        }
        guard let values = list.mapping(pair.value, of: "a role", keys: Vocabulary.roleKeys, path: path) else { return }
        let printers = required("printers", in: values, of: pair.key, "the role \"\(name)\"", example: "[till-1]")
            .flatMap { readPrinters($0, path: "\(path).printers") }
        let policy = values["policy"].flatMap { list.keyword($0, "the policy", as: Role.PrinterPolicy.self) }
        let jobType = values["job-type"].flatMap { list.jobType($0, "the job type") }
        let defaults = values["defaults"].flatMap { list.ticket($0, path: "\(path).defaults") }
        let unconfirmed = values["unconfirmed"].flatMap {
            list.keyword($0, "the policy", as: Role.UnconfirmedPolicy.self)
        }
        let expiresAfter = values["expires-after"].flatMap { list.seconds($0, "expires-after") }
        let keep = values["keep"].flatMap { list.retention($0, path: "\(path).keep") }
        guard let printers else { return }
        roles.append(
            (
                path,
                Role(
                    name: name, printers: printers, policy: policy ?? .failover, jobType: jobType,
                    defaults: defaults ?? Ticket(),
                    unconfirmed: unconfirmed, expiresAfter: expiresAfter, keep: keep ?? Retention())
            ))
    }

    private mutating func readPrinters(_ node: YAMLNode, path: String) -> [PrinterID]? {
        guard let items = list.items(node, "printers", example: "till-1") else { return nil }
        var ids: [PrinterID] = []
        for item in items {
            guard let id: PrinterID = name(item, "the printer") else { continue }
            list.note("\(path).\(ids.count)", at: item.position)
            ids.append(id)
        }
        return ids
    }
}
