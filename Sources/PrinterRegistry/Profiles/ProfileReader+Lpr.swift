import PrintModel

extension ProfileReader {
    /// A profile's `lpr`: how documents reach the printer through a Unix host. What it leaves open stays as it was.
    mutating func lprSettings(_ node: YAMLNode, over base: LprSettings?) -> LprSettings? {
        guard let values = list.mapping(node, of: "lpr", keys: Vocabulary.lprKeys, path: "") else { return nil }
        var settings = base ?? LprSettings()
        settings.dialect = values["dialect"].flatMap { list.keyword($0, "the dialect of lpr") } ?? settings.dialect
        settings.upload = values["upload"].flatMap { list.keyword($0, "the way of uploading") } ?? settings.upload
        settings.conversion = values["conversion"].flatMap { list.keyword($0, "the conversion") } ?? settings.conversion
        settings.quota = values["quota"].flatMap { quota($0) } ?? settings.quota
        return settings
    }

    private mutating func quota(_ node: YAMLNode) -> LprSettings.Quota? {
        guard let values = list.mapping(node, of: "the quota", keys: Vocabulary.quotaKeys, path: "") else { return nil }
        for key in Vocabulary.quotaKeys where values[key] == nil {
            list.add("the quota lacks its \(key)", at: node.position, instead: "\(key): …")
        }
        guard let command = values["command"], let pattern = values["pattern"] else { return nil }
        let words = words(command)
        guard let words, let pattern = self.pattern(pattern) else { return nil }
        return LprSettings.Quota(command: words, pattern: pattern)
    }

    /// Each word is quoted before a shell sees it, so anything but a control character may stand in one.
    private mutating func words(_ node: YAMLNode) -> [String]? {
        let example = "pquota, -P, \"%queue\""
        guard let items = list.items(node, "the quota's command", example: example) else { return nil }
        let words = items.compactMap { oneLine($0, "a word of the quota's command", instead: "a text in quotes") }
        guard (1...Self.maximumWords).contains(items.count), words.first?.isEmpty == false else {
            list.add(
                "the quota's command is empty or has more than \(Self.maximumWords) words", at: node.position,
                instead: "[\(example)]")
            return nil
        }
        return words
    }

    private static let maximumWords = 32

    private mutating func pattern(_ node: YAMLNode) -> String? {
        let example = "\"([0-9]+) pages left\""
        guard let text = oneLine(node, "the quota's pattern", instead: example) else { return nil }
        // Only a match tells how many groups there are, and with one alternative more the empty text is one.
        let groups = (try? Regex("(?:\(text))|"))?.groupCount ?? 0
        guard (try? Regex(text)) != nil, groups >= 1 else {
            list.add(
                "the quota's pattern is no regular expression with a group around the number\(list.quoted(node))",
                at: node.position, instead: example)
            return nil
        }
        return text
    }
}

extension Regex<AnyRegexOutput> {
    /// Of one that matches the empty text.
    fileprivate var groupCount: Int { (try? wholeMatch(in: "")).flatMap(\.self).map { $0.output.count - 1 } ?? 0 }
}
