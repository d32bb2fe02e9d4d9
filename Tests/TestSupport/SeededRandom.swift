import Foundation

/// The same numbers for the same seed (SplitMix64).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// How often a test that repeats does so: `usual`, or `long` with `LONG_TESTS` in the environment (`Scripts/test
/// --long`).
package func rounds(_ usual: Int, long: Int) -> Int {
    ProcessInfo.processInfo.environment["LONG_TESTS"] == nil ? usual : long
}

/// The seeds of a test that repeats: 1 to as many as `rounds` says, or those that the environment names: `SEEDS=17`, or
/// `SEEDS=101-200`.
package func seeds(_ usual: Int, long: Int) -> ClosedRange<Int> {
    guard let wanted = ProcessInfo.processInfo.environment["SEEDS"] else { return 1...rounds(usual, long: long) }
    let ends = wanted.split(separator: "-").map { Int($0) }
    guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, 1 <= first, first <= last else {
        preconditionFailure("SEEDS=\(wanted) names no seeds: write a number, or two as 101-200")
    }
    return first...last
}
