import KioskIPP
import KioskPrintModel

/// Our IPP transport.
final class TransportSender: ReceiptSender {
    private let target: PrinterTarget
    /// Whether the printer needs its time before it takes the next job.
    private let followsJobs: Bool
    private let transport = IPPTransport()
    private var count = 0
    private var job: RemoteJob?

    init(_ uri: String, trust: Trust = .system, followsJobs: Bool = false) throws {
        target = PrinterTarget(url: try PrinterURL(uri), trust: trust)
        self.followsJobs = followsJobs
    }

    func send(_ receipt: [UInt8]) async throws {
        count += 1
        let delivery = Delivery(
            jobID: "r\(count)", name: "Receipt", user: "till", ticket: Ticket(),
            document: PrintDocument(format: .escPOS, body: .bytes(receipt)))
        job = try await transport.deliver(delivery, to: target) { _ in }.remoteJob
    }

    func settle() async throws {
        guard followsJobs, let job else { return }
        _ = try await transport.follow(job, on: target) { _ in }
    }

    func shutDown() async { await transport.shutDown() }
}
