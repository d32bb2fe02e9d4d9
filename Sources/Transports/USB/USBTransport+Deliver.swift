import DevicePrinting
public import PrintModel
import Synchronization

extension USBTransport {
    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        progress(.connecting)
        if let ipp = try await ippTransport(for: printer) {
            return try await ipp.deliver(delivery, to: printer, progress: progress)
        }
        while true {
            let held = try await open(printer)
            if let report = try await deliver(delivery, to: printer, over: held, progress: progress) { return report }
        }
    }

    /// Nil where the printer was opened anew before it took anything: it is to be delivered there.
    private func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, over held: OwnedPrinter.Held,
        progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport? {
        do throws(DeliveryFailure) {
            let copies = try delivery.ticket.copiesOfRawDocument()
            let document = try await Self.reader(of: delivery.document, copies: copies)
            let steps = StepTeller(length: delivery.document.length, total: Int64(document.length), progress)
            let evidence = try await held.conversation.deliver(document) { steps.tell($0) }
            return JobReport(state: .completed, evidence: evidence)
        } catch {
            if error.kind == .gone, error.taken == 0, await held.conversation.isRetired { return nil }
            if error.taken > 0 {
                await shelf.brokeOff(delivery.jobID, wasCancelled: error.kind == .cancelled && !error.isWhole)
            }
            throw TransportError(error, printer: printer.url, length: delivery.document.length)
        }
    }

    private static func reader(of document: PrintDocument, copies: Int) async throws(DeliveryFailure) -> DocumentReader
    {
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
        /// Why it stands still. It may take some more all the same.
        var stopped: [StateReason]?
    }

    init(length: Int64, total: Int64, _ progress: @escaping @Sendable (DeliveryProgress) -> Void) {
        self.length = length
        self.total = total
        self.progress = progress
    }

    func tell(_ event: RunningJob.Event) {
        let now = state.withLock { state in
            switch event {
            case .took(let bytes): state.taken = Int64(bytes)
            case .stopped(let reasons): state.stopped = reasons
            case .resumed: state.stopped = nil
            }
            return state
        }
        // As much of the document as of all copies together.
        let copies = length > 0 ? total / length : 1
        progress(.sending(bytes: now.taken / max(1, copies), of: length))
        if let reasons = now.stopped {
            progress(.stopped(reasons))
        } else if now.taken == total {
            progress(.printing)
        }
    }
}
