import KioskPrintModel

/// Reads the `lpr` section of a profile: the settings of `ssh+lpr://` printers (dialect, upload, conversion, quota).
/// `ProfileReader` calls it; mistakes go to its `YAMLReader`.
struct LprSettingsReader {
    private var yaml: YAMLReader

    private static let maximumWords = 32
    private static let lprKeys = ["dialect", "upload", "conversion", "quota"]
    private static let quotaKeys = ["command", "pattern"]

    /// Reads a section. What it leaves open keeps the values of `base`.
    static func read(_ node: YAMLNode, over base: LprSettings?, with yaml: inout YAMLReader) -> LprSettings? {
        var reader = Self(yaml: yaml)
        defer { yaml = reader.yaml }
        return reader.settings(node, over: base)
    }

    private mutating func settings(_ node: YAMLNode, over base: LprSettings?) -> LprSettings? {
        guard let values = yaml.mapping(node, of: "lpr", keys: Self.lprKeys, path: "") else { return nil }
        var settings = base ?? LprSettings()
        settings.dialect = values["dialect"].flatMap { yaml.keyword($0, "the dialect of lpr") } ?? settings.dialect
        settings.upload = values["upload"].flatMap { yaml.keyword($0, "the way of uploading") } ?? settings.upload
        settings.conversion = values["conversion"].flatMap { yaml.keyword($0, "the conversion") } ?? settings.conversion
        settings.quota = values["quota"].flatMap { quota($0) } ?? settings.quota
        return settings
    }

    private mutating func quota(_ node: YAMLNode) -> LprSettings.Quota? {
        guard let values = yaml.mapping(node, of: "the quota", keys: Self.quotaKeys, path: "") else { return nil }
        for key in Self.quotaKeys where values[key] == nil {
            yaml.report("the quota lacks its \(key)", at: node.position, instead: "\(key): …")
        }
        guard let command = values["command"], let pattern = values["pattern"] else { return nil }
        let words = words(command)
        guard let words, let pattern = self.pattern(pattern) else { return nil }
        return LprSettings.Quota(command: words, pattern: pattern)
    }

    /// Words may contain anything but control characters: each is quoted for the shell.
    private mutating func words(_ node: YAMLNode) -> [String]? {
        let example = "pquota, -P, \"%queue\""
        guard let items = yaml.items(node, "the quota's command", example: example) else { return nil }
        let words = items.compactMap {
            yaml.oneLine($0, "a word of the quota's command", instead: "a string in quotes")
        }
        guard (1...Self.maximumWords).contains(items.count), words.first?.isEmpty == false else {
            yaml.report(
                "the quota's command is empty or has more than \(Self.maximumWords) words", at: node.position,
                instead: "[\(example)]")
            return nil
        }
        return words
    }

    private mutating func pattern(_ node: YAMLNode) -> String? {
        let example = "\"([0-9]+) pages left\""
        guard let text = yaml.oneLine(node, "the quota's pattern", instead: example) else { return nil }
        // Only a match shows the number of groups; with one more alternative the empty text matches.
        let groups = (try? Regex("(?:\(text))|"))?.groupCount ?? 0
        guard (try? Regex(text)) != nil, groups >= 1 else {
            yaml.report(
                "the quota's pattern is not a regular expression with a group around the number\(yaml.quoted(node))",
                at: node.position, instead: example)
            return nil
        }
        return text
    }
}

extension Regex<AnyRegexOutput> {
    /// The number of groups of a regular expression that matches the empty text.
    fileprivate var groupCount: Int { (try? wholeMatch(in: "")).flatMap(\.self).map { $0.output.count - 1 } ?? 0 }
}
