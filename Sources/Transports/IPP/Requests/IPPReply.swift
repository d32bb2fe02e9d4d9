import IPPCodec
import PrintModel

/// A printer's answer to one operation.
struct IPPReply: Sendable {
    var message: IPPMessage
    /// Document bytes that the printer may have taken, at most.
    var documentBytes: Int64 = 0

    /// The printer's words on the status, cleaned.
    var statusMessage: String? {
        let words = message.attribute("status-message", in: .operation)?.string?.cleaned
        return words?.isEmpty == false ? words : nil
    }

    /// The job that the answer is about.
    var remoteJob: RemoteJob? {
        message.attribute("job-id", in: .job)?.integer.flatMap { $0 > 0 ? RemoteJob(identifier: "\($0)") : nil }
    }

    /// Whether the printer says that it does not understand us: as such, or as a bad request, which is what some
    /// answer to a version that they do not know.
    var blamesVersion: Bool {
        [.serverErrorVersionNotSupported, .clientErrorBadRequest].contains(message.status)
    }

    /// Whether the printer takes no job just now.
    var isBusy: Bool {
        [
            .serverErrorBusy, .serverErrorTooManyJobs, .serverErrorTemporaryError, .serverErrorServiceUnavailable,
            .serverErrorNotAcceptingJobs, .serverErrorPrinterIsDeactivated,
        ].contains(message.status)
    }

    /// Whether the printer refuses the document for being compressed. CUPS has no status of its own for that, and names
    /// the attribute.
    var refusesCompression: Bool {
        switch message.status {
        case .clientErrorCompressionNotSupported, .clientErrorCompressionError: true
        case .clientErrorAttributesOrValuesNotSupported: unsupported.contains("compression")
        default: false
        }
    }

    /// Whether the printer refuses the job for its medium or its cut, or does not say for which of its attributes.
    var refusesRollSize: Bool {
        switch message.status {
        case .clientErrorConflictingAttributes: true
        case .clientErrorAttributesOrValuesNotSupported:
            unsupported.isEmpty || unsupported.contains { $0.hasPrefix("media") || $0.hasPrefix("finishings") }
        default: false
        }
    }

    /// The names of the attributes that the printer does not take (RFC 8011 §4.1.7).
    var unsupported: [String] { message.groups(.unsupported).flatMap(\.attributes).map(\.name) }

    /// Whether it is a success without what was asked for, as some printers answer to a version that they do not know.
    func isEmpty(for operation: IPPOperation) -> Bool {
        operation == .getPrinterAttributes && message.status.isSuccess
            && message.groups(.printer).allSatisfy(\.attributes.isEmpty)
    }
}

extension RemoteJob {
    /// The `job-id`; nil for what is no job of an IPP printer.
    var ippJobID: Int32? { Int32(identifier) }
}
