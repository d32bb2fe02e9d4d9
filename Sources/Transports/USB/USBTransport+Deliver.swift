import DeviceStatus
public import PrintModel
import Synchronization

extension USBTransport {
    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        progress(.connecting)
        if let ipp = try await ippTransport(for: printer) { return try await ipp.deliver(delivery, to: printer, progress: progress) }
        let held = try await open(printer)
        do throws(DeliveryFailure) {
            let document = try await Self.reader(of: delivery.document)
            let length = delivery.document.length
            let steps = StepTeller(length: length, progress)
            let evidence = try await held.conversation.deliver(document) { steps.tell($0) }
            return JobReport(state: .completed, evidence: evidence)
        } catch {
            if error.taken > 0 { await shelf.brokeOff(delivery.jobID, wasCancelled: error.kind == .cancelled) }
            throw TransportError(error, printer: printer.url)
        }
    }

    private static func reader(of document: PrintDocument) async throws(DeliveryFailure) -> DocumentReader {
        do throws(DocumentReader.Failure) {
            return try await DocumentReader(document.body)
        } catch {
            throw DeliveryFailure(.documentUnreadable, reason: "\(error.path): \(error.reason)")
        }
    }
}

/// Puts what a conversation tells of a job into a transport's words.
private final class StepTeller: Sendable {
    private let length: Int64
    private let progress: @Sendable (DeliveryProgress) -> Void
    private let taken = Mutex<Int64>(0)

    init(length: Int64, _ progress: @escaping @Sendable (DeliveryProgress) -> Void) {
        self.length = length
        self.progress = progress
    }

    func tell(_ event: RunningJob.Event) {
        switch event {
        case .took(let bytes):
            taken.withLock { $0 = Int64(bytes) }
            progress(.sending(bytes: Int64(bytes), of: length))
            if bytes == length { progress(.printing) }
        case .stopped(let reasons): progress(.stopped(reasons))
        case .resumed:
            let taken = taken.withLock(\.self)
            progress(taken == length ? .printing : .sending(bytes: taken, of: length))
        }
    }
}
