package import KioskPrintModel
import Synchronization

/// The delivery of a document that is sent to a printer unchanged.
package struct RawDelivery: Sendable {
    private let delivery: Delivery

    package init(_ delivery: Delivery) { self.delivery = delivery }

    /// Sends the document with its copies, and returns what the printer's confirmation proves.
    package func send(
        over conversation: DeviceConversation, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(DeliveryFailure) -> Evidence {
        let copies = try delivery.ticket.copiesOfRawDocument()
        if delivery.ticket.fidelity == true, let remark = remarks.first {
            throw DeliveryFailure(
                .ticketUnfulfilled, reason: "\(remark), and the ticket asks for fidelity; print it without")
        }
        let document = try await Self.reader(of: delivery.document, copies: copies)
        let steps = StepReporter(length: delivery.document.length, total: Int64(document.length), progress)
        return try await conversation.deliver(document) { steps.report($0) }
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

extension Ticket {
    /// How often to send a document that a printer receives unchanged. Throws where the ticket requires something that
    /// only the document's creator could have done: a job is never printed differently from its ticket.
    fileprivate func copiesOfRawDocument() throws(DeliveryFailure) -> Int {
        let requirements: [(key: String, isPresent: Bool)] = [
            ("sides", sides.map { $0 != .oneSided } ?? false), ("page-ranges", pageRanges != nil),
            ("number-up", numberUp.map { $0 > 1 } ?? false), ("media", media != nil),
            ("orientation-requested", orientation.map { $0 != .portrait } ?? false),
            ("print-color-mode", colorMode == .color),
            ("print-quality", quality.map { $0 != .normal } ?? false),
            ("media-source", mediaSource.map { $0 != "auto" } ?? false),
            ("media-type", mediaType.map { $0 != "auto" } ?? false),
            ("output-bin", outputBin.map { $0 != "auto" } ?? false),
            ("print-scaling", scaling.map { $0 != .auto } ?? false),
            ("multiple-document-handling", documentHandling == .uncollatedCopies),
            ("page-border", pageBorder.map { $0 != Ticket.PageBorder.none } ?? false),
            ("print-content-optimize", contentOptimization.map { $0 != .auto } ?? false),
            ("printer-resolution", resolution != nil),
            ("job-password", jobPassword != nil || jobPasswordEncryption != nil),
        ]
        if let requirement = requirements.first(where: \.isPresent) {
            throw DeliveryFailure(
                .ticketUnfulfilled,
                reason:
                    "the printer receives the document unchanged and cannot apply \(requirement.key); print it without")
        }
        return copies ?? 1
    }
}

extension Ticket {
    /// What a printer that receives the document unchanged was not told, as sentences without a full stop.
    fileprivate var remarksOnRawDocument: [String] {
        var remarks: [String] = []
        if let cut, cut != Cut.none {
            remarks.append("the printer takes no cut=\(cut.rawValue) beside the document: printed without")
        }
        let accounts = [("job-account-id", accountID), ("job-accounting-user-id", accountingUserID)]
        for (key, value) in accounts where value != nil {
            remarks.append("the printer has no job accounting: \(key) was not sent")
        }
        return remarks
    }
}

extension RawDelivery {
    /// What of the ticket the printer was not told, as sentences without a full stop.
    package var remarks: [String] { delivery.ticket.remarksOnRawDocument }

    /// What a printer that receives documents unchanged makes of tickets: as many copies as it is sent.
    package static let ticketSupport = TicketSupport(
        copies: 999,
        values: [
            "print-color-mode": ["monochrome"], "job-account-id": [], "job-accounting-user-id": [],
        ], refusesOthers: true)
}

extension PrinterDescription {
    /// A printer of which its profile alone says what it takes.
    package init(_ settings: DeviceSettings, learned: LearnedBehavior?) {
        let language: PrinterLanguage? =
            switch settings.language {
            case .escPOS?: .escPOS
            case .starLine?: .star
            case .zpl?: .zpl
            case .pjl?, nil: nil
            }
        // Raw documents are always accepted, for clients that know the printer's language better.
        self.init(
            jobTypes: language?.jobTypes ?? [], formats: [language?.format, .octetStream].compactMap(\.self),
            defaultFormat: language?.format ?? .octetStream, ticketSupport: RawDelivery.ticketSupport, learned: learned)
    }
}

/// Converts the events of a running job to the steps of a delivery.
private final class StepReporter: Sendable {
    /// The length of the document.
    private let length: Int64
    /// The length of all its copies.
    private let total: Int64
    private let progress: @Sendable (DeliveryProgress) -> Void
    private let state = Mutex(State())

    private struct State {
        var accepted: Int64 = 0
        /// Why the printer is stopped. It may still take some bytes.
        var stopped: [StateReason]?
    }

    init(length: Int64, total: Int64, _ progress: @escaping @Sendable (DeliveryProgress) -> Void) {
        self.length = length
        self.total = total
        self.progress = progress
    }

    func report(_ event: RunningJob.Event) {
        let now = state.withLock { state in
            switch event {
            case .accepted(let bytes): state.accepted = Int64(bytes)
            case .stopped(let reasons): state.stopped = reasons
            case .resumed: state.stopped = nil
            }
            return state
        }
        // The same proportion of the document as of all copies together.
        let copies = length > 0 ? total / length : 1
        progress(.sending(bytes: now.accepted / max(1, copies), of: length))
        if let reasons = now.stopped {
            progress(.stopped(reasons))
        } else if now.accepted == total {
            progress(.printing)
        }
    }
}

/// The advice that a transport gives for a lost printer, and what the codes of the layer below are.
package struct LossAdvice: Sendable {
    /// What to do about a printer that was lost before it took anything: `plug it in and switch it on`.
    package var disconnected: String
    /// What to do about a pipe that failed otherwise, before the printer took anything.
    package var failed: String
    /// What a pipe's code is.
    package var code: @Sendable (Int32) -> TransportError.NativeCode

    package init(
        disconnected: String, failed: String, code: @escaping @Sendable (Int32) -> TransportError.NativeCode
    ) {
        (self.disconnected, self.failed, self.code) = (disconnected, failed, code)
    }
}

extension TransportError {
    /// The error shown for a job that was not printed or not confirmed. `length` is that of its document, without
    /// copies.
    package init(_ failure: DeliveryFailure, printer: PrinterURL, length: Int64, advice: LossAdvice) {
        let (code, whatNext) = Self.explain(failure, advice)
        let underlying = failure.pipe.flatMap { $0.code == 0 ? nil : advice.code($0.code) }
        self.init(
            code, operation: failure.pipe?.operation ?? "print", message: "\(printer): \(failure.reason)\(whatNext)",
            bytesAccepted: min(Int64(failure.accepted), length), underlying: underlying)
    }

    /// A job that has started can be printed without our knowledge, so only the paper shows its outcome.
    private static func explain(_ failure: DeliveryFailure, _ advice: LossAdvice) -> (Code, whatNext: String) {
        let checkPaper = "; a part of the job was sent, so look at the paper"
        let hasStarted = failure.accepted > 0
        switch failure.kind {
        case .cancelled: return (.cancelled, "")
        case .documentUnreadable: return (.documentUnreadable, "; print the document again")
        case .stopped: return (.printerNotAccepting, "")
        case .unanswered: return (.printerBusy, "")
        case .ticketUnfulfilled: return (.jobRefused, "")
        case .lost: return (.outcomeUnknown, checkPaper)
        case .timedOut: return (hasStarted ? .outcomeUnknown : .timedOut, hasStarted ? checkPaper : "")
        case .disconnected:
            return (
                hasStarted ? .outcomeUnknown : .connectionLost, hasStarted ? checkPaper : "; \(advice.disconnected)"
            )
        case .pipe:
            return (hasStarted ? .outcomeUnknown : .connectionLost, hasStarted ? checkPaper : "; \(advice.failed)")
        }
    }
}
