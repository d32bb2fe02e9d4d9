import KioskTestSupport

/// A scrape, read as strictly as Prometheus's text format is written down
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format): each family once, with help and
/// type before its samples, and no series twice.
struct ScrapedMetrics {
    struct Series: Hashable {
        var name: String
        var labels: [String: String]
    }

    private(set) var types: [String: String] = [:]
    private(set) var values: [Series: Double] = [:]

    /// The value of a series; nil where there is none.
    subscript(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        values[Series(name: name, labels: labels)]
    }

    /// The labels of all series of a family.
    func labels(of name: String) -> [[String: String]] { values.keys.filter { $0.name == name }.map(\.labels) }

    /// Throws what is wrong.
    init(_ text: String) throws {
        guard text.unicodeScalars.last == "\n" else { throw TestSupportError("the last line has no end") }
        var family: (name: String, type: String?)?
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let line = String(line)
            if line.hasPrefix("# HELP ") {
                let name = String(line.dropFirst("# HELP ".count).prefix { $0 != " " })
                guard Self.isName(name), types[name] == nil else { throw TestSupportError("a second \(line)") }
                family = (name, nil)
            } else if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                guard words.count == 4, let name = family?.name, name == words[2], family?.type == nil,
                    ["counter", "gauge"].contains(words[3]), (words[3] == "counter") == name.hasSuffix("_total")
                else { throw TestSupportError("not expected: \(line)") }
                family = (name, words[3])
                types[name] = words[3]
            } else {
                let (series, value) = try Self.sample(line)
                guard series.name == family?.name, family?.type != nil else {
                    throw TestSupportError("outside of its family: \(line)")
                }
                guard values.updateValue(value, forKey: series) == nil else {
                    throw TestSupportError("a series twice: \(line)")
                }
            }
        }
    }

    /// `name{label="value",…} number`
    private static func sample(_ line: String) throws -> (Series, Double) {
        var rest = line.unicodeScalars[...]
        func take(while isPart: (Unicode.Scalar) -> Bool) -> String {
            let part = rest.prefix(while: isPart)
            rest = rest.dropFirst(part.count)
            return String(String.UnicodeScalarView(part))
        }
        func take(_ scalar: Unicode.Scalar) -> Bool {
            guard rest.first == scalar else { return false }
            rest = rest.dropFirst()
            return true
        }
        let name = take { $0 != "{" && $0 != " " }
        guard isName(name) else { throw TestSupportError("no name: \(line)") }
        var labels: [String: String] = [:]
        if take("{") {
            repeat {
                let label = take { $0 != "=" }
                guard isName(label), !label.contains(":"), take("="), take("\""), labels[label] == nil else {
                    throw TestSupportError("no label: \(line)")
                }
                labels[label] = try value(&rest, line)
            } while take(",")
            guard take("}") else { throw TestSupportError("labels do not end: \(line)") }
        }
        guard take(" "), let number = Double(String(String.UnicodeScalarView(rest))) else {
            throw TestSupportError("no number: \(line)")
        }
        return (Series(name: name, labels: labels), number)
    }

    /// A label's value behind its first quotation mark, with the last one.
    private static func value(
        _ rest: inout Substring.UnicodeScalarView, _ line: String
    ) throws -> String {
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(value)
            case "\\":
                switch rest.popFirst() {
                case "\\": value.append("\\")
                case "\"": value.append("\"")
                case "n": value.append("\n")
                default: throw TestSupportError("no escape: \(line)")
                }
            default: value.append(scalar)
            }
        }
        throw TestSupportError("a label's value does not end: \(line)")
    }

    private static func isName(_ text: String) -> Bool { text.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil }
}
