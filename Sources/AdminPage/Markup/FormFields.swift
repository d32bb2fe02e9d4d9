import KioskPrintModel

/// The fields of a form that a browser has sent (`application/x-www-form-urlencoded`, WHATWG URL §5.1).
package struct FormFields: Hashable, Sendable {
    private var values: [String: [String]] = [:]

    /// The media type of the body.
    package static let mediaType = "application/x-www-form-urlencoded"
    /// The most bytes of a form.
    package static let maximumLength = 256 << 10
    /// The most fields of a form.
    package static let maximumCount = 2000

    /// A form without fields.
    package init() {}

    /// Reads a body; nil where it is not such a form, or has too many fields.
    package init?(_ body: some Collection<UInt8>) {
        guard body.count <= Self.maximumLength else { return nil }
        let parts = body.split(separator: UInt8(ascii: "&"))
        guard parts.count <= Self.maximumCount else { return nil }
        for part in parts {
            let separator = part.firstIndex(of: UInt8(ascii: "="))
            let value = separator.map { part[part.index(after: $0)...] }
            guard let key = Self.decoded(part[..<(separator ?? part.endIndex)]),
                let value = Self.decoded(value ?? part[part.endIndex...])
            else { return nil }
            values[key, default: []].append(value)
        }
    }

    private static func decoded(_ bytes: some Collection<UInt8>) -> String? {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let text = PercentEncoding.decode(String(decoding: spaced, as: UTF8.self)) else { return nil }
        // A browser ends the lines of a text area with CR LF.
        return text.contains("\r\n") ? String(text.map { $0 == "\r\n" ? "\n" : $0 }) : text
    }

    /// The first value of a field; nil where it is missing.
    package subscript(name: String) -> String? { values[name]?.first }

    /// All values of a field, in the form's order.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of a field without blanks at its ends; nil where it is missing or blank.
    package func text(_ name: String) -> String? {
        guard let value = self[name] else { return nil }
        let trimmed = value.drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }
        return end.map { String(trimmed[...$0]) }
    }

    /// Whether a check box is ticked.
    package func isTicked(_ name: String) -> Bool { values[name] != nil }

    /// Sets a field, for a form that is shown again.
    package mutating func set(_ name: String, _ value: String?) { values[name] = value.map { [$0] } }
}
