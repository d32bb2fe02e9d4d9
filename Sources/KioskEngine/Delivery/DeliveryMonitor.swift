import PrintModel
import Synchronization

/// Where one delivery stands, told by the transport's threads and read by the engine.
final class DeliveryMonitor: Sendable {
    private struct State {
        var bytesSent: Int64 = 0
        var step: DeliveryStep?
        /// The attempt went through a host that uploads or converts: it may have the whole document before it says so.
        var isPrepared = false
        var remoteJob: RemoteJob?
        var isPassedOver = false
        var isCancelled = false
        /// Stops what runs.
        var stop: (@Sendable () -> Void)?
        var shownAt: ContinuousClock.Instant?
        var wasStopped = false
    }
    private let state = Mutex(State())
    /// The count of the printer's edits when the attempt began: an obstacle that it meets may have been mended since.
    let edits: Int

    init(edits: Int) { self.edits = edits }

    var bytesSent: Int64 { state.withLock(\.bytesSent) }
    var step: DeliveryStep? { state.withLock(\.step) }
    var remoteJob: RemoteJob? { state.withLock(\.remoteJob) }
    /// The printer waited for a person in this attempt: whatever comes next is worth showing.
    var wasStopped: Bool { state.withLock(\.wasStopped) }
    /// The engine stopped the attempt in favour of another candidate.
    var isPassedOver: Bool { state.withLock(\.isPassedOver) }

    /// True where it is news for whoever watches: a step other than the last, or the same one a tenth of a second
    /// later.
    @discardableResult
    func note(_ progress: DeliveryProgress) -> Bool {
        state.withLock { state in
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

    /// Nothing of what an earlier attempt sent was taken.
    func attemptBegins() {
        state.withLock { state in
            state.bytesSent = 0
            state.step = nil
            state.isPrepared = false
            state.wasStopped = false
        }
    }

    /// Prepares the document, or runs the transport's call, so that `cancel` and `passOver` can stop it, from before
    /// this leaves its caller's actor.
    func run<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let call = Task { try await operation() }
        let isCancelled = state.withLock { state in
            state.stop = { call.cancel() }
            return state.isCancelled
        }
        if isCancelled { call.cancel() }
        defer { state.withLock { $0.stop = nil } }
        return try await withTaskCancellationHandler {
            try await call.value
        } onCancel: {
            call.cancel()
        }
    }

    func cancel() {
        let stop = state.withLock { state in
            state.isCancelled = true
            return state.stop
        }
        stop?()
    }

    /// Stops the attempt if the printer has shown no sign of life yet.
    func passOver() {
        let stop: (@Sendable () -> Void)? = state.withLock { state in
            guard state.bytesSent == 0, state.remoteJob == nil, !state.isPrepared else { return nil }
            state.isPassedOver = true
            return state.stop
        }
        stop?()
    }
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
        return job
    }
}

/// What is told of bytes that were sent, in bytes of the job's own document: a document that was prepared for its
/// printer has another length.
struct DocumentScale: Hashable, Sendable {
    private let length: Int64
    private let sentLength: Int64

    init(of length: Int64, sentAs sentLength: Int64) {
        self.length = length
        self.sentLength = sentLength
    }

    /// None stays none and all stays all; whatever lies between stays between.
    func documentBytes(_ sent: Int64) -> Int64 {
        guard length != sentLength, sent > 0 else { return sent }
        guard sent < sentLength else { return length }
        return max(1, min(length - 1, Int64(Double(sent) / Double(sentLength) * Double(length))))
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
