import Synchronization

/// A protocol stack that reaches printers: IPP, SSH/lpr, USB. One value serves every printer of its schemes and keeps
/// the open connections to each.
///
/// Every call may be cancelled at any time and then ends soon with `TransportError.Code.cancelled`. Each call has its
/// own deadline for responses of the other side. Calls for different printers never wait for each other.
public protocol Transport: Sendable {
    /// The URL schemes that this transport serves.
    var schemes: Set<PrinterURL.Scheme> { get }

    /// Asks a printer for its description and state.
    /// - Throws: `TransportError` when it cannot be asked.
    func contact(_ printer: PrinterTarget) async throws -> ContactReport

    /// The certificate or host key that the printer shows now, verified in the same handshake. The call opens a
    /// separate connection for this and sends neither a login nor a client certificate over it. Nil where the
    /// connection has no certificate and no host key: to find out whether a printer under ipp:// demands TLS, the call
    /// sends it Get-Printer-Attributes without a login.
    /// - Throws: `TransportError` when the printer cannot be reached.
    func identity(of printer: PrinterTarget) async throws -> JudgedIdentity?

    /// Streams one job to the printer, and returns once the other side has accepted it. `progress` is called in order,
    /// and never after the return.
    /// - Throws: `TransportError` with the number of document bytes that the other side may have accepted.
    func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport

    /// Watches a job that the printer accepted until its state is final. `update` is called for each change that is not
    /// final.
    /// - Throws: `TransportError`, with `outcomeUnknown` when the printer no longer knows the job.
    func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport

    /// Looks for a job that the printer may or may not have accepted, after a crash or a broken connection. Nil when
    /// the printer certainly does not have it.
    /// - Throws: `TransportError`, with `outcomeUnknown` when that cannot be determined.
    func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob?

    /// Asks the printer what it took of the ticket of a job that it has, where its response to the delivery was lost:
    /// the remarks that the delivery's report would have had, as sentences without a full stop.
    /// - Throws: `TransportError` when the printer cannot be asked.
    func remarks(on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget) async throws -> [String]

    /// Asks the printer to cancel a job that it accepted. Returning means that it agreed, not that the paper stopped.
    /// - Throws: `TransportError` when it did not agree.
    func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws

    /// Has the printer show which one it is: by light, sound, or the message on its panel. Returns what it was asked to
    /// do, as keywords of PWG 5100.13 `identify-actions`; empty where that was left to the printer.
    /// - Throws: `TransportError`, with `notSupported` where the printer or its protocol has no way to.
    func identify(_ printer: PrinterTarget, message: String?) async throws -> [String]

    /// Hands over what an earlier run learned of a printer, before its first contact.
    func recall(_ learned: LearnedBehavior, of printer: PrinterTarget)

    /// Closes the connections to a printer that is no longer saved.
    func forget(_ printer: PrinterTarget) async

    /// The changes that the transport notices without a contact, of printers that were contacted and not forgotten
    /// since. Only one caller may call this, once. Nil for a transport that notices none.
    func news() -> AsyncStream<PrinterNews>?

    /// How often to contact an idle printer: seldom where a contact costs a login, or where the printer reports changes
    /// itself. Nil leaves it to the engine.
    var idleContactInterval: Duration? { get }

    /// Whether to contact a printer about once a second while somebody looks on: not where a contact costs a login, or
    /// takes the printer's one connection from others.
    var allowsFrequentContacts: Bool { get }

    /// What the engine's own work for a delivery runs on, best where the transport waits for the printer: a job then
    /// goes on where the printer's response arrived. It must run tasks until `shutDown` returns. Nil for Swift's pool
    /// of threads.
    var taskExecutor: (any TaskExecutor)? { get }

    /// What the health report says of the transport itself, beside what it says of each printer.
    var healthChecks: [HealthReport.Check] { get async }

    /// Closes everything; no call follows.
    func shutDown() async
}

