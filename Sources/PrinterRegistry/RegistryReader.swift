import KioskPrintModel

/// Reads a registry file: returns a valid registry, or throws all its problems.
struct RegistryReader {
    private let profiles: ProfileLibrary?
    private var yaml: YAMLReader
    private var printers: [(path: String, printer: SavedPrinter)] = []
    private var roles: [(path: String, role: Role)] = []
    /// The ids of printers that were refused for another reason.
    private var brokenPrinters: Set<PrinterID> = []

    /// The registry of a file, and what the writer needs to change the file.
    struct Output {
        var registry: Registry
        var root: YAMLNode?
        var source: SourceText
    }

    /// The version of the file format; the only one so far.
    static let version = 1

    private static let fileKeys = ["version", "printers", "roles"]
    private static let printerKeys = [
        "id", "url", "name", "location", "profile", "job-types", "credentials", "trust", "login-without-tls",
    ]
    private static let roleKeys = [
        "printers", "policy", "job-type", "defaults", "unconfirmed", "expires-after", "page-limit", "mirror", "keep",
    ]

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
        var reader = RegistryReader(profiles: profiles, yaml: YAMLReader(file: file, problems: problems))
        if let root, !root.isNull { reader.readRoot(root) }
        reader.yaml.report(
            RegistryRules.violations(
                printers: reader.printers, roles: reader.roles, profiles: profiles,
                brokenPrinters: reader.brokenPrinters))
        guard reader.yaml.problems.isEmpty else { throw RegistryError(problems: reader.yaml.sortedProblems) }
        let registry = Registry(
            unchecked: reader.printers.map(\.printer), roles: reader.roles.map(\.role), profiles: profiles)
        return Output(registry: registry, root: root, source: source)
    }

    private init(profiles: ProfileLibrary?, yaml: YAMLReader) {
        self.profiles = profiles
        self.yaml = yaml
    }

    private mutating func readRoot(_ root: YAMLNode) {
        guard let values = yaml.mapping(root, of: "the registry", keys: Self.fileKeys, path: "") else { return }
        if let version = values["version"], let number = yaml.integer(version, "version"), number != Self.version {
            yaml.report("version \(number) is not known", at: version.position, instead: "version: \(Self.version)")
        }
        if let printers = values["printers"], !printers.isNull,
            let items = yaml.items(printers, "printers", example: "{ id: till-1, url: ipp://192.0.2.10/ipp/print }")
        {
            for (index, item) in items.enumerated() { readPrinter(item, path: "printers.\(index)") }
        }
        if let roles = values["roles"], !roles.isNull {
            guard let pairs = roles.pairs else {
                yaml.report(
                    "roles must be a mapping, and is \(roles.kind)", at: roles.position,
                    instead: "receipt: { printers: [till-1] }")
                return
            }
            for pair in pairs { readRole(pair) }
        }
    }

    private mutating func readPrinter(_ node: YAMLNode, path: String) {
        yaml.record(path, at: node.position)
        let before = yaml.problems.count
        guard let values = yaml.mapping(node, of: "a printer", keys: Self.printerKeys, path: path) else { return }
        let id: PrinterID? = required("id", in: values, of: node, "a printer", example: "till-1").flatMap {
            self.name($0, "the id")
        }
        let url = required("url", in: values, of: node, "a printer", example: "ipp://192.0.2.10/ipp/print").flatMap {
            self.url($0)
        }
        let (name, location) = (text("name", in: values), text("location", in: values))
        let (profile, credentials) = (text("profile", in: values), text("credentials", in: values))
        let jobTypes = values["job-types"].flatMap { yaml.jobTypes($0) }
        let trust = values["trust"].flatMap { self.trust($0) }
        let allowsPlainLogin = values["login-without-tls"].flatMap { yaml.flag($0, "login-without-tls") }
        guard let id, let url, yaml.problems.count == before else {
            if let id { brokenPrinters.insert(id) }
            return
        }
        let printer = SavedPrinter(
            id: id, url: url, name: name, location: location, profile: profile, jobTypes: jobTypes,
            credentials: credentials, trust: trust, allowsPlainLogin: allowsPlainLogin)
        printers.append((path, printer))
    }

    private mutating func text(_ key: String, in values: [String: YAMLNode]) -> String? {
        values[key].flatMap { yaml.text($0, "the \(key)", instead: "a string, or remove the key") }
    }

    private mutating func url(_ node: YAMLNode) -> PrinterURL? {
        guard let text = yaml.text(node, "the url", instead: "ipp://192.0.2.10/ipp/print") else { return nil }
        do {
            return try PrinterURL(text)
        } catch {
            // Not the URL itself: it may contain a password.
            yaml.report("the url is refused: \(error.reason)", at: node.position, instead: error.instead)
            return nil
        }
    }

    private mutating func trust(_ node: YAMLNode) -> Trust? {
        guard let text = yaml.text(node, "the trust", instead: Trust.forms)
        else { return nil }
        do {
            return try Trust(text)
        } catch {
            yaml.report(
                "the trust is refused: \(error.reason)\(yaml.quoted(node))", at: node.position, instead: error.instead)
            return nil
        }
    }

    private mutating func required(
        _ key: String, in values: [String: YAMLNode], of node: YAMLNode, _ what: String, example: String
    ) -> YAMLNode? {
        if let value = values[key] { return value }
        yaml.report("\(what) lacks its \(key)", at: node.position, instead: "\(key): \(example)")
        return nil
    }

    private mutating func name<Name: KebabCaseName>(_ node: YAMLNode, _ what: String) -> Name? {
        let instead = "lower-case letters and digits in words joined by hyphens, such as till-1"
        guard let text = yaml.text(node, what, instead: instead) else { return nil }
        if let name = Name(rawValue: text) { return name }
        yaml.report("\(what) \"\(text.prefix(60))\" is not a valid name", at: node.position, instead: instead)
        return nil
    }

    private mutating func readRole(_ pair: YAMLNode.Pair) {
        guard let name: RoleName = name(pair.key, "the role") else { return }
        let path = "roles.\(name)"
        yaml.record(path, at: pair.key.position)
        guard !pair.value.isNull else {
            yaml.report("the role \"\(name)\" is empty", at: pair.key.position, instead: "printers: [till-1] under it")
            return
        }
        guard let values = yaml.mapping(pair.value, of: "a role", keys: Self.roleKeys, path: path) else { return }
        let printers = required("printers", in: values, of: pair.key, "the role \"\(name)\"", example: "[till-1]")
            .flatMap { readPrinters($0, path: "\(path).printers") }
        let policy = values["policy"].flatMap { yaml.keyword($0, "the policy", as: Role.PrinterPolicy.self) }
        let jobType = values["job-type"].flatMap { yaml.jobType($0, "the job type") }
        let defaults = values["defaults"].flatMap { yaml.ticket($0, path: "\(path).defaults") }
        let unconfirmed = values["unconfirmed"].flatMap {
            yaml.keyword($0, "the policy", as: Role.UnconfirmedPolicy.self)
        }
        let expiresAfter = values["expires-after"].flatMap { yaml.seconds($0, "expires-after") }
        let pageLimit = values["page-limit"].flatMap { yaml.integer($0, "page-limit") }
        let mirror = values["mirror"].flatMap { yaml.flag($0, "mirror") }
        let keep = values["keep"].flatMap { yaml.retention($0, path: "\(path).keep") }
        guard let printers else { return }
        roles.append(
            (
                path,
                Role(
                    name: name, printers: printers, policy: policy ?? .failover, jobType: jobType,
                    defaults: defaults ?? Ticket(),
                    unconfirmed: unconfirmed, expiresAfter: expiresAfter, pageLimit: pageLimit,
                    mirror: mirror ?? false, keep: keep ?? Retention())
            ))
    }

    private mutating func readPrinters(_ node: YAMLNode, path: String) -> [PrinterID]? {
        guard let items = yaml.items(node, "printers", example: "till-1") else { return nil }
        var ids: [PrinterID] = []
        for item in items {
            guard let id: PrinterID = name(item, "the printer") else { continue }
            yaml.record("\(path).\(ids.count)", at: item.position)
            ids.append(id)
        }
        return ids
    }
}
