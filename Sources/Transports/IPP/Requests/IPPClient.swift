import IPPCodec
import Logging
import NIOCore
import PrintModel

/// Sends operations to one printer: chooses the version, encodes, exchanges, decodes. Throws `TransportError`.
struct IPPClient: Sendable {
    let link: PrinterLink
    let deadlines: IPPTransport.Deadlines
    let logger: Logger

    var printer: PrinterURL { link.target.url }
    var knowledge: PrinterKnowledge { link.knowledge }

    /// Sends a request and returns the response, whatever its status. Starts with the newest version, and falls back to
    /// older ones where the printer does not understand it; names the user, unless the printer takes no such name. The
    /// variant that worked is kept for the printer.
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
            switch fallback.receive(result, taken: bytesAccepted(result, request)) {
            case .send(let next): logger.debug("sends the request again: \(next)", metadata: ["printer": "\(printer)"])
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
            _ = try await connection.exchange(http).get()
        } catch {
            throw TransportError(error, operation: "\(request.operation)", printer: printer)
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
            explained.remoteJob = error.earlySuccess.flatMap { try? decode($0, operation: operation).remoteJob }
            throw explained
        }
        guard response.isHTTPSuccess else {
            throw TransportError(response, operation: operation, printer: printer)
        }
        return try decode(response, operation: operation)
    }

    private func encode(_ request: IPPRequest, _ variant: RequestVariant) throws(TransportError) -> HTTPRequest {
        let quirks = knowledge.quirks
        let address = link.address
        let message = request.message(variant, requestID: knowledge.nextRequestID(), printer: address)
        return HTTPRequest(
            path: address.path, host: quirks.host ?? address.host, requestID: message.requestID,
            message: try encode(message),
            document: request.document, isRepeatable: request.isRepeatable, timeouts: request.timeouts,
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
        limits.messageBytes = deadlines.longestAnswer
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
                    "\(printer): the response to \(operation) is not valid IPP (\(error)); check that the URL names a printer and not another service",
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
    /// The response with its count in bytes of the document itself.
    fileprivate func countingDocumentBytes(of request: IPPRequest) -> HTTPResponse {
        var response = self
        response.documentBytes = request.documentBytes(in: documentBytes)
        return response
    }
}
