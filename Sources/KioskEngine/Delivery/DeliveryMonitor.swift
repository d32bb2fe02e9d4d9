import KioskPrintModel
import Synchronization

/// The progress of one delivery, written by the transport's threads and read by the engine, which stops the delivery
/// through it.
final class DeliveryMonitor: Sendable {
    private struct State {
        var bytesSent: Int64 = 0
        var step: DeliveryStep?
        /// The attempt went through a host that uploads or converts: it may have the whole document before it says so.
        var isPrepared = false
        var remoteJob: RemoteJob?
        var isPassedOver = false
        var isCancelled = false
        /// Whether the document is prepared, or the transport runs.
        var isRunning = false
        var shownAt: ContinuousClock.Instant?
        var wasStopped = false
        /// The format that the document was prepared in for this printer.
        var preparedFormat: DocumentFormat?
        /// The part of the ticket that was left for the printer.
        var leftTicket: Ticket?
        /// The stream that renders the document while it is sent.
        var rendering: (any DocumentStream)?
        /// The pages of which the printer may have a part.
        var pagesBegun = 0
        /// Called once, when the first byte leaves.
        var firstByteSent: (@Sendable () -> Void)?
    }
    private let state: Mutex<State>
    private let attempt: AttemptHandle
    /// The count of the printer's edits when the attempt began: an obstacle that it meets may have been mended since.
    let edits: Int

    /// `attempt` is what runs the preparation and the transport. `firstByteSent` is called once.
    init(of attempt: AttemptHandle, edits: Int, firstByteSent: (@Sendable () -> Void)? = nil) {
        state = Mutex(State(firstByteSent: firstByteSent))
        self.attempt = attempt
        self.edits = edits
    }

    var bytesSent: Int64 { state.withLock(\.bytesSent) }
    var step: DeliveryStep? { state.withLock(\.step) }
    var remoteJob: RemoteJob? { state.withLock(\.remoteJob) }
    /// The printer waited for a person in this attempt: whatever comes next is worth showing.
    var wasStopped: Bool { state.withLock(\.wasStopped) }
    /// The format that the document was prepared in; nil for one that goes as it is, or before this run.
    var preparedFormat: DocumentFormat? {
        get { state.withLock(\.preparedFormat) }
        set { state.withLock { $0.preparedFormat = newValue } }
    }
    /// The part of the ticket that the printer is told; nil before the document is prepared, and where it goes as it is.
    var leftTicket: Ticket? {
        get { state.withLock(\.leftTicket) }
        set { state.withLock { $0.leftTicket = newValue } }
    }
    /// The stream that renders the document while it is sent; nil for one that is complete.
    var rendering: (any DocumentStream)? {
        get { state.withLock(\.rendering) }
        set { state.withLock { $0.rendering = newValue } }
    }
    /// The number of pages of which the printer may have a part, from the first.
    var pagesBegun: Int { state.withLock(\.pagesBegun) }
    /// Notes how many bytes of a rendered document were handed over, in its own bytes.
    func noteRendered(bytesSent: Int64) {
        state.withLock { state in
            guard let rendering = state.rendering, bytesSent > 0 else { return }
            state.pagesBegun = min(rendering.pages(in: bytesSent) + 1, rendering.pageCount)
        }
    }
    /// The engine stopped the attempt in favour of another candidate.
    var isPassedOver: Bool { state.withLock(\.isPassedOver) }

    /// True where it is news for whoever watches: a step other than the last, or the same one a tenth of a second
    /// later.
    @discardableResult
    func note(_ progress: DeliveryProgress) -> Bool {
        if Self.hasBytes(progress) { state.withLock { $0.firstByteSent.take() }?() }
        return state.withLock { state in
            let step = DeliveryStep(progress)
            defer { state.step = step }
            switch progress {
            case .connecting, .printing: break
            case .stopped: state.wasStopped = true
            case .uploading, .converting: state.isPrepared = true
            case .sending(let bytes, _): state.bytesSent = bytes
            case .accepted(let job): state.remoteJob = job
            }
            guard let step else { return false }
            let now = ContinuousClock.now
            if step.isSame(as: state.step), let shownAt = state.shownAt, now - shownAt < .milliseconds(100) {
                return false
            }
            state.shownAt = now
            return true
        }
    }

    /// Whether at least one byte of the document has left.
    private static func hasBytes(_ progress: DeliveryProgress) -> Bool {
        switch progress {
        case .uploading(let bytes, _), .sending(let bytes, _): bytes > 0
        case .printing, .accepted: true
        case .connecting, .converting, .stopped: false
        }
    }

    /// Nothing of what an earlier attempt sent was accepted.
    func attemptBegins() {
        state.withLock { state in
            state.bytesSent = 0
            state.step = nil
            state.isPrepared = false
            state.wasStopped = false
            state.pagesBegun = 0
        }
    }

