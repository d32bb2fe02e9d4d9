/// A part of a YAML file with its place: what the reader checks and the writer edits.
struct YAMLNode {
    var content: Content
    var position: TextPosition

    enum Content {
        case scalar(String, Style)
        case sequence([YAMLNode])
        case mapping([Pair])
    }

    struct Pair {
        var key: YAMLNode
        var value: YAMLNode
    }

    enum Style: Hashable {
        case plain, singleQuoted, doubleQuoted, block
    }

    /// The text of a scalar, whatever its style.
    var text: String? {
        if case .scalar(let text, _) = content { return text }
        return nil
    }

    /// A value that is left out: nothing, `~` or `null`.
    var isNull: Bool {
        if case .scalar(let text, .plain) = content { return ["", "~", "null", "Null", "NULL"].contains(text) }
        return false
    }

    var items: [YAMLNode]? {
        if case .sequence(let items) = content { return items }
        return nil
    }

    var pairs: [Pair]? {
        if case .mapping(let pairs) = content { return pairs }
        return nil
    }

    /// What it is, for people.
    var kind: String {
        switch content {
        case .scalar: isNull ? "nothing" : "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// The value of a key.
    subscript(key: String) -> YAMLNode? { pairs?.first { $0.key.text == key }?.value }
}
