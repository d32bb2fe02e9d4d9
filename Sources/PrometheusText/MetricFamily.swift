/// A metric with all its series: its name, what it tells, and the labels that tell its series apart.
package struct MetricFamily: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case counter, gauge, histogram
    }

    package let name: String
    package let kind: Kind
    /// A sentence without its full stop.
    package let help: String
    /// The names of its labels, in the order in which values are given.
    package let labels: [String]
    /// The upper bounds of a histogram's buckets in seconds, ascending, without the last one (`+Inf`).
    package let buckets: [Double]

    package init(_ kind: Kind, _ name: String, _ help: String, labels: [String] = [], buckets: [Double] = []) {
        (self.kind, self.name, self.help, self.labels, self.buckets) = (kind, name, help, labels, buckets)
    }

    /// The names under which a scrape returns it.
    package var sampleNames: [String] {
        kind == .histogram ? ["_bucket", "_sum", "_count"].map { name + $0 } : [name]
    }
}