extension Transport {
    /// Nil: for a transport whose printers have no certificate and no host key.
    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? { nil }
    /// None: for a transport that knows nothing of tickets.
    public func remarks(
        on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget
    ) async throws -> [String] { [] }
    /// Throws `notSupported`: for a transport whose protocol has no such operation.
    public func identify(_ printer: PrinterTarget, message: String?) async throws -> [String] {
        throw TransportError(
            .notSupported, operation: "identify",
            message:
                "\(printer.url): printers under \(printer.url.scheme.name):// cannot be asked to show which one they are"
        )
    }
    /// Nothing: for a transport that learns nothing which outlasts a run.
    public func recall(_ learned: LearnedBehavior, of printer: PrinterTarget) {}
    /// Nil: for a transport that notices no changes.
    public func news() -> AsyncStream<PrinterNews>? { nil }
    /// Nil: leaves it to the engine.
    public var idleContactInterval: Duration? { nil }
    /// True where the transport leaves the idle interval to the engine.
    public var allowsFrequentContacts: Bool { idleContactInterval == nil }
    /// Nil: Swift's pool of threads.
    public var taskExecutor: (any TaskExecutor)? { nil }
    /// None.
    public var healthChecks: [HealthReport.Check] { get async { [] } }
}

/// A change of a printer that a transport noticed, or that the printer reported, without a contact.
public struct PrinterNews: Hashable, Sendable {
    /// The printer that changed.
    public var printer: PrinterTarget
    /// What changed.
    public var kind: Kind

    /// The kinds of change.
    public enum Kind: Hashable, Sendable {
        /// It was plugged in or switched on; contact it at once.
        case appeared
        /// It is gone. The text tells people why.
        case disappeared(String)
        /// Its state changed to this.
        case changed(Availability)
    }

    /// Creates a notice of a change.
    public init(_ kind: Kind, of printer: PrinterTarget) {
        self.printer = printer
        self.kind = kind
    }
}

/// The result of a contact.
public struct ContactReport: Hashable, Sendable {
    /// The printer's description of itself.
    public var description: PrinterDescription
    /// Whether it can print a job now.
    public var availability: Availability

    /// Creates the result of a contact.
    public init(description: PrinterDescription, availability: Availability) {
        self.description = description
        self.availability = availability
    }
}

// MARK: - Deliveries

/// One job on its way to one printer.
public struct Delivery: Sendable {
    /// Unique among all deliveries of this engine, short, ASCII. The transport puts it into the job's name at the
    /// printer, so that the job can be found again.
    public var jobID: String
    /// The job's name for people. Any string; the transport cleans and cuts it as its protocol demands.
    public var name: String
    /// The user who printed it, if the caller named one.
    public var user: String?
    /// The settings for printing, as far as they are not done in the document already.
    public var ticket: Ticket
    /// The document in a format that the printer accepts.
    public var document: PrintDocument
    /// When sending began first, for `locate`: a printer whose history begins later, or that was switched on since,
    /// cannot prove that it never had the job.
    public var sentAt: Timestamp?

    /// Creates a delivery.
    public init(
        jobID: String, name: String, user: String? = nil, ticket: Ticket, document: PrintDocument,
        sentAt: Timestamp? = nil
    ) {
        self.jobID = jobID
        self.name = name
        self.user = user
        self.ticket = ticket
        self.document = document
        self.sentAt = sentAt
    }
}

extension Delivery {
    /// The same delivery once all of its document is rendered, for protocols that announce its size.
    /// - Throws: `TransportError` where it cannot be rendered or the wait is cancelled; nothing was sent.
    package func rendered() async throws -> Delivery {
        var delivery = self
        do {
            delivery.document = try await document.rendered()
        } catch let failure as DocumentStreamFailure {
            throw TransportError(failure)
        } catch {
            throw TransportError(
                .cancelled, operation: "render", message: "the document was being rendered, and nothing was sent")
        }
        return delivery
    }
}

/// The progress of a delivery.
public enum DeliveryProgress: Hashable, Sendable {
    /// A connection to the printer or its host is being opened.
    case connecting
    /// Document bytes uploaded to a file on the host, of the document's length; none of them can print yet.
    case uploading(bytes: Int64, of: Int64)
    /// The host converts the document to another format; none of it can print yet.
    case converting
    /// Document bytes handed to the connection so far, of the document's length.
    case sending(bytes: Int64, of: Int64)
    /// The device has all of the document; its confirmation that paper came out is pending.
    case printing
    /// The device accepts or prints nothing until somebody removes these reasons. Then it continues by itself, and the
    /// next progress says so.
    case stopped([StateReason])
    /// The printer has the job and gave it this identifier; from now on the job can be followed.
    case accepted(RemoteJob)
}

