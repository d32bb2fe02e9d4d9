import Glibc
import HTTPTypes
import Hummingbird
import KioskAPI
import KioskPrintModel
import NIOCore
import NIOPosix

extension Request {
    /// The announced length of the body in bytes; nil when it comes in chunks. The parser has checked that it is a
    /// number.
    var contentLength: Int64? { headers[.contentLength].flatMap { Int64($0) } }

    /// A header field's value by name.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }

    /// Returns the values of header fields by name, for a reader who asks for each parameter's field: most requests have
    /// none of these, and no name is made and looked up then.
    var parameterHeader: (String) -> String? {
        let hasParameters = headers.contains { $0.name.canonicalName.hasPrefix(canonicalParameterPrefix) }
        return { name in hasParameters || !name.hasPrefix(APIHeaders.parameterPrefix) ? header(name) : nil }
    }

    /// Throws where parameters stand that nobody reads.
    func refuseQuery() throws {
        try QueryItems(uri.query).refuseNone()
    }

    /// Throws where the body has a transfer coding that is not decoded here: the coded bytes would be taken for the
    /// document (RFC 9112 §6.1).
    func refuseTransferCodings() throws {
        guard let codings = headers[.transferEncoding] else { return }
        let names = codings.split(separator: ",").map {
            $0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased()
        }
        guard names != ["chunked"] else { return }
        let shown = codings.withoutControlCharacters.prefix(utf8Count: 80)
        throw Problem(
            .transferCodingNotSupported,
            detail:
                "the daemon knows no Transfer-Encoding but chunked, and the request has \"\(shown)\"; send the body as it is"
        )
    }

    /// Reads the whole body, up to `limit` bytes and within a quota. Messages say `what` it is, and what to do
    /// `instead` of sending more.
    func boundedBody(
        _ limit: Int, _ context: APIContext, of quota: SharedQuota, what: String = "JSON",
        instead: String = "send a document of this size as a raw body"
    ) async throws -> BodyInMemory {
        let tooLarge = Problem(.documentTooLarge, detail: "the \(what) is longer than \(limit) bytes; \(instead)")
        let length = contentLength
        if let length, length > Int64(limit) { throw tooLarge }
        // An announced body is refused before it is sent, so that those that are taken come to their end.
        let reservation = try quota.reserve(Int(length ?? 0), for: context.caller)
        context.wantBody(of: self, within: context.limits.bodyTime)
        var bytes = ByteBuffer()
        if let length { bytes.reserveCapacity(Int(length)) }
        for try await piece in body {
            guard bytes.readableBytes + piece.readableBytes <= limit else { throw tooLarge }
            try reservation.grow(to: bytes.readableBytes + piece.readableBytes)
            bytes.writeImmutableBuffer(piece)
        }
        // A cancelled connection may end the body without an error.
        try Task.checkCancellation()
        if let length, Int64(bytes.readableBytes) != length {
            throw Problem(
                .bodyCutOff, detail: "the body ended after \(bytes.readableBytes) of \(length) bytes; send it again")
        }
        return BodyInMemory(bytes: bytes, reservation: reservation)
    }

    /// A JSON body that says what is to be changed; nothing is asked with parameters beside it.
    func change<Change: Decodable & Sendable>(_ type: Change.Type, _ context: APIContext) async throws -> Change {
        try refuseQuery()
        let body = try await boundedBody(APILimits.maximumChange, context, of: context.limits.bodies)
        defer { body.reservation.giveBack() }
        return try await body.decoded(as: type)
    }
}

/// The beginning of the parameters' header fields, as names of fields are compared.
private let canonicalParameterPrefix = APIHeaders.parameterPrefix.lowercased()

/// A request's body that was read whole, with its reservation in the quota of bodies.
struct BodyInMemory: Sendable {
    let bytes: ByteBuffer
    let reservation: Reservation

    /// The length up to which a body is decoded at once; longer ones take milliseconds, and are decoded in the
    /// background.
    private static let maximumDecodedAtOnce = 64 << 10

    func decoded<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Value {
        let bytes = bytes
        @Sendable func decode() throws -> Value {
            try bytes.withUnsafeReadableBytes { try JSONStructure.check($0) }
            return try APIJSON.decode(type, from: bytes.readableBytesView)
        }
        guard bytes.readableBytes > Self.maximumDecodedAtOnce else { return try decode() }
        return try await BackgroundWork.run { try decode() }
    }
}

extension QueryItems {
    fileprivate func refuseNone() throws {
        guard let stranger = items.first else { return }
        let shown = stranger.key.withoutControlCharacters.prefix(utf8Count: 80)
        throw Problem(
            .invalidParameter, detail: "the parameter \"\(shown)\" is not known; nothing is asked with parameters here")
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
            throw Problem(
                .unknownPrinter,
                detail:
                    "\"\(text.shown)\" is not a printer's id: lower-case letters and digits in words joined by hyphens"
            )
        }
        return id
    }

    func roleName() throws -> RoleName {
        let text = parameters.get("name") ?? ""
        guard let name = RoleName(rawValue: text) else {
            throw Problem(
                .unknownRole,
                detail:
                    "\"\(text.shown)\" is not a role's name: lower-case letters and digits in words joined by hyphens")
        }
        return name
    }
}

extension String {
    fileprivate var shown: String { withoutControlCharacters.prefix(utf8Count: 80) }
}

/// A thread of low priority for long computations, such as decoding a large body, one after the other. Neither the
/// event loops nor the threads that print wait for them.
enum BackgroundWork {
    /// The thread's nice(2) value.
    private static let niceness: CInt = 10

    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        // On Linux the priority is the calling thread's own. It stays as it is where the service manager denies the
        // call, as the shipped unit does.
        pool.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        return pool
    }()

    /// Runs work on the thread. Work whose task is cancelled before its turn is not begun.
    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive(work)
    }
}
