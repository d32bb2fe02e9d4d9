internal import HTTPTypes
internal import Hummingbird
internal import KioskAPI
internal import NIOCore
internal import PrintModel
internal import ServiceLifecycle

extension Request {
    /// The announced length of the body in bytes; nil when it comes in chunks. The parser has checked that it is a number.
    var contentLength: Int64? { headers[.contentLength].flatMap { Int64($0) } }

    /// A header field's value by name.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }

    /// Throws where parameters stand that nobody reads.
    func refuseQuery() throws {
        try QueryItems(uri.query).refuseNone()
    }

    /// The whole body, up to `limit` bytes. `what` it is and what to do `instead` of sending more, for people.
    func boundedBody(
        _ limit: Int, _ context: APIContext, what: String = "JSON", instead: String = "send a document of this size as a raw body"
    ) async throws -> ByteBuffer {
        let tooLarge = Problem(.documentTooLarge, detail: "the \(what) is longer than \(limit) bytes; \(instead)")
        if let length = contentLength, length > Int64(limit) { throw tooLarge }
        try await context.wantBody()
        let stream = self.body
        let body: ByteBuffer
        do {
            body = try await cancelWhenGracefulShutdown {
                let body = try await stream.collect(upTo: limit)
                // A cancelled connection may end the body without an error.
                try Task.checkCancellation()
                return body
            }
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
        if let length = contentLength, Int64(body.readableBytes) != length {
            throw Problem(.bodyCutOff, detail: "the body ended after \(body.readableBytes) of \(length) bytes; send it again")
        }
        return body
    }

    /// A JSON body that says what is to be changed; nothing is asked with parameters beside it.
    func change<Change: Decodable>(_ type: Change.Type, _ context: APIContext) async throws -> Change {
        try refuseQuery()
        let body = try await boundedBody(APILimits.maximumChange, context)
        return try APIJSON.decode(type, from: body.readableBytesView)
    }
}

extension QueryItems {
    fileprivate func refuseNone() throws {
        guard let stranger = items.first else { return }
        let shown = stranger.key.withoutControlCharacters.prefix(utf8Count: 80)
        throw Problem(.invalidParameter, detail: "the parameter \"\(shown)\" is not known; nothing is asked with parameters here")
    }
}

extension APIContext {
    func jobID() throws -> Job.ID {
        let text = parameters.get("id") ?? ""
        guard let id = Job.ID(text), id > 0, text == String(id) else {
            throw Problem(.unknownJob, detail: "there is no job \"\(text.shown)\"; a job's id is a number")
        }
        return id
    }

    func printerID() throws -> PrinterID {
        let text = parameters.get("id") ?? ""
        guard let id = PrinterID(rawValue: text) else {
            throw Problem(.unknownPrinter, detail: "\"\(text.shown)\" is no printer's id: lower-case letters and digits in words joined by hyphens")
        }
        return id
    }

    func roleName() throws -> RoleName {
        let text = parameters.get("name") ?? ""
        guard let name = RoleName(rawValue: text) else {
            throw Problem(.unknownRole, detail: "\"\(text.shown)\" is no role's name: lower-case letters and digits in words joined by hyphens")
        }
        return name
    }
}

extension String {
    fileprivate var shown: String { withoutControlCharacters.prefix(utf8Count: 80) }
}
