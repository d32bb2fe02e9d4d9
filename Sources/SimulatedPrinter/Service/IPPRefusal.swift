import IPPCodec
import PrintModel

/// Why the printer does not do what a request asks: the status of its answer and what the answer says besides.
struct IPPRefusal: Error {
    var status: IPPStatus
    var message: String
    /// For the unsupported-attributes group (RFC 8011 §4.1.7).
    var unsupported: [IPPAttribute] = []

    init(_ status: IPPStatus, _ message: String, unsupported: [IPPAttribute] = []) {
        self.status = status
        self.message = message
        self.unsupported = unsupported
    }

    static func badRequest(_ message: String) -> IPPRefusal { IPPRefusal(.clientErrorBadRequest, message) }

    init(_ refusal: PrinterModel.Refusal) {
        switch refusal {
        case .notFound: self.init(.clientErrorNotFound, "There is no such job.")
        case .notPossible(let state): self.init(.clientErrorNotPossible, "The job is \(state.rawValue).")
        case .multipleDocuments:
            self.init(.serverErrorMultipleDocumentJobsNotSupported, "A job has one document on this printer.")
        case .tooManyJobs:
            self.init(.serverErrorTooManyJobs, "The printer has no memory for more jobs; try again later.")
        case .notAccepting: self.init(.serverErrorNotAcceptingJobs, "The printer takes no jobs now.")
        }
    }
}
