import KioskPrintModel
import Yams

/// Parses a file into nodes with positions; the only code that uses Yams.
struct YAMLComposer {
    private let file: String
    /// Whether the file's content must not appear in a problem.
    private let isSecret: Bool
    private var source: SourceText
    private var problems: [RegistryProblem] = []

    /// The root, nil for an empty file or one that cannot be parsed, and all problems so far.
    static func compose(
        _ bytes: [UInt8], file: String, isSecret: Bool = false
    ) -> (root: YAMLNode?, source: SourceText, problems: [RegistryProblem]) {
        guard let text = decode(bytes) else {
            let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .firstIndex { String(validating: $0, as: UTF8.self) == nil }
            let problem = RegistryProblem(
                file: file, line: (line ?? 0) + 1, column: 1, message: "the line is not UTF-8",
                instead: "the file in UTF-8")
            return (nil, SourceText(""), [problem])
        }
        var composer = YAMLComposer(file: file, isSecret: isSecret, source: SourceText(text))
        let root = composer.root()
        return (root, SourceText(text), composer.problems)
    }

    /// Decodes UTF-8 without a byte order mark, which would shift the columns of the first line.
    private static func decode(_ bytes: [UInt8]) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(validating: bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...], as: UTF8.self)
    }

    private init(file: String, isSecret: Bool, source: SourceText) {
        self.file = file
        self.isSecret = isSecret
        self.source = source
    }

    private mutating func root() -> YAMLNode? {
        if let (position, message, instead) = YAMLLimits.problem(of: source) {
            add(position, message, instead)
            return nil
        }
        while true {
            do {
                let parser = try Parser(yaml: source.text, resolver: .basic, encoding: .utf8)
                // Nodes hold their anchors weakly; the parser keeps them alive.
                return try withExtendedLifetime(parser) { try parser.singleRoot().flatMap { node($0) } }
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                guard hideDuplicate(of: keys.first ?? "", at: TextPosition(context.mark)) else { return nil }
            } catch {
                add(error)
                return nil
            }
        }
    }

    /// Reports a key's second occurrence and hides it from the next attempt, since Yams ends at the first duplicate.
    private mutating func hideDuplicate(of key: String, at first: TextPosition) -> Bool {
        let second = source.duplicate(of: key, after: first)
        let name = isSecret ? "a key" : "the key \"\(key.withoutControlCharacters)\""
        add(second ?? first, "\(name) appears twice in the same mapping", "it once")
        guard let second, problems.count < YAMLLimits.maximumProblems else { return false }
        return source.hide(key, at: second, number: problems.count)
    }

    private mutating func node(_ node: Node) -> YAMLNode? {
        let position = node.mark.map(TextPosition.init) ?? .start
        guard node.anchor == nil else {
            add(position, "anchors and aliases (&name, *name) are not supported", "each value itself")
            return nil
        }
        switch node {
        case .scalar(let scalar):
            guard hasNoTag(scalar.tag, at: position) else { return nil }
            return YAMLNode(content: .scalar(scalar.string, .init(scalar.style)), position: position)
        case .sequence(let sequence):
            guard hasNoTag(sequence.tag, at: position) else { return nil }
            return YAMLNode(content: .sequence(sequence.compactMap { self.node($0) }), position: position)
        case .mapping(let mapping):
            guard hasNoTag(mapping.tag, at: position) else { return nil }
            let pairs = mapping.compactMap { key, value -> YAMLNode.Pair? in
                if let text = key.scalar?.string, SourceText.isHidden(text) { return nil }
                guard let key = self.node(key), let value = self.node(value) else { return nil }
                return YAMLNode.Pair(key: key, value: value)
            }
            return YAMLNode(content: .mapping(pairs), position: position)
        case .alias:
            add(position, "aliases (*name) are not supported", "the value itself")
            return nil
        }
    }

    private mutating func hasNoTag(_ tag: Tag, at position: TextPosition) -> Bool {
        // Yams gives quoted scalars the tag of a string.
        if [Tag.Name.implicit.rawValue, Tag.Name.nonSpecific.rawValue, Tag.Name.str.rawValue].contains(tag.description)
        {
            return true
        }
        add(position, "tags (!name) are not supported", "the value without its tag")
        return false
    }
}

extension YAMLComposer {
    private mutating func add(_ position: TextPosition, _ message: String, _ instead: String) {
        let problem = RegistryProblem(
            file: file, line: position.line, column: position.column, message: message, instead: instead)
        if problems.count < YAMLLimits.maximumProblems, !problems.contains(problem) { problems.append(problem) }
    }

    private mutating func add(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            let position = TextPosition(mark)
            let offset = source.offset(of: position)
            let isTab = offset < source.end && source.scalars[offset] == "\t"
            add(
                position, "the YAML cannot be read: \(problem)",
                isTab ? "spaces instead of tabs" : "valid YAML here; look at the line before it too")
        case .reader(let problem, let offset, _, let yaml):
            let prefix = yaml.prefix(offset ?? 0).unicodeScalars.count
            add(source.position(of: prefix), "the YAML cannot be read: \(problem)", "text without control characters")
        case let other:
            // Some errors of Yams contain the text around the position.
            let reason = isSecret ? "it is not valid" : other.map { "\($0)" } ?? "\(error)"
            add(.start, "the YAML cannot be read: \(reason.withoutControlCharacters)", "valid YAML")
        }
    }
}

extension TextPosition {
    fileprivate init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}

extension YAMLNode.Style {
    fileprivate init(_ style: Node.Scalar.Style) {
        self =
            switch style {
            case .any, .plain: .plain
            case .singleQuoted: .singleQuoted
            case .doubleQuoted: .doubleQuoted
            case .literal, .folded: .block
            }
    }
}

/// A part of a YAML file with its position: the reader checks it, the writer edits it.
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

    /// The text of a scalar of any style.
    var text: String? {
        if case .scalar(let text, _) = content { return text }
        return nil
    }

    /// Whether the value is missing: nothing, `~` or `null`.
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

    /// The kind of node, for people.
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