    /// Prepares the document, or runs the transport's call, so that `cancel` and `passOver` can stop it, from before
    /// this leaves its caller's actor.
    ///
    /// It runs in the attempt's own task: a task for each call would cost two hops between threads. So an attempt that
    /// was stopped amid a call stays cancelled to its end: further calls and pauses end at once. What it stores is
    /// stored, since no cancellation interrupts the waiting for the disk.
    func run<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let isCancelled = state.withLock { state in
            state.isRunning = true
            return state.isCancelled
        }
        if isCancelled { attempt.cancel() }
        defer { state.withLock { $0.isRunning = false } }
        return try await operation()
    }

    func cancel() {
        let isRunning = state.withLock { state in
            state.isCancelled = true
            return state.isRunning
        }
        if isRunning { attempt.cancel() }
    }

    /// Stops the attempt if the printer has shown no sign of life yet; returns whether it did.
    func passOver() -> Bool {
        let (isPassedOver, isRunning) = state.withLock { state in
            guard state.bytesSent == 0, state.remoteJob == nil, !state.isPrepared else { return (false, false) }
            state.isPassedOver = true
            return (true, state.isRunning)
        }
        if isRunning { attempt.cancel() }
        return isPassedOver
    }
}

/// What runs on a job's behalf: an attempt on a printer, or the end of one. The engine holds it as long as nothing else
/// may begin for the job, waits for it at a shutdown, and cancels it from any thread.
final class AttemptHandle: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }
    private let state = Mutex(State())

    /// The handle of something that is yet to begin, and knows it.
    init() {}

    convenience init(_ task: Task<Void, Never>) {
        self.init()
        begin(task)
    }

    /// Takes the task over, once. One that was cancelled before begins cancelled.
    func begin(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Returns once it is over.
    func finish() async { await state.withLock(\.task)?.value }
}

/// What a delivery does just now, as everybody sees it: a job's `job-state-reasons` while it is on its way. Never
/// stored.
enum DeliveryStep: Hashable, Sendable {
    case connecting
    /// Document bytes that are with the host, in a file.
    case uploading(Int64)
    case converting
    case sending(Int64)
    case printing
    /// The printer waits for a person.
    case stopped

    /// Nil where the delivery is past its steps: the printer has the job and speaks for it.
    init?(_ progress: DeliveryProgress) {
        switch progress {
        case .connecting: self = .connecting
        case .uploading(let bytes, _): self = .uploading(bytes)
        case .converting: self = .converting
        case .sending(let bytes, _): self = .sending(bytes)
        case .printing: self = .printing
        case .stopped: self = .stopped
        case .accepted: return nil
        }
    }

    var state: JobState { self == .stopped ? .processingStopped : .processing }

    /// A keyword of IANA's IPP registry (job-state-reasons).
    var reason: String {
        switch self {
        case .connecting: "connecting-to-destination"
        case .uploading: "job-spooling"
        case .converting: "job-transforming"
        case .sending: "job-outgoing"
        case .printing: "job-printing"
        case .stopped: "printer-stopped"
        }
    }

    /// Nil where the step moves none.
    var bytes: Int64? {
        switch self {
        case .uploading(let bytes), .sending(let bytes): bytes
        case .connecting, .converting, .printing, .stopped: nil
        }
    }

    /// Whether it is the same step, however far it is.
    func isSame(as other: DeliveryStep?) -> Bool { reason == other?.reason }
}

extension JobRecord {
    /// The job with what its delivery does just now.
    func shown(in delivery: DeliveryMonitor?) -> Job {
        guard stage.isOnItsWay, !isCancelRequested, let delivery, let step = delivery.step else { return job }
        var job = job
        job.state = step.state
        job.stateReasons = [step.reason]
        job.bytesSent = step == .printing ? job.documentLength : step.bytes ?? delivery.bytesSent
        if case .sending = step, let pages = delivery.rendering?.pageCount {
            job.pages = job.pages ?? pages
            job.pagesBegun = delivery.pagesBegun
        }
        return job
    }
}

/// What is told of bytes that were sent, in bytes of the job's own document: a document that was prepared for its
/// printer has another length.
struct DocumentScale: Sendable {
    private let length: Int64
    private let document: PrintDocument

    init(of length: Int64, sentAs document: PrintDocument) {
        self.length = length
        self.document = document
    }

    /// None stays none and all stays all; whatever lies between stays between. Of what is rendered while it is sent, the
    /// pages are counted.
    func documentBytes(_ sent: Int64) -> Int64 {
        let sentLength = document.length
        guard sent > 0 else { return sent }
        let share: Double
        if let rendering = document.rendering {
            if rendering.isRendered, sent >= sentLength { return length }
            share = Double(rendering.pages(in: sent)) / Double(max(rendering.pageCount, 1))
        } else {
            guard length != sentLength else { return sent }
            guard sent < sentLength else { return length }
            share = Double(sent) / Double(sentLength)
        }
        return max(1, min(length - 1, Int64(share * Double(length))))
    }

    func progress(_ progress: DeliveryProgress) -> DeliveryProgress {
        switch progress {
        case .uploading(let bytes, _): .uploading(bytes: documentBytes(bytes), of: length)
        case .sending(let bytes, _): .sending(bytes: documentBytes(bytes), of: length)
        default: progress
        }
    }

    func error(_ error: TransportError) -> TransportError {
        var error = error
        error.bytesAccepted = documentBytes(error.bytesAccepted)
        return error
    }
}
