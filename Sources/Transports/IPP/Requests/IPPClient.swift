import KioskIPPCodec
import KioskPrintModel
import Logging
import NIOCore
import NIOHTTP1

/// Sends operations to one printer: chooses the version, encodes, exchanges, decodes. Throws `TransportError`.
struct IPPClient: Sendable {
    let link: PrinterLink
    let deadlines: IPPTransport.Deadlines
    let logger: Logger

    var printer: PrinterURL { link.target.url }
    var knowledge: PrinterKnowledge { link.knowledge }
    var trace: PrinterTrace { link.trace }

    /// Sends a request and returns the response, whatever its status. Starts with the newest version, and falls back to
    /// older ones where the printer does not understand it; names the user, unless the printer accepts no such name.
    /// The variant that worked is kept for the printer.
    func send(_ request: IPPRequest) async throws(TransportError) -> IPPResponse {
        let known = knowledge.version
        let name = knowledge.userName(request.user)
        var fallback = RequestFallback(
            request.operation, start: RequestVariant(version: known.number, userName: name.name),
            isVersionProven: known.isProven, isUserProven: name.isProven
        )
        while true {
            let variant = fallback.variant
            let result = await attempt(request, variant)
            if case .success(let response) = result, response.message.status.isSuccess,
                !response.isEmpty(for: request.operation)
            {
                knowledge.worked(variant, isNameRefused: fallback.isNameRefused)
            }
            switch fallback.receive(result, bytesAccepted: bytesAccepted(result, request)) {
            case .send(let next):
                logger.debug("sends the request again: \(next)", metadata: ["printer": "\(printer)"])
                trace.tell(
                    "send \(request.operation) again with IPP \(next.version)\(next.userName == nil ? " and without requesting-user-name" : "")"
                )
            case .finish(let result): return try result.get()
            }
        }
    }

    /// Sends a request as `send` does, and throws any status but success.
    func perform(_ request: IPPRequest) async throws(TransportError) -> IPPResponse {
        let response = try await send(request)
        guard response.message.status.isSuccess else { throw error(response, request) }
        return response
    }

    /// Makes the request for an operation on a job that the printer accepted. `requested`: the names of the attributes
    /// to request of it.
    func jobRequest(
        _ operation: IPPOperation, _ job: RemoteJob, requesting requested: [String] = []
    ) throws(TransportError) -> IPPRequest {
        guard let jobID = job.ippJobID else {
            throw TransportError(
                .outcomeUnknown, operation: "\(operation)",
                message:
                    "\(printer): \"\(job.identifier.cleaned)\" is not the job-id of an IPP printer; check whether it printed"
            )
        }
        var request = IPPRequest(
            operation: operation, user: UserName.make(job.origin?.user), timeouts: deadlines.requestTimeouts)
        request.jobID = jobID
        if !requested.isEmpty {
            request.operationAttributes = [IPPAttribute("requested-attributes", keywords: requested)]
        }
        return request
    }

    /// The error for a response whose status is not success.
    func error(_ response: IPPResponse, _ request: IPPRequest) -> TransportError {
        TransportError(
            response, operation: "\(request.operation)", printer: printer,
            formats: knowledge.capabilities?.formats ?? []
        )
    }

    /// Sends a request once, without a login, over a connection that the link has given up, and ignores the response.
    func sendOnce(_ request: IPPRequest, over connection: HTTPConnection) async throws(TransportError) {
        let variant = RequestVariant(
            version: knowledge.version.number, userName: knowledge.userName(request.user).name)
        let http = try encode(request, variant)
        do throws(HTTPFailure) {
            let response = try await connection.exchange(http).get()
            trace.tell("← \(request.operation) \(http.number): HTTP \(response.status.code)")
        } catch {
            let explained = TransportError(error, operation: "\(request.operation)", printer: printer)
            trace.tell("\(request.operation) \(http.number) failed: \(explained.message)")
            throw explained
        }
    }

    private func bytesAccepted(_ result: RequestFallback.Attempt, _ request: IPPRequest) -> Int64 {
        switch result {
        case .success(let response): response.message.status.isSuccess ? 0 : error(response, request).bytesAccepted
        case .failure(let error): error.bytesAccepted
        }
    }

    private func attempt(_ request: IPPRequest, _ variant: RequestVariant) async -> RequestFallback.Attempt {
        do throws(TransportError) {
            return .success(try await exchange(request, variant))
        } catch {
            return .failure(error)
        }
    }

