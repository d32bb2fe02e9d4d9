import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import NIOCore
import PrintModel
import ServiceLifecycle

/// Reads a submission: what is wanted, and the document into the engine's intake as it comes.
struct DocumentReceiver: Sendable {
    let engine: PrintEngine
    let access: AccessRules
    /// In bytes.
    let maximumLength: Int64

    struct Submission {
        var request: JobRequest
        var document: StoredDocument
        /// In seconds.
        var wait: Int?
    }

    func receive(_ request: Request, _ context: APIContext) async throws -> Submission {
        let contentType = request.headers[.contentType].flatMap { DocumentFormat($0) }
        return contentType?.mimeType == APIMediaTypes.json
            ? try await receiveJSON(request, context) : try await receiveRaw(request, context)
    }

    /// The body is the document.
    private func receiveRaw(_ request: Request, _ context: APIContext) async throws -> Submission {
        let parameters = try SubmissionParameters(query: request.uri.query, header: request.header)
        let jobRequest = await jobRequest(parameters, context)
        // What can be refused is refused before the body is asked for.
        try await engine.check(jobRequest)
        let length = request.contentLength
        if let length, length > maximumLength { throw tooLarge }
        try await context.wantBody()
        // An upload that is under way when the daemon is to end is given up: its client may have stalled.
        let document = try await cancelWhenGracefulShutdown {
            try await take(for: jobRequest) { intake in
                var received: Int64 = 0
                for try await buffer in request.body {
                    received += Int64(buffer.readableBytes)
                    try await intake.append(Array(buffer.readableBytesView))
                }
                // A cancelled or closed connection may end the body without an error.
                try Task.checkCancellation()
                if let length, received != length { throw cutOff(received, of: length) }
            }
        }
        return Submission(request: jobRequest, document: document, wait: parameters.wait)
    }

    /// The body is JSON with the document in it.
    private func receiveJSON(_ request: Request, _ context: APIContext) async throws -> Submission {
        let body = try await request.boundedBody(APILimits.maximumJSONSubmission, context, of: context.limits.bodies)
        defer { body.reservation.giveBack() }
        let submission = try await body.decoded(as: JobSubmission.self)
        let parameters = try SubmissionParameters(
            submission: submission, query: request.uri.query, header: request.header
        )
        let jobRequest = await jobRequest(parameters, context)
        try await engine.check(jobRequest)
        let document = try await take(for: jobRequest) { intake in
            try await intake.append(submission.document.bytes)
        }
        return Submission(request: jobRequest, document: document, wait: parameters.wait)
    }

    /// A stored document; nothing stays behind when `fill` throws.
    private func take(
        for request: JobRequest, _ fill: (DocumentIntake) async throws -> Void
    ) async throws -> StoredDocument {
        let intake = engine.makeIntake(for: request)
        do {
            try await fill(intake)
            return try await intake.finish()
        } catch {
            await intake.discard()
            throw error
        }
    }

    private func jobRequest(_ parameters: SubmissionParameters, _ context: APIContext) async -> JobRequest {
        let requester = await access.requester(of: context)
        return JobRequest(
            role: parameters.role, printer: parameters.printer, name: parameters.name ?? Self.standardName,
            // The kernel knows who prints better than they say (RFC 8011 §9.3: the most authenticated name counts).
            user: requester.isOperator ? parameters.user : nil, format: parameters.format, ticket: parameters.ticket,
            idempotencyKey: parameters.idempotencyKey, caller: requester.keyspace, rights: requester.rights,
            owner: requester.user,
            ownerName: requester.name
        )
    }

    /// What a job is called that nobody named.
    private static let standardName = "Untitled"

    private var tooLarge: Problem {
        Problem(
            .documentTooLarge,
            detail:
                "the document is longer than \(maximumLength) bytes; send a smaller one, or start kioskd with --max-document-size"
        )
    }

    private func cutOff(_ received: Int64, of length: Int64) -> Problem {
        Problem(
            .bodyCutOff,
            detail: "the body ended after \(received) of \(length) bytes; nothing was stored; send it again"
        )
    }
}
