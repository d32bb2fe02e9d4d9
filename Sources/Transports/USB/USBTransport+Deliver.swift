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
            let copies = try delivery.ticket.copiesOfRawDocument()
            let document = try await Self.reader(of: delivery.document, copies: copies)
            let steps = StepTeller(length: delivery.document.length, total: Int64(document.length), progress)
            let evidence = try await held.conversation.deliver(document) { steps.tell($0) }
            return JobReport(state: .completed, evidence: evidence)
        } catch {
            if error.taken > 0 { await shelf.brokeOff(delivery.jobID, wasCancelled: error.kind == .cancelled && !error.isWhole) }
            throw TransportError(error, printer: printer.url, length: delivery.document.length)
        }
    }

    private static func reader(of document: PrintDocument, copies: Int) async throws(DeliveryFailure) -> DocumentReader {
        do throws(DocumentReader.Failure) {
            return try await DocumentReader(document.body, copies: copies)
        } catch {
            throw DeliveryFailure(.documentUnreadable, reason: "\(error.path): \(error.reason)")
        }
    }
}

/// Puts what a conversation tells of a job into a transport's words.
private final class StepTeller: Sendable {
    /// Of the document, and of all its copies.
    private let length: Int64
    private let total: Int64
    private let progress: @Sendable (DeliveryProgress) -> Void
    private let state = Mutex(State())

    private struct State {
        var taken: Int64 = 0
        /// A printer that has stopped may take some more; it stands still all the same.
        var isStopped = false
    }

    init(length: Int64, total: Int64, _ progress: @escaping @Sendable (DeliveryProgress) -> Void) {
        self.length = length
        self.total = total
        self.progress = progress
    }

    func tell(_ event: RunningJob.Event) {
        let (taken, isStopped) = state.withLock { state in
            switch event {
            case .took(let bytes): state.taken = Int64(bytes)
            case .stopped: state.isStopped = true
            case .resumed: state.isStopped = false
            }
            return (state.taken, state.isStopped)
        }
        if case .stopped(let reasons) = event { return progress(.stopped(reasons)) }
        guard !isStopped else { return }
        // As much of the document as of all copies together.
        let copies = length > 0 ? total / length : 1
        progress(.sending(bytes: taken / max(1, copies), of: length))
        if taken == total { progress(.printing) }
    }
}
