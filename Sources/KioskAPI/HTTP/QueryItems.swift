import PrintModel

/// The query of a request: `key=value&…` in percent-encoded UTF-8. `+` stands for a space, as forms and curl write it.
public struct QueryItems: Hashable, Sendable {
    public private(set) var items: [Item] = []

    public struct Item: Hashable, Sendable {
        public var key: String
        public var value: String
    }

    public init() {}

    /// Reads the part after the question mark. Throws a `Problem` when it is not percent-encoded or names a key twice.
    public init(_ query: String?) throws {
        for part in (query ?? "").split(separator: "&") {
            let (key, value) = part.splitOnce(at: "=")
            guard let key = Self.decode(key), let value = Self.decode(value ?? "") else {
                throw Problem(
                    .invalidParameter,
                    detail: "\"\(part)\" in the query is not percent-encoded UTF-8; write %XX for such bytes"
                )
            }
            guard self[key] == nil else {
                throw Problem(.invalidParameter, detail: "\"\(key)\" stands twice in the query; write it once")
            }
            items.append(Item(key: key, value: value))
        }
    }

    public subscript(key: String) -> String? { items.first { $0.key == key }?.value }

    /// Adds an item; a nil value adds nothing.
    public mutating func add(_ key: String, _ value: String?) {
        if let value { items.append(Item(key: key, value: value)) }
    }

    /// Throws a `Problem` when the query has a key that is not in `known`.
    public func refuseKeys(besides known: [String]) throws {
        guard let unknown = items.first(where: { !known.contains($0.key) }) else { return }
        throw Problem(
            .invalidParameter,
            detail:
                "the parameter \"\(unknown.key)\" is not known; the parameters are \(known.joined(separator: ", "))"
        )
    }

    /// The query with its question mark; empty when there are no items.
    public var suffix: String {
        items.isEmpty
            ? "" : "?" + items.map { "\(Self.encode($0.key))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    static func decode(_ text: Substring) -> String? {
        PercentEncoding.decode(String(text.map { $0 == "+" ? " " : $0 }))
    }

    private static func encode(_ text: String) -> String {
        PercentEncoding.encode(text, keeping: PercentEncoding.isUnreserved)
    }

    /// The value of `key`, read by `parse`. Throws a `Problem` that says what to write when `parse` returns nil.
    func value<Value>(_ key: String, write instead: String, parse: (String) -> Value?) throws -> Value? {
        guard let text = self[key] else { return nil }
        guard let value = parse(text) else { throw Problem.invalid(key, text, write: instead) }
        return value
    }

    /// The elements of a comma-separated list, each read by `parse`; nil when one of them is not readable.
    static func list<Element>(_ text: String, parse: (String) -> Element?) -> [Element]? {
        let parts = text.split(separator: ",", maxSplits: 16, omittingEmptySubsequences: false)
        let elements = parts.compactMap { parse(String($0)) }
        return elements.count == parts.count ? elements : nil
    }
}

extension Problem {
    /// A parameter or header field with a value that is not valid, and what to write instead.
    static func invalid(_ key: String, _ text: String, write instead: String) -> Problem {
        let shown = text.withoutControlCharacters.prefix(utf8Count: 80)
        return Problem(.invalidParameter, detail: "\(key) is \"\(shown)\"; write \(instead)")
    }
}

extension Int {
    /// Reads digits, and nothing else, within `range`.
    init?(digits text: String, in range: ClosedRange<Int>) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int(text), range.contains(value)
        else { return nil }
        self = value
    }
}

extension Bool {
    /// Reads a flag: `true` or `false`; a key without a value is true.
    init?(parameter text: String) {
        switch text {
        case "true", "": self = true
        case "false": self = false
        default: return nil
        }
    }
}

/// The `wait` parameter: the whole seconds for which a request may stay open until the job is settled.
public enum WaitParameter {
    public static let key = "wait"

    /// Reads the parameter; nil where the query has none. Throws a `Problem` unless it is 0 to `APILimits.maximumWait`.
    public static func parse(_ items: QueryItems) throws -> Int? {
        let range = 0...APILimits.maximumWait
        return try items.value(key, write: "whole seconds from 0 to \(APILimits.maximumWait)") {
            Int(digits: $0, in: range)
        }
    }
}
