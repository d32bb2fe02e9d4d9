import PrintModel

/// Values of the basic kinds; each adds a problem and answers nil where the node is something else.
extension ProblemList {
    /// A mapping's values by key. Every key must be among `keys`; `what` names the mapping in messages.
    mutating func mapping(_ node: YAMLNode, of what: String, keys: [String], path: String) -> [String: YAMLNode]? {
        guard let pairs = node.pairs else {
            add(
                "\(what) must be a mapping, and is \(node.kind)", at: node.position,
                instead: "key: value lines with \(keys.joined(separator: ", "))")
            return nil
        }
        var values: [String: YAMLNode] = [:]
        for pair in pairs {
            guard let key = pair.key.text, keys.contains(key) else {
                let key = pair.key.text ?? ""
                // In a file of secrets a key may be a password that slipped to the front of its line.
                add(
                    isSecret ? "\(what) has a key that is not known" : "\(what) has no key \"\(key)\"",
                    at: pair.key.position, instead: Suggestion.instead(of: key, among: keys, otherwise: "another key"))
                continue
            }
            // Where a value is left out, libyaml's mark stands behind the colon.
            note("\(path).\(key)", at: pair.value.isNull ? pair.key.position : pair.value.position)
            values[key] = pair.value
        }
        return values
    }

    mutating func text(_ node: YAMLNode, _ what: String, instead: String) -> String? {
        guard let text = node.text, !node.isNull else {
            add("\(what) must be a text, and is \(node.kind)", at: node.position, instead: instead)
            return nil
        }
        return text
    }

    mutating func items(_ node: YAMLNode, _ what: String, example: String) -> [YAMLNode]? {
        if let items = node.items { return items }
        let instead = node.isNull ? "[\(example)]" : "[\(node.text ?? example)]"
        add("\(what) must be a list, and is \(node.kind)", at: node.position, instead: instead)
        return nil
    }

    mutating func integer(_ node: YAMLNode, _ what: String) -> Int? {
        if case .scalar(let text, .plain) = node.content, let number = Int(text) { return number }
        add("\(what) must be a whole number\(quoted(node))", at: node.position, instead: "digits without quotes")
        return nil
    }

    mutating func flag(_ node: YAMLNode, _ what: String) -> Bool? {
        if case .scalar("true", .plain) = node.content { return true }
        if case .scalar("false", .plain) = node.content { return false }
        add("\(what) must be true or false\(quoted(node))", at: node.position, instead: "true or false")
        return nil
    }

    /// One of an enumeration's keywords.
    mutating func keyword<Value: RawRepresentable<String> & CaseIterable>(
        _ node: YAMLNode, _ what: String, as type: Value.Type = Value.self
    ) -> Value? {
        if let text = node.text, let value = Value(rawValue: text) { return value }
        let keywords = Value.allCases.map(\.rawValue)
        add(
            "\(what) is not known\(quoted(node))", at: node.position,
            instead: Suggestion.instead(of: node.text ?? "", among: keywords, otherwise: "another"))
        return nil
    }

    /// Whole seconds: `600`, or with a unit `90s`, `10m`, `1h`, `1d`.
    mutating func seconds(_ node: YAMLNode, _ what: String) -> Int? {
        if let text = node.text, let seconds = Duration.seconds(of: text) { return seconds }
        add(
            "\(what) is no time\(quoted(node))", at: node.position,
            instead: "seconds, or a number with its unit such as 90s, 10m, 1h or 1d")
        return nil
    }

    func quoted(_ node: YAMLNode) -> String {
        isSecret
            ? "" : node.text.map { $0.isEmpty ? ", and is empty" : ": \"\($0.prefix(60))\"" } ?? ", and is \(node.kind)"
    }
}
