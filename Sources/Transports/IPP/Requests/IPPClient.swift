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

    /// The reply, whatever its status. Speaks IPP 2.0 first, and an older version where the printer does not understand
    /// it; what worked once is kept for the printer.
    func ask(_ request: IPPRequest) async throws(TransportError) -> IPPReply {
        let known = knowledge.version
        var version = known.number
        var first: Result<IPPReply, TransportError>?
        while true {
            let result = await attempt(request, version: version)
            if case .success(let reply) = result, reply.message.status.isSuccess, !reply.isEmpty(for: request.operation) {
                knowledge.versionWorks(version)
                return reply
            }
            guard Self.blamesVersion(result, isProven: known.isProven, operation: request.operation),
                let older = version.fallback
            else { return try (first ?? result).get() }
            logger.debug("falls back to IPP \(older)", metadata: ["printer": "\(printer)"])
            first = first ?? result
            version = older
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

    private static func blamesVersion(
        _ result: Result<IPPReply, TransportError>, isProven: Bool, operation: IPPOperation
    ) -> Bool {
        switch result {
        case .success(let reply):
            reply.message.status == .serverErrorVersionNotSupported
                || !isProven && (reply.blamesVersion || reply.isEmpty(for: operation))
        case .failure(let error):
            !isProven && [.httpStatus(400), .httpStatus(505)].contains(error.underlying)
        }
    }

    private func attempt(_ request: IPPRequest, version: IPPVersion) async -> Result<IPPReply, TransportError> {
        do throws(TransportError) {
            return .success(try await exchange(request, version: version))
        } catch {
            return .failure(error)
        }
    }

    private func exchange(_ request: IPPRequest, version: IPPVersion) async throws(TransportError) -> IPPReply {
        let operation = "\(request.operation)"
        let message = request.message(version: version, requestID: knowledge.nextRequestID(), printer: printer)
        let http = HTTPRequest(
            path: printer.path, host: printer.hostField, message: try encode(message), document: request.document,
            isRepeatable: request.isRepeatable, patience: request.patience, onSending: request.onSending
        )
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try await link.perform(http)
        } catch {
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
            let message = try IPPDecoder.decode(Array(answer.body.readableBytesView), limits: limits, tolerances: .all)
            return IPPReply(message: message.message, documentBytes: answer.documentBytes)
        } catch {
            throw TransportError(
                .protocolViolation, operation: operation,
                message: "\(printer): the answer to \(operation) is no IPP (\(error)); check that the URL names a printer and not another service",
                bytesAccepted: answer.documentBytes
            )
        }
    }
}

extension IPPVersion {
    /// What to speak to a printer that does not understand this version.
    fileprivate var fallback: IPPVersion? {
        switch self {
        case .v1_0: nil
        case .v1_1: .v1_0
        default: .v1_1
        }
    }
}

extension PrinterURL {
    /// HTTP's `Host` (RFC 9110 §7.2): the port is IPP's default here, not HTTP's, so it always stands there (RFC 8010 §4).
    fileprivate var hostField: String { port == nil ? "\(authority):\(effectivePort ?? 631)" : authority }
}
