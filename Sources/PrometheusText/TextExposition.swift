/// One line of a scrape: a name, its labels, and a value.
package struct MetricSample: Sendable {
    package let name: String
    package let labels: [(name: String, value: String)]
    package let value: Double

    /// `bound`: the upper bound of a histogram's bucket, as its label `le`.
    package init(
        _ family: MetricFamily, _ values: [String], _ value: Double, suffix: String = "", bound: String? = nil
    ) {
        name = family.name + suffix
        var labels = zip(family.labels, values).map { (name: $0, value: $1) }
        if let bound { labels.append(("le", bound)) }
        self.labels = labels
        self.value = value
    }

    /// A number as Prometheus reads it: without a fraction where there is none.
    package static func text(of value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return "\(value)"
    }
}

/// Prometheus's text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
package struct TextExposition: Sendable {
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    /// Adds a family and its samples; one without samples is left out.
    package mutating func add(_ family: MetricFamily, _ samples: [MetricSample]) {
        guard !samples.isEmpty else { return }
        text +=
            "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n# TYPE \(family.name) \(family.kind.rawValue)\n"
        for sample in samples {
            text += sample.name
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
            text += " \(MetricSample.text(of: sample.value))\n"
        }
    }

    /// By scalars, as Prometheus reads it: a quotation mark and an accent behind it are one `Character`, and so are a
    /// carriage return and a line feed.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: escaped.append(contentsOf: "\\\"".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
