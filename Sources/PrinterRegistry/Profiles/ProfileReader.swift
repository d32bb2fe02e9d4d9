import KioskPrintModel

/// Reads one profile file.
struct ProfileReader {
    var yaml: YAMLReader
    private let root: YAMLNode?
    private let name: String

    private static let profileKeys = [
        "name", "description", "job-types", "inherits", "match", "command-sets", "quirks", "lpr", "device", "printing",
        "pages",
    ]
    private static let quirkKeys = ["quirk", "value", "why", "source"]

    init(_ bytes: [UInt8], file: String, name: String) {
        let (root, _, problems) = YAMLComposer.compose(bytes, file: file)
        self.name = name
        self.root = root.flatMap { $0.isNull ? nil : $0 }
        yaml = YAMLReader(file: file, problems: problems)
        if self.root == nil, problems.isEmpty {
            yaml.report("the profile is empty", at: .start, instead: "name, description and job-types")
        }
    }

    /// The profile, or the problems of its file.
    static func read(
        _ bytes: [UInt8], file: String, name: String
    ) -> (profile: PrinterProfile?, problems: [RegistryProblem]) {
        var reader = ProfileReader(bytes, file: file, name: name)
        let profile = reader.profile(over: nil)
        return (reader.yaml.problems.isEmpty ? profile : nil, reader.yaml.sortedProblems)
    }

    /// The name of the parent profile, where the file states one.
    var parent: (name: String, position: TextPosition)? {
        root?["inherits"].flatMap { node in node.text.map { ($0, node.position) } }
    }

    /// The profile of the file, with its parent's values for what it does not state. Where there are problems, the
    /// profile contains what could be read.
    mutating func profile(over parent: PrinterProfile?) -> PrinterProfile? {
        guard let root, let values = yaml.mapping(root, of: "a profile", keys: Self.profileKeys, path: "") else {
            return nil
        }
        // A profile that matches models and states quirks or settings for them needs no job types.
        let isForQuirks =
            (values["match"] != nil
                && (values["quirks"] ?? values["device"] ?? values["pages"] ?? values["inherits"]) != nil)
            || values["lpr"] != nil
        let required = ["name", "description"] + (isForQuirks || parent?.jobTypes != nil ? [] : ["job-types"])
        for key in required where values[key] == nil {
            yaml.report("the profile lacks its \(key)", at: root.position, instead: "\(key): …")
        }
        guard required.allSatisfy({ values[$0] != nil }), let nameNode = values["name"],
            let descriptionNode = values["description"]
        else { return nil }
        let written = yaml.text(nameNode, "the name", instead: name)
        if let written, written != name {
            yaml.report(
                "the profile's name \"\(written)\" is not that of its file", at: nameNode.position, instead: name)
        }
        let description = yaml.oneLine(descriptionNode, "the description", instead: "one line for people")
        let inherits = values["inherits"].flatMap { yaml.text($0, "inherits", instead: "the name of a profile") }
        let jobTypes = values["job-types"].map { self.jobTypes($0) } ?? parent?.jobTypes
        let match = values["match"].map { patterns($0, "match") } ?? []
        let commandSets = values["command-sets"].map { patterns($0, "command-sets") } ?? []
        let quirks = values["quirks"].map { self.quirks($0, of: name) } ?? parent?.quirks ?? []
        let lpr = values["lpr"].map { LprSettingsReader.read($0, over: parent?.lpr, with: &yaml) } ?? parent?.lpr
        let device =
            values["device"].map { DeviceSettingsReader.read($0, over: parent?.device, with: &yaml) } ?? parent?.device
        let printing =
            values["printing"].map { PrintingSettingsReader.read($0, over: parent?.printing, with: &yaml) }
            ?? parent?.printing
        let pages =
            values["pages"].map { PageSettingsReader.read($0, over: parent?.pages, with: &yaml) } ?? parent?.pages
        guard let written, let description else { return nil }
        return PrinterProfile(
            name: written, description: description, jobTypes: jobTypes, inherits: inherits, match: match,
            commandSets: commandSets, quirks: quirks, lpr: lpr, device: device, printing: printing, pages: pages)
    }

