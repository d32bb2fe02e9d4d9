package import KioskPrintModel

/// A piece of HTML. Its literals are markup; every string that is interpolated is text, and escaped.
///
/// ```swift
/// let row: HTML = "<td>\(printer.name)</td>"   // a name of "<b>" is shown, not obeyed
/// ```
///
/// Attribute values stand in double quotes, where the same escapes hold. No name is ever written into a place where
/// HTML is not parsed as text or as a quoted attribute: there is no script, style or comment made here.
package struct HTML: Hashable, Sendable {
    /// The markup.
    package private(set) var text: String

    /// No markup at all.
    package static let empty = HTML(trusted: "")

    private init(trusted text: String) { self.text = text }

    /// Text, escaped.
    package init(escaping text: String) { self.text = Self.escaped(text) }

    /// The bytes to send.
    package var bytes: [UInt8] { Array(text.utf8) }

    /// Whether there is nothing.
    package var isEmpty: Bool { text.isEmpty }

    /// Appends markup.
    package static func += (left: inout HTML, right: HTML) { left.text += right.text }

    /// Joins two pieces of markup.
    package static func + (left: HTML, right: HTML) -> HTML { HTML(trusted: left.text + right.text) }

    /// Text in which no character is markup, neither between tags nor in a quoted attribute. What no document may hold
    /// (a null character, other control characters) is shown as U+FFFD, and so are the characters that turn the
    /// direction of the text that follows them.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes += "&amp;".utf8
            case "<": bytes += "&lt;".utf8
            case ">": bytes += "&gt;".utf8
            case "\"": bytes += "&quot;".utf8
            case "'": bytes += "&#39;".utf8
            case "\n", "\t", " "..."~": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            case "\0"..."\u{9F}", "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                bytes += "\u{FFFD}".utf8
            default: bytes += UTF8.encode(scalar)!
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTML: ExpressibleByStringInterpolation {
    /// Markup in source code.
    package init(stringLiteral text: String) { self.init(trusted: text) }

    /// Markup in source code, with values in it.
    package init(stringInterpolation: StringInterpolation) { self.init(trusted: stringInterpolation.text) }

    /// Collects markup and escaped values.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Reserves room for the literals and some text for each value.
        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Appends markup.
        package mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends text, escaped. A literal in source code is markup before it is a string, also where it is one of two:
        /// `\(isNew ? "<b>new</b>" : "")`.
        @_disfavoredOverload
        package mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }

        /// Appends text, escaped.
        @_disfavoredOverload
        package mutating func appendInterpolation(_ value: Substring) { text += HTML.escaped(String(value)) }

        /// Appends a number.
        package mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }

        /// Appends a name of the registry, which has no character of markup.
        @_disfavoredOverload
        package mutating func appendInterpolation(_ value: some KebabCaseName) { text += HTML.escaped(value.rawValue) }

        /// Appends markup.
        package mutating func appendInterpolation(_ value: HTML) { text += value.text }

        /// Appends markup where there is some.
        package mutating func appendInterpolation(_ value: HTML?) { text += value?.text ?? "" }

        /// Appends pieces of markup, one after the other.
        package mutating func appendInterpolation(_ values: some Sequence<HTML>) {
            for value in values { text += value.text }
        }

        /// Appends an attribute without a value, with a space before it, where `isOn`: `\(flag: "checked", isOn)`.
        package mutating func appendInterpolation(flag name: StaticString, _ isOn: Bool) {
            if isOn { text += " \(name)" }
        }

        /// Appends an attribute, with a space before it, where it has a value: `\(attribute: "value", name)`.
        package mutating func appendInterpolation(attribute name: StaticString, _ value: String?) {
            if let value { text += " \(name)=\"\(HTML.escaped(value))\"" }
        }
    }
}

extension Sequence {
    /// Markup for each element.
    package func html(_ markup: (Element) -> HTML) -> HTML {
        reduce(into: HTML.empty) { $0 += markup($1) }
    }
}
