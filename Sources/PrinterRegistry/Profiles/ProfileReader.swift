import PrintModel

/// Reads one profile file.
struct ProfileReader {
    var list: ProblemList
    private let root: YAMLNode?
    private let name: String

    init(_ bytes: [UInt8], file: String, name: String) {
        let (root, _, problems) = YAMLComposer.compose(bytes, file: file)
        self.name = name
        self.root = root.flatMap { $0.isNull ? nil : $0 }
        list = ProblemList(file: file, problems: problems)
        if self.root == nil, problems.isEmpty {
            list.add("the profile is empty", at: .start, instead: "name, description and job-types")
        }
    }

    /// The profile, or what is wrong with its file.
    static func read(
        _ bytes: [UInt8], file: String, name: String
    ) -> (profile: PrinterProfile?, problems: [RegistryProblem]) {
        var reader = ProfileReader(bytes, file: file, name: name)
        let profile = reader.profile(over: nil)
        return (reader.list.problems.isEmpty ? profile : nil, reader.list.sorted)
    }

    /// The profile whose keys hold here too, as far as the file names one.
    var parent: (name: String, position: TextPosition)? {
        root?["inherits"].flatMap { node in node.text.map { ($0, node.position) } }
    }

    /// What the file says, and for the rest its parent; as far as it can be read where there are problems.
    mutating func profile(over parent: PrinterProfile?) -> PrinterProfile? {
        guard let root, let values = list.mapping(root, of: "a profile", keys: Vocabulary.profileKeys, path: "") else {
            return nil
        }
        // What matches models and tells of their quirks, or of how to reach and ask them, need not say what they print.
        let isForQuirks =
            (values["match"] != nil && (values["quirks"] ?? values["device"] ?? values["inherits"]) != nil)
            || values["lpr"] != nil
        let required = ["name", "description"] + (isForQuirks || parent?.jobTypes != nil ? [] : ["job-types"])
        for key in required where values[key] == nil {
            list.add("the profile lacks its \(key)", at: root.position, instead: "\(key): …")
        }
        guard required.allSatisfy({ values[$0] != nil }), let nameNode = values["name"],
            let descriptionNode = values["description"]
        else { return nil }
        let written = list.text(nameNode, "the name", instead: name)
        if let written, written != name {
            list.add("the profile's name \"\(written)\" is not that of its file", at: nameNode.position, instead: name)
        }
        let description = oneLine(descriptionNode, "the description", instead: "one line for people")
        let inherits = values["inherits"].flatMap { list.text($0, "inherits", instead: "the name of a profile") }
        let jobTypes = values["job-types"].map { self.jobTypes($0) } ?? parent?.jobTypes
        let match = values["match"].map { patterns($0, "match") } ?? []
        let commandSets = values["command-sets"].map { patterns($0, "command-sets") } ?? []
        let quirks = values["quirks"].map { self.quirks($0, of: name) } ?? parent?.quirks ?? []
        let lpr = values["lpr"].map { lprSettings($0, over: parent?.lpr) } ?? parent?.lpr
        let device = values["device"].map { deviceSettings($0, over: parent?.device) } ?? parent?.device
        let printing = values["printing"].map { printingSettings($0, over: parent?.printing) } ?? parent?.printing
        guard let written, let description else { return nil }
        return PrinterProfile(
            name: written, description: description, jobTypes: jobTypes, inherits: inherits, match: match,
            commandSets: commandSets, quirks: quirks, lpr: lpr, device: device, printing: printing)
    }

    private mutating func jobTypes(_ node: YAMLNode) -> JobTypes? {
        let jobTypes = list.jobTypes(node)
        if node.items?.isEmpty == true {
            list.add(
                "the profile has no job type", at: node.position, instead: "at least one of \(Vocabulary.jobTypes)")
        }
        return jobTypes
    }

    private mutating func patterns(_ node: YAMLNode, _ key: String) -> [ModelPattern] {
        let example =
            key == "match" ? "a make and model such as \"HP LaserJet*\"" : "a command set such as \"ESC/POS*\""
        guard let items = list.items(node, key, example: key == "match" ? "\"HP LaserJet*\"" : "\"ESC/POS*\"") else {
            return []
        }
        if items.isEmpty {
            list.add("the profile matches nothing", at: node.position, instead: "a pattern, or remove the key")
        }
        return items.compactMap { item in
            guard let text = list.text(item, "the pattern", instead: example) else { return nil }
            let pattern = ModelPattern(text)
            // What matches everything would overrule nothing and hide where a quirk comes from.
            guard pattern.literalLength > 0, text.utf8.count <= ModelPattern.maximumLength, !text.hasControlCharacters
            else {
                list.add(
                    "the pattern is empty, matches everything or is longer than \(ModelPattern.maximumLength) bytes",
                    at: item.position, instead: example)
                return nil
            }
            return pattern
        }
    }

    mutating func oneLine(_ node: YAMLNode, _ what: String, instead: String) -> String? {
        guard let text = list.text(node, what, instead: instead) else { return nil }
        if text.hasControlCharacters || text.utf8.count > RegistryRules.maximumTextLength {
            list.add(
                "\(what) is too long or not one line", at: node.position,
                instead: "one line of at most \(RegistryRules.maximumTextLength) bytes")
        }
        return text
    }
}

extension ProfileReader {
    private mutating func quirks(_ node: YAMLNode, of profile: String) -> [Quirk] {
        guard
            let items = list.items(
                node, "quirks", example: "{ quirk: connection, value: close, why: …, source: https://… }")
        else { return [] }
        var quirks: [Quirk] = []
        for item in items {
            guard let quirk = quirk(item, of: profile) else { continue }
            if quirks.contains(where: { $0.name == quirk.name }) {
                list.add("the quirk \(quirk.name.rawValue) stands twice", at: item.position, instead: "it once")
            }
            quirks.append(quirk)
        }
        return quirks
    }

    private mutating func quirk(_ node: YAMLNode, of profile: String) -> Quirk? {
        guard let values = list.mapping(node, of: "a quirk", keys: Vocabulary.quirkKeys, path: "") else { return nil }
        for key in Vocabulary.quirkKeys where values[key] == nil {
            list.add("the quirk lacks its \(key)", at: node.position, instead: "\(key): …")
        }
        let name = values["quirk"].flatMap { list.keyword($0, "the quirk", as: Quirk.Name.self) }
        let value = values["value"].flatMap { oneLine($0, "the value", instead: "a text") }
        let why = values["why"].flatMap { oneLine($0, "the reason", instead: "what the printer does without it") }
        let source = values["source"].flatMap { oneLine($0, "the source", instead: "the URL where it was learnt") }
        guard let name, let value, let why, let source, let valueNode = values["value"],
            let sourceNode = values["source"]
        else { return nil }
        if value.isEmpty || name.values?.contains(value) == false {
            list.add(
                "the quirk \(name.rawValue) does not take this value\(list.quoted(valueNode))", at: valueNode.position,
                instead: name.values.map { Suggestion.instead(of: value, among: $0, otherwise: "another") } ?? "a text")
        }
        if why.isEmpty, let whyNode = values["why"] {
            list.add("the reason is empty", at: whyNode.position, instead: "what the printer does without it")
        }
        if !source.hasPrefix("https://"), !source.hasPrefix("http://") {
            list.add(
                "the source is no URL\(list.quoted(sourceNode))", at: sourceNode.position,
                instead: "the URL where it was learnt")
        }
        return Quirk(name: name, value: value, why: why, source: source, profile: profile)
    }
}