    private mutating func jobTypes(_ node: YAMLNode) -> JobTypes? {
        let jobTypes = yaml.jobTypes(node)
        if node.items?.isEmpty == true {
            yaml.report(
                "the profile has no job type", at: node.position,
                instead: "at least one of \(RegistryRules.jobTypeKeywords)")
        }
        return jobTypes
    }

    private mutating func patterns(_ node: YAMLNode, _ key: String) -> [ModelPattern] {
        let example =
            key == "match" ? "a make and model such as \"HP LaserJet*\"" : "a command set such as \"ESC/POS*\""
        guard let items = yaml.items(node, key, example: key == "match" ? "\"HP LaserJet*\"" : "\"ESC/POS*\"") else {
            return []
        }
        if items.isEmpty {
            yaml.report("the profile matches nothing", at: node.position, instead: "a pattern, or remove the key")
        }
        return items.compactMap { item in
            guard let text = yaml.text(item, "the pattern", instead: example) else { return nil }
            let pattern = ModelPattern(text)
            // A pattern that matches everything would hide the origin of a quirk.
            guard pattern.literalLength > 0, text.utf8.count <= ModelPattern.maximumLength, !text.hasControlCharacters
            else {
                yaml.report(
                    "the pattern is empty, matches everything or is longer than \(ModelPattern.maximumLength) bytes",
                    at: item.position, instead: example)
                return nil
            }
            return pattern
        }
    }

    private mutating func quirks(_ node: YAMLNode, of profile: String) -> [Quirk] {
        guard
            let items = yaml.items(
                node, "quirks", example: "{ quirk: connection, value: close, why: …, source: https://… }")
        else { return [] }
        var quirks: [Quirk] = []
        for item in items {
            guard let quirk = quirk(item, of: profile) else { continue }
            if quirks.contains(where: { $0.name == quirk.name }) {
                yaml.report("the quirk \(quirk.name.rawValue) appears twice", at: item.position, instead: "it once")
            }
            quirks.append(quirk)
        }
        return quirks
    }

    private mutating func quirk(_ node: YAMLNode, of profile: String) -> Quirk? {
        guard let values = yaml.mapping(node, of: "a quirk", keys: Self.quirkKeys, path: "") else { return nil }
        for key in Self.quirkKeys where values[key] == nil {
            yaml.report("the quirk lacks its \(key)", at: node.position, instead: "\(key): …")
        }
        let name = values["quirk"].flatMap { yaml.keyword($0, "the quirk", as: Quirk.Name.self) }
        let value = values["value"].flatMap { yaml.oneLine($0, "the value", instead: "a string") }
        let why = values["why"].flatMap { yaml.oneLine($0, "the reason", instead: "what the printer does without it") }
        let source = values["source"].flatMap { yaml.oneLine($0, "the source", instead: "the URL of the source") }
        guard let name, let value, let why, let source, let valueNode = values["value"],
            let sourceNode = values["source"]
        else { return nil }
        if value.isEmpty || name.values?.contains(value) == false {
            yaml.report(
                "the quirk \(name.rawValue) does not accept this value\(yaml.quoted(valueNode))",
                at: valueNode.position,
                instead: name.values.map { Suggestion.instead(of: value, among: $0, otherwise: "another") }
                    ?? "a string")
        }
        if why.isEmpty, let whyNode = values["why"] {
            yaml.report("the reason is empty", at: whyNode.position, instead: "what the printer does without it")
        }
        if !source.hasPrefix("https://"), !source.hasPrefix("http://") {
            yaml.report(
                "the source is not a URL\(yaml.quoted(sourceNode))", at: sourceNode.position,
                instead: "the URL of the source")
        }
        return Quirk(name: name, value: value, why: why, source: source, profile: profile)
    }
}
