import KioskPrintModel

/// A value to be written to a YAML file, independent of its style there.
enum YAMLValue: Hashable {
    /// Numbers, flags and times, which are never quoted.
    case bare(String)
    case text(String)
    case list([YAMLValue])
    case map([Entry])

    struct Entry: Hashable {
        var key: String
        var value: YAMLValue
    }

    var entries: [Entry]? {
        if case .map(let entries) = self { return entries }
        return nil
    }

    var isEmpty: Bool {
        switch self {
        case .bare, .text: false
        case .list(let items): items.isEmpty
        case .map(let entries): entries.isEmpty
        }
    }

    /// The value of a key.
    subscript(key: String) -> YAMLValue? { entries?.first { $0.key == key }?.value }
}

extension YAMLValue {
    /// The value in one line, with brackets and braces (flow style).
    var inline: String {
        switch self {
        case .bare(let text): text
        case .text(let text): Self.isSafePlain(text) ? text : Self.doubleQuoted(text)
        case .list(let items): "[\(items.map(\.inline).joined(separator: ", "))]"
        case .map(let entries):
            entries.isEmpty ? "{}" : "{ \(entries.map { "\($0.key): \($0.value.inline)" }.joined(separator: ", ")) }"
        }
    }

    /// The value in the style of the scalar that it replaces.
    func inline(like style: YAMLNode.Style) -> String {
        guard case .text(let text) = self else { return inline }
        switch style {
        case .doubleQuoted: return Self.doubleQuoted(text)
        case .singleQuoted where !text.hasControlCharacters:
            return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
        default: return inline
        }
    }

    /// The value in lines (block style). `levels` is the number of levels with lines of their own; deeper ones are
    /// inline.
    func lines(levels: Int) -> [String] {
        switch self {
        case .map(let entries) where levels > 0: entries.flatMap { Self.lines(of: $0, levels: levels - 1) }
        case .list(let items) where levels > 0:
            items.flatMap { item in
                item.lines(levels: levels - 1).enumerated().map { "\($0.offset == 0 ? "- " : "  ")\($0.element)" }
            }
        default: [inline]
        }
    }

    /// `key: value`, or the key with the value's lines indented below it.
    static func lines(of entry: Entry, levels: Int) -> [String] {
        guard levels > 0, !entry.value.isEmpty else { return ["\(entry.key): \(entry.value.inline)"] }
        switch entry.value {
        case .bare, .text: return ["\(entry.key): \(entry.value.inline)"]
        case .list, .map: return ["\(entry.key):"] + entry.value.lines(levels: levels).map { "  \($0)" }
        }
    }

    /// Whether a string needs no quotes, also inside brackets, for every reader of YAML 1.1 and 1.2.
    private static func isSafePlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            first.properties.isAlphabetic, last != " ", last != ":",
            !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(text.lowercased())
        else { return false }
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            let isAllowed =
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || " -._/:@+%=".unicodeScalars.contains(scalar)
            if !isAllowed || (previous == ":" && scalar == " ") { return false }
            previous = scalar
        }
        return true
    }

    private static func doubleQuoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where String(scalar).hasControlCharacters:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