    private func exchange(
        _ request: IPPRequest, _ variant: RequestVariant
    ) async throws(TransportError) -> IPPResponse {
        let operation = "\(request.operation)"
        let http = try encode(request, variant)
        let response: HTTPResponse
        do throws(HTTPFailure) {
            let whole = try await link.perform(http)
            response = whole.countingDocumentBytes(of: request)
        } catch {
            var error = error
            error.documentBytes = request.documentBytes(in: error.documentBytes)
            var explained = TransportError(error, operation: operation, printer: printer)
            trace.tell("\(operation) \(http.number) failed: \(explained.message)")
            explained.remoteJob = error.earlySuccess.flatMap { try? decode($0, operation: operation).remoteJob }
            throw explained
        }
        guard response.isHTTPSuccess else {
            trace.tell("← \(operation) \(http.number): HTTP \(response.status.code)")
            throw TransportError(response, operation: operation, printer: printer)
        }
        do throws(TransportError) {
            let decoded = try decode(response, operation: operation)
            trace.tell(
                IPPTrace.response(
                    decoded.message, to: "\(operation) \(http.number)", requestID: http.requestID,
                    httpStatus: response.status.code))
            return decoded
        } catch {
            trace.tell("← \(operation) \(http.number): HTTP \(response.status.code), \(error.message)")
            throw error
        }
    }

    /// Makes the HTTP request, and tells it to the wire trace.
    private func encode(_ request: IPPRequest, _ variant: RequestVariant) throws(TransportError) -> HTTPRequest {
        let quirks = knowledge.quirks
        let address = link.address
        let message = request.message(variant, requestID: knowledge.nextRequestID(), printer: address)
        let encoded = try encode(message)
        trace.tell(
            IPPTrace.request(
                message, length: encoded.count, documentLength: request.document?.length,
                uncompressedLength: request.compressed?.length, coding: request.compressed?.coding ?? .gzip))
        return HTTPRequest(
            path: address.path, host: quirks.host ?? address.host, requestID: message.requestID, message: encoded,
            document: request.document, isIdempotent: request.isIdempotent, timeouts: request.timeouts,
            onSending: request.onSendingWireBytes, carriesLogin: request.carriesLogin, connection: quirks.connection,
            expectsContinue: quirks.expectsContinue && request.document != nil
        )
    }

    private func encode(_ message: IPPMessage) throws(TransportError) -> [UInt8] {
        do {
            return try IPPEncoder.encode(message)
        } catch {
            throw TransportError(
                .jobRefused, operation: "\(message.operation)",
                message: "\(printer): \(error); change the job's name or ticket"
            )
        }
    }

    private func decode(_ response: HTTPResponse, operation: String) throws(TransportError) -> IPPResponse {
        var limits = IPPLimits()
        limits.messageBytes = deadlines.maximumResponseLength
        do {
            var decoder = IPPDecoder(limits: limits, tolerances: IPPQuirks.tolerances)
            _ = try decoder.feed(Array(response.body.readableBytesView))
            let message = try decoder.finish()
            logTolerated(decoder.violations)
            return IPPResponse(message: message, documentBytes: response.documentBytes)
        } catch {
            throw TransportError(
                .protocolViolation, operation: operation,
                message:
                    "\(printer): the response to \(operation) is not valid IPP (\(response.otherContent ?? "\(error)")); check that the URL names a printer and not another service",
                bytesAccepted: response.documentBytes
            )
        }
    }

    /// Logs each breach once for each printer.
    private func logTolerated(_ breaches: IPPTolerances) {
        let new = knowledge.addTolerated(breaches)
        guard !new.isEmpty else { return }
        logger.debug(
            "the printer breaks the IPP encoding (RFC 8010) in ways that are tolerated: \(new)",
            metadata: ["printer": "\(printer)"])
    }
}

extension HTTPResponse {
    /// What a response is that says itself that it is not IPP: `it is text/html`.
    fileprivate var otherContent: String? {
        if let coding = headers.first(name: "content-encoding")?.cleaned, coding.lowercased() != "identity" {
            return "it is compressed with \(coding), which nobody asked for"
        }
        guard let type = headers.first(name: "content-type")?.cleaned, !type.isEmpty else { return nil }
        return DocumentFormat(type)?.mimeType == "application/ipp" ? nil : "it is \(type)"
    }

