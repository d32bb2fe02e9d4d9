import KioskAPIMessages
import KioskPrintModel

/// The page's texts in one language.
///
/// `Texts/en.json` and its like hold them: a key and a text each, with `{name}` where a value stands. A text that
/// depends on a number has two keys, `KEY.one` and `KEY.other`.
package struct Texts: Sendable {
    /// The language's tag (BCP 47), for the `lang` attribute.
    package let language: String
    private let texts: [String: String]

    /// Reads a language's file; its texts come before those of `fallback`.
    init(language: String, json: [UInt8], fallback: Texts? = nil) throws {
        self.language = language
        texts = (fallback?.texts ?? [:]).merging(try APIJSON.decode([String: String].self, from: json)) { $1 }
    }

    /// The text of a key. A key that no file has is shown as it is; a test finds it.
    package func callAsFunction(_ key: Key) -> String { texts[key.name] ?? key.name }

    /// The text of a key with values in it.
    package func callAsFunction(_ key: Key, _ values: [String: String]) -> String {
        parts(of: self(key)).map { part in
            switch part {
            case .literal(let text): text
            case .value(let name): values[name] ?? ""
            }
        }
        .joined()
    }

    /// The text of a key for a number of things: `KEY.one` or `KEY.other`, with `{count}` and further values in it.
    package func callAsFunction(_ key: Key, count: Int, _ values: [String: String] = [:]) -> String {
        self(
            Key(name: key.name + (count == 1 ? ".one" : ".other")),
            values.merging(["count": "\(count)"]) { old, _ in old })
    }

    /// The text of a key with markup in it; the text itself is escaped.
    package func html(_ key: Key, _ values: [String: HTML]) -> HTML {
        parts(of: self(key)).html { part in
            switch part {
            case .literal(let text): HTML(escaping: text)
            case .value(let name): values[name] ?? .empty
            }
        }
    }

    /// The text of one of a family of keys, such as `reason.media-empty`; nil where the member has none.
    package func member(_ name: String, of family: Key) -> String? { texts["\(family.name).\(name)"] }

    /// The keys that there are, sorted.
    package var keys: [String] { texts.keys.sorted() }

    /// The names of the values in a text.
    package func placeholders(in key: String) -> Set<String> {
        Set(
            parts(of: texts[key] ?? "").compactMap { part in
                if case .value(let name) = part { name } else { nil }
            })
    }

    /// A key in source code.
    package struct Key: Hashable, Sendable, ExpressibleByStringLiteral {
        fileprivate let name: String
        fileprivate init(name: String) { self.name = name }
        /// A key of the files.
        package init(stringLiteral name: String) { self.name = name }
    }

    private enum Part {
        case literal(String)
        case value(String)
    }

    private func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            parts.append(.literal(String(rest[..<open])))
            parts.append(.value(String(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        return parts + [.literal(String(rest))]
    }
}

/// The languages that the page speaks.
package enum Languages {
    /// English, which every other language falls back to.
    package static let english = try! Texts(language: "en", json: PackageResources.en_json)
    /// German.
    package static let german = try! Texts(language: "de", json: PackageResources.de_json, fallback: english)
    /// All, English first.
    package static let all = [english, german]

    /// The texts for an `Accept-Language` field (RFC 9110 §12.5.4): the language that is wanted most of those that
    /// there are, else English.
    package static func texts(accepting field: String?) -> Texts {
        var best: (texts: Texts, quality: Double) = (english, 0)
        for range in (field ?? "").prefix(utf8Count: 1000).split(separator: ",") {
            let (tag, parameter) = range.splitOnce(at: ";")
            let language = tag.trimmingBlanks().prefix { $0 != "-" }.lowercased()
            let quality = parameter.map { Double($0.trimmingBlanks().dropFirst("q=".count)) ?? 0 } ?? 1
            guard quality > best.quality, let texts = all.first(where: { $0.language == language }) else { continue }
            best = (texts, quality)
        }
        return best.texts
    }
}
