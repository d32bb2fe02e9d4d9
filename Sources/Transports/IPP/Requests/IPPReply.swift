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
