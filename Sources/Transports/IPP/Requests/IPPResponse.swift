import IPPCodec
import PrintModel

/// A printer's response to one operation.
struct IPPResponse: Sendable {
    var message: IPPMessage
    /// Document bytes that the printer may have taken, at most.
    var documentBytes: Int64 = 0

    /// The printer's `status-message`, cleaned; nil where it is missing or empty.
    var statusMessage: String? {
        let text = message.attribute("status-message", in: .operation)?.string?.cleaned
        return text?.isEmpty == false ? text : nil
    }

    /// The job that the response is about.
    var remoteJob: RemoteJob? {
        message.attribute("job-id", in: .job)?.integer.flatMap { $0 > 0 ? RemoteJob(identifier: "\($0)") : nil }
    }

    /// Whether the status may mean that the printer does not know the request's version: it says so, or calls it a bad
    /// request, as some printers do.
    var blamesVersion: Bool {
        [.serverErrorVersionNotSupported, .clientErrorBadRequest].contains(message.status)
    }

    /// Whether the printer takes no jobs at the moment.
    var isBusy: Bool {
        [
            .serverErrorBusy, .serverErrorTooManyJobs, .serverErrorTemporaryError, .serverErrorServiceUnavailable,
            .serverErrorNotAcceptingJobs, .serverErrorPrinterIsDeactivated,
        ].contains(message.status)
    }

    /// Whether the printer refuses the document because it is compressed. CUPS sends no compression status, and names
    /// the attribute.
    var refusesCompression: Bool {
        switch message.status {
        case .clientErrorCompressionNotSupported, .clientErrorCompressionError: true
        case .clientErrorAttributesOrValuesNotSupported: unsupported.contains("compression")
        default: false
        }
    }

    /// Whether the printer refuses the job over its medium or its cut, or does not say over which attribute.
    var refusesRollSize: Bool {
        switch message.status {
        case .clientErrorConflictingAttributes: true
        case .clientErrorAttributesOrValuesNotSupported:
            unsupported.isEmpty || unsupported.contains { $0.hasPrefix("media") || $0.hasPrefix("finishings") }
        default: false
        }
    }

    /// The names of the attributes that the printer does not support (RFC 8011 §4.1.7).
    var unsupported: [String] { message.groups(.unsupported).flatMap(\.attributes).map(\.name) }

    /// Whether it is a success without the requested attributes, which some printers send when they do not know the
    /// request's version.
    func isEmpty(for operation: IPPOperation) -> Bool {
        operation == .getPrinterAttributes && message.status.isSuccess
            && message.groups(.printer).allSatisfy(\.attributes.isEmpty)
    }
}

extension RemoteJob {
    /// The `job-id`; nil where the identifier is not one.
    var ippJobID: Int32? { Int32(identifier) }
}
