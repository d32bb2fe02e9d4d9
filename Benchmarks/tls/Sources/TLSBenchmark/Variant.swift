import Glibc
import TestSupport

/// Carries one receipt from the call to the printer's answer that it has it.
protocol Courier {
    func send(_ receipt: [UInt8]) async throws
    /// What must pass before the next one, outside of what is measured.
    func settle() async throws
    func shutDown() async
}

extension Courier {
    func settle() async throws {}
    func shutDown() async {}
}

/// One way for a receipt, and what it cost each time.
final class Variant {
    let name: String
    private let courier: any Courier
    /// Seconds, one for each receipt.
    private(set) var samples: [Double] = []
    /// The same of this process's processor time, in user and kernel.
    private(set) var processorTimes: [Double] = []

    init(_ name: String, _ courier: any Courier) {
        self.name = name
        self.courier = courier
    }

    func measure(_ receipt: [UInt8], counts: Bool) async throws {
        let clock = ContinuousClock()
        let processorBefore = Self.processorTime()
        let start = clock.now
        try await courier.send(receipt)
        let duration = clock.now - start
        if counts {
            samples.append(duration / .seconds(1))
            processorTimes.append(Self.processorTime() - processorBefore)
        }
        try await courier.settle()
    }

    func shutDown() async { await courier.shutDown() }

    /// The sample that `fraction` of all lie below, in milliseconds; not a number where there is none.
    func quantile(_ fraction: Double) -> Double {
        let sorted = samples.sorted()
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))] * 1000
    }

    var median: Double { quantile(0.5) }

    /// In milliseconds, on average.
    var processorTime: Double { processorTimes.reduce(0, +) / Double(processorTimes.count) * 1000 }

    private static func processorTime() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
