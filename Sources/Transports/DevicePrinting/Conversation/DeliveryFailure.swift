/// Why a printer did not confirm a job.
package struct DeliveryFailure: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case cancelled
        /// Nothing was sent, since the printer prints nothing before someone attends to it.
        case stopped
        /// The printer has taken nothing for longer than its paper can need, or was never resynchronised after an
        /// earlier job.
        case timedOut
        /// The printer has discarded a part, or did not confirm as it always did before.
        case lost
        /// Unplugged or switched off.
        case disconnected
        /// The pipe failed otherwise.
        case pipe
        case documentUnreadable
        /// The printer has no command for something that the ticket requires.
        case ticketUnfulfilled
    }

    package var kind: Kind
    /// Document bytes that the printer has taken *at most*.
    package var taken: Int
    /// What happened and what to do next, as the second half of a sentence.
    package var reason: String
    /// Whether the printer has the whole document, and so will print it in any case.
    package var isComplete = false
    package var pipe: DevicePipeError?

    package init(_ kind: Kind, taken: Int = 0, reason: String, pipe: DevicePipeError? = nil) {
        self.kind = kind
        self.taken = taken
        self.reason = reason
        self.pipe = pipe
    }

    init(_ error: DevicePipeError, taken: Int) {
        let kind: Kind =
            switch error.kind {
            case .disconnected: .disconnected
            case .cancelled: .cancelled
            case .stalled, .failed: .pipe
            }
        self.init(kind, taken: taken, reason: error.reason, pipe: error)
    }

    static let cancelled = DeliveryFailure(.cancelled, reason: "the job was cancelled")
    static let disconnected = DeliveryFailure(.disconnected, reason: "it was unplugged or switched off")
}
