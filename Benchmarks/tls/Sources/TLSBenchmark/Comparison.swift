import Foundation

/// Variants that take turns.
struct Comparison {
    let title: String
    let variants: [Variant]

    /// Only those whose names contain `words`, where there are any.
    init(_ title: String, _ variants: [Variant], only words: String? = nil) {
        self.title = title
        self.variants = variants.filter { words.map($0.name.contains) ?? true }
    }

    /// Each round sends one receipt each way, beginning with another one each time.
    func run(rounds: Int, warmUp: Int, receipt: [UInt8]) async throws {
        for round in 0..<(warmUp + rounds) {
            for offset in variants.indices {
                try await variants[(round + offset) % variants.count].measure(receipt, counts: round >= warmUp)
            }
        }
        for variant in variants { await variant.shutDown() }
    }

    func report() -> String {
        var text =
            "### \(title)\n\n| way | median | 10 % to 90 % | client's processor time | samples |\n|---|---|---|---|---|\n"
        for variant in variants {
            let spread = "\(variant.quantile(0.1).milliseconds) to \(variant.quantile(0.9).milliseconds)"
            text +=
                "| \(variant.name) | \(variant.median.milliseconds) | \(spread) | \(variant.processorTime.milliseconds) | \(variant.samples.count) |\n"
        }
        return text
    }
}

extension Double {
    var milliseconds: String { isNaN ? "–" : String(format: "%.2f ms", self) }
    var twoPlaces: String { isNaN ? "–" : String(format: "%.2f", self) }

    /// As a ratio of which at most `wanted` was asked for.
    func verdict(_ wanted: Double) -> String { isNaN ? "–" : "\(twoPlaces): \(self <= wanted ? "met" : "**missed**")" }
}
