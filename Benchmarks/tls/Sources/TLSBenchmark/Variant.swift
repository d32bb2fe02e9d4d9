import IPP
import PrintModel
import TestSupport

/// One way for a receipt, and how long it took each time.
final class Variant {
    let name: String
    private let target: PrinterTarget
    /// Whether the printer needs its time before it takes the next job.
    private let followsJobs: Bool
    private let transport = IPPTransport()
    private var count = 0
    /// Seconds, one for each receipt.
    private(set) var samples: [Double] = []

    init(_ name: String, _ uri: String, trust: Trust = .system, followsJobs: Bool = false) throws {
        self.name = name
        target = PrinterTarget(url: try PrinterURL(uri), trust: trust)
        self.followsJobs = followsJobs
    }

    /// Sends one receipt: from the call to the printer's answer that it has it.
    func measure(_ receipt: [UInt8], counts: Bool) async throws {
        count += 1
        let delivery = Delivery(
            jobID: "r\(count)", name: "Receipt", user: "till", ticket: Ticket(),
            document: PrintDocument(format: .escPOS, body: .bytes(receipt)))
        let clock = ContinuousClock()
        let start = clock.now
        let taken = try await transport.deliver(delivery, to: target) { _ in }
        let duration = clock.now - start
        if counts { samples.append(Double(duration.components.attoseconds) / 1e18 + Double(duration.components.seconds)) }
        guard followsJobs, let job = taken.remoteJob else { return }
        _ = try await transport.follow(job, on: target) { _ in }
    }

    func shutDown() async { await transport.shutDown() }

    /// The sample that `fraction` of all lie below, in milliseconds.
    func quantile(_ fraction: Double) -> Double {
        let sorted = samples.sorted()
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))] * 1000
    }
}
