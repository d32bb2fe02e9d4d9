import KioskPrintModel

/// Reads values from the nodes of one YAML file, and collects the file's problems with their positions.
struct YAMLReader {
    let file: String
    /// Whether the file's content must not appear in a problem.
    private let isSecret: Bool
    private(set) var problems: [RegistryProblem]
    /// The positions of values by path: `roles.receipt.printers.0`.
    private var positions: [String: TextPosition] = [:]

    init(file: String, problems: [RegistryProblem] = [], isSecret: Bool = false) {
        self.file = file
        self.isSecret = isSecret
        self.problems = problems
    }

    mutating func report(_ message: String, at position: TextPosition, instead: String) {
        guard problems.count < YAMLLimits.maximumProblems else { return }
        problems.append(
            RegistryProblem(
                file: file, line: position.line, column: position.column,
                message: message.withoutControlCharacters, instead: instead.withoutControlCharacters))
    }

    /// Records the position of a value, for the problems that are reported by its path.
    mutating func record(_ path: String, at position: TextPosition) { positions[path] = position }

    /// Reports violations at the positions of their values, or of the nearest parent that the file contains.
    mutating func report(_ violations: [RegistryRules.Violation]) {
        for violation in violations {
            report(violation.message, at: position(of: violation.path), instead: violation.instead)
        }
    }

    private func position(of path: String) -> TextPosition {
        var path = path[...]
        while true {
            if let position = positions[String(path)] { return position }
            guard let dot = path.lastIndex(of: ".") else { return .start }
            path = path[..<dot]
        }
    }

    /// The problems in the file's order.
    var sortedProblems: [RegistryProblem] {
        problems.enumerated().sorted {
            ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
        }
        .map(\.element)
    }
}

// MARK: - Values of basic types

/// Each function reports a problem and returns nil where the node is something else.
extension YAMLReader {
    /// The values of a mapping by key. Every key must be one of `keys`; `what` names the mapping in messages.
    mutating func mapping(_ node: YAMLNode, of what: String, keys: [String], path: String) -> [String: YAMLNode]? {
        guard let pairs = node.pairs else {
            report(
                "\(what) must be a mapping, and is \(node.kind)", at: node.position,
                instead: "key: value lines with \(keys.joined(separator: ", "))")
            return nil
        }
        var values: [String: YAMLNode] = [:]
        for pair in pairs {
            guard let key = pair.key.text, keys.contains(key) else {
                let key = pair.key.text ?? ""
                // In a secrets file a misplaced password may be read as a key.
                report(
                    isSecret ? "\(what) has a key that is not known" : "\(what) has no key \"\(key)\"",
                    at: pair.key.position, instead: Suggestion.instead(of: key, among: keys, otherwise: "another key"))
                continue
            }
            // The position of a missing value is behind the colon.
            record("\(path).\(key)", at: pair.value.isNull ? pair.key.position : pair.value.position)
            values[key] = pair.value
        }
        return values
    }

    mutating func text(_ node: YAMLNode, _ what: String, instead: String) -> String? {
        guard let text = node.text, !node.isNull else {
            report("\(what) must be a string, and is \(node.kind)", at: node.position, instead: instead)
            return nil
        }
        return text
    }

    /// A string in one line without control characters, of at most `RegistryRules.maximumTextLength` bytes.
    mutating func oneLine(_ node: YAMLNode, _ what: String, instead: String) -> String? {
        guard let text = self.text(node, what, instead: instead) else { return nil }
        if text.hasControlCharacters || text.utf8.count > RegistryRules.maximumTextLength {
            report(
                "\(what) is too long or not one line", at: node.position,
                instead: "one line of at most \(RegistryRules.maximumTextLength) bytes")
        }
        return text
    }

    mutating func items(_ node: YAMLNode, _ what: String, example: String) -> [YAMLNode]? {
        if let items = node.items { return items }
        let instead = node.isNull ? "[\(example)]" : "[\(node.text ?? example)]"
        report("\(what) must be a list, and is \(node.kind)", at: node.position, instead: instead)
        return nil
    }

    mutating func integer(_ node: YAMLNode, _ what: String) -> Int? {
        if case .scalar(let text, .plain) = node.content, let number = Int(text) { return number }
        report("\(what) must be a whole number\(quoted(node))", at: node.position, instead: "digits without quotes")
        return nil
    }

    mutating func flag(_ node: YAMLNode, _ what: String) -> Bool? {
        if case .scalar("true", .plain) = node.content { return true }
        if case .scalar("false", .plain) = node.content { return false }
        report("\(what) must be true or false\(quoted(node))", at: node.position, instead: "true or false")
        return nil
    }

    /// One of an enumeration's keywords.
    mutating func keyword<Value: RawRepresentable<String> & CaseIterable>(
        _ node: YAMLNode, _ what: String, as type: Value.Type = Value.self
    ) -> Value? {
        if let text = node.text, let value = Value(rawValue: text) { return value }
        let keywords = Value.allCases.map(\.rawValue)
        report(
            "\(what) is not known\(quoted(node))", at: node.position,
            instead: Suggestion.instead(of: node.text ?? "", among: keywords, otherwise: "another"))
        return nil
    }

    /// Whole seconds: `600`, or with a unit `90s`, `10m`, `1h`, `1d`.
    mutating func seconds(_ node: YAMLNode, _ what: String) -> Int? {
        if let text = node.text, let seconds = Duration.seconds(of: text) { return seconds }
        report(
            "\(what) is not a time\(quoted(node))", at: node.position,
            instead: "seconds, or a number with its unit such as 90s, 10m, 1h or 1d")
        return nil
    }

    /// The node's content as the end of a message; nothing in a secrets file.
    func quoted(_ node: YAMLNode) -> String {
        isSecret
            ? "" : node.text.map { $0.isEmpty ? ", and is empty" : ": \"\($0.prefix(60))\"" } ?? ", and is \(node.kind)"
    }
}
