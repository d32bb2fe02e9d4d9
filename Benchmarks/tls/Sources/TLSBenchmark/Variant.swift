import Glibc
import KioskTestSupport

/// Sends one receipt, and returns with the printer's response that it has the receipt.
protocol ReceiptSender {
    func send(_ receipt: [UInt8]) async throws
    /// What must pass before the next one, outside of what is measured.
    func settle() async throws
    func shutDown() async
}

extension ReceiptSender {
    func settle() async throws {}
    func shutDown() async {}
}

/// One way for a receipt, and what it cost each time.
final class Variant {
    let name: String
    private let sender: any ReceiptSender
    /// Seconds, one for each receipt.
    private(set) var samples: [Double] = []
    /// The same of this process's processor time, in user and kernel.
    private(set) var processorTimes: [Double] = []

    init(_ name: String, _ sender: any ReceiptSender) {
        self.name = name
        self.sender = sender
    }

    func measure(_ receipt: [UInt8], counts: Bool) async throws {
        let clock = ContinuousClock()
        let processorBefore = Self.processorTime()
        let start = clock.now
        try await sender.send(receipt)
        let duration = clock.now - start
        if counts {
            samples.append(duration / .seconds(1))
            processorTimes.append(Self.processorTime() - processorBefore)
        }
        try await sender.settle()
    }

    func shutDown() async { await sender.shutDown() }

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