    /// The response with its count in bytes of the document itself.
    fileprivate func countingDocumentBytes(of request: IPPRequest) -> HTTPResponse {
        var response = self
        response.documentBytes = request.documentBytes(in: documentBytes)
        return response
    }
}

/// The parts of a request that vary with what a printer understands.
struct RequestVariant: Hashable, Sendable {
    var version: IPPVersion
    /// Nil leaves `requesting-user-name` out.
    var userName: String?
}

/// Finds the variant of a request that a printer understands: older versions first, then once without the user's name.
/// No I/O.
///
/// A request is sent again only where the printer cannot have accepted a byte of its document.
struct RequestFallback {
    typealias Attempt = Result<IPPResponse, TransportError>

    enum Action {
        case send(RequestVariant)
        case finish(Attempt)
    }

    private let operation: IPPOperation
    private let start: RequestVariant
    private let isVersionProven: Bool
    private let isUserProven: Bool
    private(set) var variant: RequestVariant
    /// Whether the printer said that it does not support the user's name.
    private(set) var isNameRefused = false
    private var first: Attempt?

    init(_ operation: IPPOperation, start: RequestVariant, isVersionProven: Bool, isUserProven: Bool) {
        self.operation = operation
        self.start = start
        self.isVersionProven = isVersionProven
        self.isUserProven = isUserProven
        variant = start
    }

    /// Decides what follows an attempt. `bytesAccepted`: the document bytes that the printer may have accepted with it.
    mutating func receive(_ result: Attempt, bytesAccepted: Int64) -> Action {
        // What may have printed is the result, whatever came before it.
        guard bytesAccepted == 0 else { return .finish(result) }
        // Without a name a printer may refuse what it would accept otherwise: that refusal says nothing about the job.
        if variant.userName != start.userName, let first, Self.isRefusal(result) { return .finish(first) }
        let blamesVersion = blamesVersion(result)
        let blamesUser = !isUserProven && Self.blamesUser(result)
        guard blamesVersion || blamesUser else { return .finish(result) }
        let original = first ?? result
        first = original
        if blamesVersion, variant.userName == start.userName, let older = variant.version.fallback {
            variant.version = older
        } else if blamesUser, variant.userName != nil {
            variant = RequestVariant(version: start.version, userName: nil)
            isNameRefused = Self.unsupported(result).contains(Self.nameAttribute)
        } else {
            return .finish(original)
        }
        return .send(variant)
    }

    private func blamesVersion(_ result: Attempt) -> Bool {
        switch result {
        case .success(let response):
            response.message.status == .serverErrorVersionNotSupported
                || !isVersionProven && (response.blamesVersion || response.isEmpty(for: operation))
        case .failure(let error):
            !isVersionProven && [.httpStatus(400), .httpStatus(505)].contains(error.underlying)
                && ![.authenticationRequired, .loginRefused, .tlsRequired].contains(error.code)
        }
    }

    /// Whether the response may be about the user's name: it says so, or says that something is wrong but not what.
    private static func blamesUser(_ result: Attempt) -> Bool {
        guard case .success(let response) = result else { return false }
        switch response.message.status {
        case .clientErrorBadRequest, .clientErrorAttributesOrValuesNotSupported, .clientErrorRequestValueTooLong:
            let unsupported = unsupported(result)
            return unsupported.isEmpty || unsupported.contains(nameAttribute)
        default: return false
        }
    }

    private static let nameAttribute = "requesting-user-name"

    private static func unsupported(_ result: Attempt) -> [String] {
        if case .success(let response) = result { response.unsupported } else { [] }
    }

    /// Whether the printer refuses the request; false for a failure that may pass and says nothing about the request.
    private static func isRefusal(_ result: Attempt) -> Bool {
        switch result {
        case .success(let response): !response.message.status.isSuccess && !response.isBusy
        case .failure(let error):
            ![.cancelled, .printerBusy, .connectionLost, .connectionRefused, .hostNotFound, .timedOut].contains(
                error.code)
        }
    }
}

extension IPPVersion {
    /// The version to try on a printer that does not understand this one.
    fileprivate var fallback: IPPVersion? {
        switch self {
        case .v1_0: nil
        case .v1_1: .v1_0
        default: .v1_1
        }
    }
}
