import Foundation
import PrintModel
import TestSupport

/// Variants that take turns, and the ratios that are wanted of them.
struct Comparison {
    var title: String
    var variants: [Variant]
    /// Indices into `variants`, and what the first may cost of the second.
    var ratios: [(Int, Int, wanted: Double?)]

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
        var text = "### \(title)\n\n| way | median | 10 % to 90 % | samples |\n|---|---|---|---|\n"
        for variant in variants {
            let spread = "\(Self.number(variant.quantile(0.1))) to \(Self.number(variant.quantile(0.9))) ms"
            text += "| \(variant.name) | \(Self.number(variant.quantile(0.5))) ms | \(spread) | \(variant.samples.count) |\n"
        }
        text += "\n"
        for ratio in ratios {
            let (first, second) = (variants[ratio.0], variants[ratio.1])
            let found = first.quantile(0.5) / second.quantile(0.5)
            let wanted = ratio.wanted.map { "; wanted at most \($0): \(found <= $0 ? "met" : "missed")" } ?? ""
            text += "- \(first.name) / \(second.name): **\(Self.number(found))**\(wanted)\n"
        }
        return text
    }

    private static func number(_ value: Double) -> String { String(format: "%.2f", value) }
}
