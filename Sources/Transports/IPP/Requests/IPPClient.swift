import IPPCodec
import Logging
import NIOCore
import NIOHTTP1
import PrintModel

/// Asks operations of one printer: chooses the version, encodes, exchanges, decodes. Throws `TransportError`.
struct IPPClient: Sendable {
    let link: PrinterLink
    let deadlines: IPPTransport.Deadlines
    let logger: Logger

    var printer: PrinterURL { link.target.url }
    var knowledge: PrinterKnowledge { link.knowledge }

    /// The reply, whatever its status. Speaks the newest version first, and an older one where the printer does not
    /// understand it; names the user, unless the printer takes no such name. What worked once is kept for the printer.
    func ask(_ request: IPPRequest) async throws(TransportError) -> IPPReply {
        let known = knowledge.version
        let name = knowledge.userName(request.user)
        var search = RequestFormSearch(
            request.operation, start: RequestForm(version: known.number, userName: name.name),
            isVersionProven: known.isProven, isUserProven: name.isProven
        )
        while true {
            let form = search.form
            let result = await attempt(request, form)
            if case .success(let reply) = result, reply.message.status.isSuccess, !reply.isEmpty(for: request.operation)
            {
                knowledge.worked(form, isNameRefused: search.isNameRefused)
            }
            switch search.took(result, taken: taken(result, request)) {
            case .ask(let next): logger.debug("asks again: \(next)", metadata: ["printer": "\(printer)"])
            case .finish(let result): return try result.get()
            }
        }
    }

    /// As `ask`, with any status but success thrown.
    func perform(_ request: IPPRequest) async throws(TransportError) -> IPPReply {
        let reply = try await ask(request)
        guard reply.message.status.isSuccess else { throw error(reply, request) }
        return reply
    }

    func error(_ reply: IPPReply, _ request: IPPRequest) -> TransportError {
        TransportError(
            reply, operation: "\(request.operation)", printer: printer, formats: knowledge.facts?.formats ?? []
        )
    }

    private func taken(_ result: Result<IPPReply, TransportError>, _ request: IPPRequest) -> Int64 {
        switch result {
        case .success(let reply): reply.message.status.isSuccess ? 0 : error(reply, request).bytesAccepted
        case .failure(let error): error.bytesAccepted
        }
    }

    private func attempt(_ request: IPPRequest, _ form: RequestForm) async -> Result<IPPReply, TransportError> {
        do throws(TransportError) {
            return .success(try await exchange(request, form))
        } catch {
            return .failure(error)
        }
    }

    /// Puts it once, over a connection that is not the link's, and without a login; whatever the answer is.
    func tell(_ request: IPPRequest, over connection: HTTPConnection) async throws(TransportError) {
        let form = RequestForm(version: knowledge.version.number, userName: knowledge.userName(request.user).name)
        let http = try encode(request, form)
        do throws(HTTPFailure) {
            _ = try await connection.exchange(http).get()
        } catch {
            throw TransportError(error, operation: "\(request.operation)", printer: printer)
        }
    }

    private func encode(_ request: IPPRequest, _ form: RequestForm) throws(TransportError) -> HTTPRequest {
        let manners = knowledge.manners
        let address = link.address
        let message = request.message(form, requestID: knowledge.nextRequestID(), printer: address)
        return HTTPRequest(
            path: address.path, host: manners.host ?? address.host, requestID: message.requestID,
            message: try encode(message),
            document: request.document, isRepeatable: request.isRepeatable, patience: request.patience,
            onSending: request.tellsSending, carriesLogin: request.carriesLogin, connection: manners.connection,
            expectsContinue: manners.expectsContinue && request.document != nil
        )
    }

    private func exchange(_ request: IPPRequest, _ form: RequestForm) async throws(TransportError) -> IPPReply {
        let operation = "\(request.operation)"
        let http = try encode(request, form)
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            let whole = try await link.perform(http)
            answer = whole.counting(request)
        } catch {
            var error = error
            error.documentBytes = request.documentBytes(in: error.documentBytes)
            var explained = TransportError(error, operation: operation, printer: printer)
            explained.remoteJob = error.earlySuccess.flatMap { try? decode($0, operation: operation).remoteJob }
            throw explained
        }
        guard (200..<300).contains(answer.status.code) else {
            throw TransportError(answer, operation: operation, printer: printer)
        }
        return try decode(answer, operation: operation)
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

    private func decode(_ answer: HTTPAnswer, operation: String) throws(TransportError) -> IPPReply {
        var limits = IPPLimits()
        limits.messageBytes = deadlines.longestAnswer
        do {
            var decoder = IPPDecoder(limits: limits, tolerances: Manners.tolerances)
            _ = try decoder.feed(Array(answer.body.readableBytesView))
            let message = try decoder.finish()
            noteTolerated(decoder.breaches)
            return IPPReply(message: message, documentBytes: answer.documentBytes)
        } catch {
            throw TransportError(
                .protocolViolation, operation: operation,
                message:
                    "\(printer): the answer to \(operation) is no IPP (\(error)); check that the URL names a printer and not another service",
                bytesAccepted: answer.documentBytes
            )
        }
    }
}

extension HTTPAnswer {
    /// With its count in bytes of the document itself.
    fileprivate func counting(_ request: IPPRequest) -> HTTPAnswer {
        var answer = self
        answer.documentBytes = request.documentBytes(in: documentBytes)
        return answer
    }
}

extension IPPClient {
    private func noteTolerated(_ breaches: IPPTolerances) {
        let new = knowledge.tolerated(breaches)
        guard !new.isEmpty else { return }
        logger.debug(
            "the printer breaks the encoding (RFC 8010), which is read over: \(new)",
            metadata: ["printer": "\(printer)"])
    }
}
