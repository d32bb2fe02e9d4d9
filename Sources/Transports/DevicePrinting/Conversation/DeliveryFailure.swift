/// Why a printer did not confirm a job.
package struct DeliveryFailure: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case cancelled
        /// Nothing was sent, since it prints nothing before someone has been at it.
        case stopped
        /// It has taken nothing more for longer than its paper can need, or never became clean after an earlier job.
        case silent
        /// It has thrown a part away, or did not confirm what it always confirms.
        case lost
        /// Unplugged or switched off.
        case gone
        /// The pipe failed otherwise.
        case pipe
        case documentUnreadable
        /// It cannot be told all that the ticket wants.
        case ticketUnfulfilled
    }

    package var kind: Kind
    /// Document bytes that the printer has taken *at most*.
    package var taken: Int
    /// What happened and what to do next, as the second half of a sentence.
    package var reason: String
    /// The printer has all of the document: it comes out, whatever became of us.
    package var isWhole = false
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
            case .gone: .gone
            case .cancelled: .cancelled
            case .stalled, .failed: .pipe
            }
        self.init(kind, taken: taken, reason: error.reason, pipe: error)
    }
}
