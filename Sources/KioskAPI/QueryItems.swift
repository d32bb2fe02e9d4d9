import PrintModel

/// The query of a request, `key=value&…` in percent-encoded UTF-8; `+` stands for a space, as forms and curl write it.
public struct QueryItems: Hashable, Sendable {
    public private(set) var items: [Item] = []

    public struct Item: Hashable, Sendable {
        public var key: String
        public var value: String
    }

    public init() {}

    /// Reads the part behind the question mark; throws a `Problem` when it is not percent-encoded or names a key twice.
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

    /// Throws a `Problem` when a key stands here that nobody reads.
    public func refuseKeys(besides known: [String]) throws {
        guard let stranger = items.first(where: { !known.contains($0.key) }) else { return }
        throw Problem(
            .invalidParameter,
            detail:
                "the parameter \"\(stranger.key)\" is not known; the parameters are \(known.joined(separator: ", "))"
        )
    }

    /// The query with its question mark; empty when there is nothing in it.
    public var suffix: String {
        items.isEmpty
            ? "" : "?" + items.map { "\(Self.encode($0.key))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    static func decode(_ text: Substring) -> String? {
        PercentEncoding.decode(String(text.map { $0 == "+" ? " " : $0 }))
    }

    static func encode(_ text: String) -> String {
        PercentEncoding.encode(text, keeping: PercentEncoding.isUnreserved)
    }
}

extension QueryItems {
    /// The value of `key`, read by `parse`; throws a `Problem` that says what to write when `parse` gives nil.
    func value<Value>(_ key: String, write instead: String, parse: (String) -> Value?) throws -> Value? {
        guard let text = self[key] else { return nil }
        guard let value = parse(text) else { throw Problem.invalid(key, text, write: instead) }
        return value
    }
}

extension Problem {
    static func invalid(_ key: String, _ text: String, write instead: String) -> Problem {
        let shown = text.withoutControlCharacters.prefix(utf8Count: 80)
        return Problem(.invalidParameter, detail: "\(key) is \"\(shown)\"; write \(instead)")
    }
}

extension Int {
    /// Digits only, within `range`.
    init?(digits text: String, in range: ClosedRange<Int>) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int(text), range.contains(value)
        else { return nil }
        self = value
    }
}
