/// A way to printers: IPP, SSH/lpr, USB. One value serves every printer of its schemes and keeps what is warm for each.
///
/// Every call may be cancelled at any time and then ends soon with `TransportError.Code.cancelled`; each has a
/// deadline of its own for whatever waits on the other side. Calls for different printers never wait for each other.
public protocol Transport: Sendable {
    /// The URL schemes that this transport serves.
    var schemes: Set<PrinterURL.Scheme> { get }

    /// Asks a printer whether it is there, what it is and how it does. Throws `TransportError` when it cannot be asked.
    func contact(_ printer: PrinterTarget) async throws -> ContactReport

    /// The certificate or host key that the printer shows now, judged in the same handshake, on a connection of its own
    /// that carries nothing else; no login and no client certificate of ours goes over it. Nil where the connection has
    /// none: whether a printer under ipp:// demands TLS is found out by asking it Get-Printer-Attributes, without a
    /// login.
    func identity(of printer: PrinterTarget) async throws -> JudgedIdentity?

    /// Streams one job to the printer; returns once the other side has taken it, or throws `TransportError` with the
    /// count of document bytes that it may have taken. `progress` is called in order, and never after the return.
    func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport

    /// Watches a job that the printer took until its state is final. Throws `outcomeUnknown` when the printer no
    /// longer knows the job. `update` is called for each change that is not final.
    func follow(
        _ job: RemoteJob, on printer: PrinterTarget, update: @escaping @Sendable (JobReport) -> Void
    ) async throws -> JobReport

    /// Looks for a job of which we do not know whether the printer took it, after a crash or a broken connection.
    /// Nil when the printer certainly does not have it; throws `outcomeUnknown` when that cannot be told.
    func locate(_ delivery: Delivery, on printer: PrinterTarget) async throws -> RemoteJob?

    /// Asks the printer to stop a job that it took. Returning means that it agreed, not that the paper stopped.
    func cancel(_ job: RemoteJob, on printer: PrinterTarget) async throws

    /// Closes what is kept warm for a printer that is no longer saved.
    func forget(_ printer: PrinterTarget) async

    /// What it learns of printers without being asked, of those that were contacted and not forgotten since. For one
    /// caller, to be called once; nil where it learns nothing so.
    func news() -> AsyncStream<PrinterNews>?

    /// How often an idle printer is worth a contact: seldom where it costs a login, or where the printer tells of
    /// itself. Nil leaves it to the engine.
    var idleContactInterval: Duration? { get }

    /// Closes everything; no call follows.
    func shutDown() async
}

extension Transport {
    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? { nil }
    public func news() -> AsyncStream<PrinterNews>? { nil }
    public var idleContactInterval: Duration? { nil }
}

/// Something that a transport saw of a printer, or was told by it, without having asked.
public struct PrinterNews: Hashable, Sendable {
    public var printer: PrinterTarget
    public var kind: Kind

    public enum Kind: Hashable, Sendable {
        /// It was plugged in or switched on: worth a contact at once.
        case appeared
        /// It is gone; why, for people.
        case disappeared(String)
        /// How it is now, in its own words.
        case changed(Availability)
    }

    public init(_ kind: Kind, of printer: PrinterTarget) {
        self.printer = printer
        self.kind = kind
    }
}

/// A printer as a transport sees it.
public struct PrinterTarget: Hashable, Sendable {
    public var url: PrinterURL
    /// The name of the credentials to log in with, from the registry; never the secret itself.
    public var credentials: String?
    /// How its identity is proven, where the connection is one that can prove it.
    public var trust: Trust
    /// Whether a login may go over a connection that others can read.
    public var allowsPlainLogin: Bool
    /// The profile that the registry names.
    public var profile: String?

    public init(
        url: PrinterURL, credentials: String? = nil, trust: Trust = .system, allowsPlainLogin: Bool = false,
        profile: String? = nil
    ) {
        self.url = url
        self.credentials = credentials
        self.trust = trust
        self.allowsPlainLogin = allowsPlainLogin
        self.profile = profile
    }
}

/// What a contact learnt.
public struct ContactReport: Hashable, Sendable {
    public var description: PrinterDescription
    public var availability: Availability

    public init(description: PrinterDescription, availability: Availability) {
        self.description = description
        self.availability = availability
    }
}

/// One job on its way to one printer.
public struct Delivery: Sendable {
    /// Unique among all jobs of this engine, short, ASCII; it stands in the job's name at the printer so that the job
    /// can be found again.
    public var jobID: String
    /// What people call the job. Any text; the transport cleans and cuts it as its protocol demands.
    public var name: String
    /// Who printed it, where the caller said.
    public var user: String?
    public var ticket: Ticket
    public var document: PrintDocument
    /// When sending began first, for `locate`: a printer whose history does not reach back so far, or that was
    /// switched on since, cannot prove that it never had the job.
    public var sentAt: Timestamp?

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

/// Where a delivery stands.
public enum DeliveryProgress: Hashable, Sendable {
    case connecting
    /// Document bytes that went to a file on the host, of the document's length; nothing of it can print yet.
    case uploading(bytes: Int64, of: Int64)
    /// The host turns the document into another form; nothing of it can print yet.
    case converting
    /// Document bytes handed to the connection so far, of the document's length.
    case sending(bytes: Int64, of: Int64)
    /// The device has all of the document, and its word that paper came out is waited for.
    case printing
    /// The device takes or prints nothing until somebody has been at it, for these reasons; then it goes on by itself,
    /// and the next progress says so.
    case stopped([StateReason])
    /// The printer has the job and gave it this name; from now on it can be asked for.
    case accepted(RemoteJob)
}

/// A job as the other side names it: an IPP `job-id`, a spooler's number. Stored, so that a restart can ask for it
/// again.
public struct RemoteJob: Hashable, Sendable, Codable {
    public var identifier: String
    /// For whoever asks after the job: what we know of it ourselves. Never stored, and no part of what the other side
    /// said.
    public var origin: Origin?

    public struct Origin: Hashable, Sendable {
        /// The delivery's `jobID`, where the job's name has to prove that the number still means our job; nil where
        /// that is certain.
        public var deliveryID: String?
        /// Who printed it: printers may let only the owner ask and cancel.
        public var user: String?

        public init(deliveryID: String? = nil, user: String? = nil) {
            self.deliveryID = deliveryID
            self.user = user
        }
    }

    public init(identifier: String) { self.identifier = identifier }

    enum CodingKeys: String, CodingKey { case identifier }
}

/// What the other side says of a job.
public struct JobReport: Hashable, Sendable {
    public var state: JobState
    /// Its `job-state-reasons`, without `none`.
    public var reasons: [String]
    /// What the report proves.
    public var evidence: Evidence
    /// Nil where the protocol gives a job no name; such a job cannot be followed.
    public var remoteJob: RemoteJob?
    /// The printer's own words, hostile until shown escaped.
    public var message: String?
    /// What the printer was asked otherwise than the document wants it, as sentences without an end. Only a delivery's
    /// report has any.
    public var remarks: [String]

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
}