/// A job's identifier at the other side: an IPP `job-id`, a spooler's number. It is stored, so that the job can be
/// followed after a restart.
public struct RemoteJob: Hashable, Sendable, Codable {
    /// The identifier in the protocol's own form, such as `12`.
    public var identifier: String
    /// The engine's own knowledge of the job, for transports that query it. Never stored, and no part of what the
    /// other side said.
    public var origin: Origin?

    /// What the engine knows of the job besides its identifier.
    public struct Origin: Hashable, Sendable {
        /// The delivery's id, where the job's name has to prove that the number still means our job; nil where that is
        /// certain.
        public var deliveryID: String?
        /// The user who printed it: printers may let only the job's owner query and cancel it.
        public var user: String?
        /// When sending began, where the other side took the whole document; nil where it may have less, or where the
        /// time is unknown. It tells what a printer that forgot the job was on for.
        public var takenWholeSince: Timestamp?

        /// Creates an origin.
        public init(deliveryID: String? = nil, user: String? = nil, takenWholeSince: Timestamp? = nil) {
            self.deliveryID = deliveryID
            self.user = user
            self.takenWholeSince = takenWholeSince
        }
    }

    /// Creates a remote job without an origin.
    public init(identifier: String) { self.identifier = identifier }

    enum CodingKeys: String, CodingKey { case identifier }
}

/// The state of a job as the other side reports it.
public struct JobReport: Hashable, Sendable {
    /// Its `job-state`.
    public var state: JobState
    /// Its `job-state-reasons`, without `none`.
    public var reasons: [String]
    /// Set where the printer aborted the job and says that no page of it was completed.
    public var unprintedAbort: UnprintedAbort?
    /// The evidence that the report gives.
    public var evidence: Evidence
    /// Nil where the protocol gives jobs no identifier; such a job cannot be followed.
    public var remoteJob: RemoteJob?
    /// The printer's own text; escape it before display.
    public var message: String?
    /// The points in which the request to the printer differs from what the document asks for, as sentences without a
    /// full stop; or what a job's end leaves open. Only the report of a delivery and that of a job's end have any.
    public var remarks: [String]

    /// Creates a report.
    public init(
        state: JobState, reasons: [String] = [], evidence: Evidence, remoteJob: RemoteJob? = nil,
        message: String? = nil, remarks: [String] = []
    ) {
        self.state = state
        self.reasons = reasons
        self.evidence = evidence
        self.remoteJob = remoteJob
        self.message = message
        self.remarks = remarks
    }

    /// How far a printer got with a job that it aborted before its first page was completed.
    public enum UnprintedAbort: Hashable, Sendable {
        /// It says that it does not take the document's format: nothing of it can be on paper.
        case format
        /// It does not say why; a part of a page may be on paper.
        case unknown
    }
}

/// A document to be printed: its format and the place of its bytes.
public struct PrintDocument: Sendable {
    /// The format of the bytes.
    public var format: DocumentFormat
    /// The bytes, or the file that holds them.
    public var body: Body
    /// The size of its longest page, where its pages are for a roll; without it the printer expects sheets of paper.
    public var rollPage: RollPage?

    /// The stream that writes the body's file while it is sent; nil where the document is complete.
    public var rendering: (any DocumentStream)?

    /// Small documents are in memory, large ones in a file that does not change while it is printed.
    public enum Body: Sendable {
        /// The whole document in memory.
        case bytes([UInt8])
        /// `length` is the file's size in bytes when it was stored; a transport that finds another size fails the
        /// delivery.
        case file(path: String, length: Int64)
    }

    /// Creates a document.
    public init(format: DocumentFormat, body: Body, rollPage: RollPage? = nil) {
        self.format = format
        self.body = body
        self.rollPage = rollPage
    }

    /// Creates a document that is rendered while it is sent.
    public init(format: DocumentFormat, rendering: any DocumentStream) {
        self.format = format
        body = .file(path: rendering.path, length: 0)
        self.rendering = rendering
    }

