import KioskIPPCodec
import KioskPrintModel

/// Why the printer rejects a request: the status of its response, and what the response says besides.
struct IPPStatusError: Error {
    let status: IPPStatus
    let message: String
    /// The attributes for the unsupported-attributes group (RFC 8011 §4.1.7).
    let unsupported: [IPPAttribute]

    init(_ status: IPPStatus, _ message: String, unsupported: [IPPAttribute] = []) {
        self.status = status
        self.message = message
        self.unsupported = unsupported
    }

    init(_ error: PrinterModel.JobError) {
        switch error {
        case .notFound: self = .jobNotFound
        case .notPossible(let state): self.init(.clientErrorNotPossible, "The job is \(state.rawValue).")
        case .multipleDocuments:
            self.init(.serverErrorMultipleDocumentJobsNotSupported, "This printer supports one document per job.")
        case .tooManyJobs:
            self.init(.serverErrorTooManyJobs, "The printer has no memory for more jobs; try again later.")
        case .notAcceptingJobs: self.init(.serverErrorNotAcceptingJobs, "The printer is not accepting jobs.")
        }
    }

    static func badRequest(_ message: String) -> IPPStatusError { IPPStatusError(.clientErrorBadRequest, message) }

    static let jobNotFound = IPPStatusError(.clientErrorNotFound, "There is no such job.")
    static let subscriptionNotFound = IPPStatusError(.clientErrorNotFound, "There is no such subscription.")
    static let incompleteCompression = IPPStatusError(
        .clientErrorCompressionError, "The document is not a complete stream of its compression.")
}

// Responses to a request.
extension IPPMessage {
    /// A response with this status and these groups. `text` becomes the `status-message`.
    func response(_ status: IPPStatus, _ text: String? = nil, _ groups: [IPPGroup] = []) -> IPPMessage {
        var operation = IPPGroup(
            .operation,
            [
                IPPAttribute("attributes-charset", .charset("utf-8")),
                IPPAttribute("attributes-natural-language", .naturalLanguage("en")),
            ])
        // RFC 8011 §4.1.6.2: at most 255 octets.
        if let text { operation.append(IPPAttribute("status-message", .text(IPPText(text.prefix(utf8Count: 255))))) }
        // RFC 8011 §4.1.8: the version closest to the client's that the printer supports.
        let version = self.version.major == 1 ? IPPVersion.v1_1 : min(max(self.version, .v1_1), .v2_0)
        return IPPMessage(version: version, status: status, requestID: requestID, groups: [operation] + groups)
    }

    /// A response that rejects the request.
    func response(_ error: IPPStatusError) -> IPPMessage {
        let unsupported = error.unsupported.isEmpty ? [] : [IPPGroup(.unsupported, error.unsupported)]
        return response(error.status, error.message, unsupported)
    }

    /// A successful response. `unsupported` lists the attributes that the printer ignored.
    func success(_ groups: [IPPGroup] = [], unsupported: [IPPAttribute] = []) -> IPPMessage {
        guard !unsupported.isEmpty else { return response(.successfulOk, nil, groups) }
        return response(
            .successfulOkIgnoredOrSubstitutedAttributes, nil, [IPPGroup(.unsupported, unsupported)] + groups)
    }
}