    /// The document's size in bytes; of one that is still being rendered, what is rendered so far.
    public var length: Int64 {
        if let rendering { return rendering.renderedLength }
        return switch body {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let length): length
        }
    }

    /// The same document once all of it is rendered, for protocols that announce its size.
    /// - Throws: `DocumentStreamFailure` where it cannot be rendered, `CancellationError`.
    package func rendered() async throws -> PrintDocument {
        guard let rendering else { return self }
        try await rendering.waitUntilRendered()
        var document = self
        document.body = .file(path: rendering.path, length: rendering.renderedLength)
        return document
    }
}

/// A document that is rendered while it is sent: its first pages can be read before the last one is drawn. What was
/// read can be read again, for another copy or another try. One reader at a time; rendering waits while it is far ahead
/// of it.
public protocol DocumentStream: AnyObject, Sendable {
    /// The path of the file that it is written to, which is there for as long as the stream.
    var path: String { get }

    /// The number of bytes that are rendered so far; the document's size once it is rendered.
    var renderedLength: Int64 { get }

    /// Whether all of it is rendered.
    var isRendered: Bool { get }

    /// The number of its pages, as they come out: sides of sheets.
    var pageCount: Int { get }

    /// Whether somebody waits for all of it, and it is not rendered yet: until then nothing is sent.
    var isAwaited: Bool { get }

    /// Why the rest of it cannot be rendered; nil while it can.
    var failure: DocumentProblem? { get }

    /// Reads bytes from `offset` on, `count` at most; waits until one is there. Empty at the document's end.
    /// - Throws: `DocumentStreamFailure` where the rest cannot be rendered, `CancellationError`.
    func read(_ count: Int, at offset: Int64) async throws -> [UInt8]

    /// Waits until all of the document is rendered, for a printer that has to be told the length first.
    /// - Throws: `DocumentStreamFailure` where the rest cannot be rendered, `CancellationError`.
    func waitUntilRendered() async throws

    /// The number of pages that the first `bytes` bytes of the document hold whole.
    func pages(in bytes: Int64) -> Int
}

/// The reason why a document could not be rendered to its end.
public struct DocumentStreamFailure: Error, Hashable, Sendable {
    /// What is wrong with the document, or with the rendering.
    public var problem: DocumentProblem

    /// Creates a failure.
    public init(_ problem: DocumentProblem) { self.problem = problem }
}

/// A page for a roll of paper, which is cut to the page's length, in hundredths of a millimetre.
public struct RollPage: Hashable, Sendable {
    /// The roll's width.
    public var width: Int
    /// The page's length, along the roll.
    public var length: Int

    /// Creates a page size, in hundredths of a millimetre.
    public init(width: Int, length: Int) {
        self.width = width
        self.length = length
    }
}

// MARK: - Connections that a transport does not open itself

/// Opens connections to the IPP service of printers that are not on a network: IPP over USB. The IPP transport uses the
/// connections.
public protocol PrinterDialer: Sendable {
    /// The URL schemes of the printers that it reaches.
    var schemes: Set<PrinterURL.Scheme> { get }

    /// Opens a connection to a printer. It times out after some seconds; when cancelled, it ends soon.
    /// - Throws: `TransportError` with the reason.
    func dial(_ printer: PrinterTarget) async throws -> DialedConnection
}

/// A connection that a dialer opened: a byte stream to and from the printer, as through TCP, that nobody else can read.
public struct DialedConnection: Sendable {
    /// A connected stream socket, which the caller of `dial` now owns.
    public var socket: Int32
    /// The number of connections that the printer serves at a time, including this one; at least 1.
    public var limit: Int
    /// Updated by the caller of `dial`.
    public let exchange: ExchangeMark

    /// Creates a connection; its caller gives the socket away.
    public init(socket: Int32, limit: Int, exchange: ExchangeMark = ExchangeMark()) {
        self.socket = socket
        self.limit = limit
        self.exchange = exchange
    }
}

/// Whether an HTTP exchange is in progress on a connection: a request or its response is incomplete. Where the
/// connection closes meanwhile, the dialer has to discard the rest.
public final class ExchangeMark: Sendable {
    private let isSet = Atomic(false)

    /// Creates a mark without an exchange.
    public init() {}

    /// Whether an exchange is in progress.
    public var isUnderWay: Bool { isSet.load(ordering: .acquiring) }
    /// Call this before the first byte of a request is sent.
    public func begin() { isSet.store(true, ordering: .releasing) }
    /// Call this when all of the request was sent and all of the response was received.
    public func end() { isSet.store(false, ordering: .releasing) }
}
