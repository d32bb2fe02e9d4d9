/// One job on its way to one printer.
public struct Delivery: Sendable {
    /// Unique among all deliveries of this engine, short, ASCII. The transport puts it into the job's name at the
    /// printer, so that the job can be found again.
    public var jobID: String
    /// The job's name for people. Any text; the transport cleans and cuts it as its protocol demands.
    public var name: String
    /// The user who printed it, if the caller named one.
    public var user: String?
    public var ticket: Ticket
    public var document: PrintDocument
    /// When sending began first, for `locate`: a printer whose history begins later, or that was switched on since,
    /// cannot prove that it never had the job.
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

/// The progress of a delivery.
public enum DeliveryProgress: Hashable, Sendable {
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
    public var identifier: String
    /// The engine's own knowledge of the job, for transports that query it. Never stored, and no part of what the
    /// other side said.
    public var origin: Origin?

    public struct Origin: Hashable, Sendable {
        /// The delivery's id, where the job's name has to prove that the number still means our job; nil where that is
        /// certain.
        public var deliveryID: String?
        /// The user who printed it: printers may let only the job's owner query and cancel it.
        public var user: String?

        public init(deliveryID: String? = nil, user: String? = nil) {
            self.deliveryID = deliveryID
            self.user = user
        }
    }

    public init(identifier: String) { self.identifier = identifier }

    enum CodingKeys: String, CodingKey { case identifier }
}

/// The state of a job as the other side reports it.
public struct JobReport: Hashable, Sendable {
    public var state: JobState
    /// Its `job-state-reasons`, without `none`.
    public var reasons: [String]
    /// The evidence that the report gives.
    public var evidence: Evidence
    /// Nil where the protocol gives jobs no identifier; such a job cannot be followed.
    public var remoteJob: RemoteJob?
    /// The printer's own text; escape it before display.
    public var message: String?
    /// The points in which the request to the printer differs from what the document asks for, as sentences without a
    /// full stop. Only the report of a delivery has any.
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

/// A document to be printed: its format and the place of its bytes.
public struct PrintDocument: Sendable {
    public var format: DocumentFormat
    public var body: Body
    /// The longest of its pages, where they are pages for a roll: without this the printer takes them for sheets.
    public var rollPage: RollPage?

    /// Small documents are in memory, large ones in a file that does not change while it is printed.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// `length` is the file's size in bytes when it was stored; a transport that finds another size fails the
        /// delivery.
        case file(path: String, length: Int64)
    }

    public init(format: DocumentFormat, body: Body, rollPage: RollPage? = nil) {
        self.format = format
        self.body = body
        self.rollPage = rollPage
    }

    /// The document's size in bytes.
    public var length: Int64 {
        switch body {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let length): length
        }
    }
}

/// A page for a roll of paper, which is cut to the page's length, in hundredths of a millimetre.
public struct RollPage: Hashable, Sendable {
    /// The roll's width.
    public var width: Int
    public var length: Int

    public init(width: Int, length: Int) {
        self.width = width
        self.length = length
    }
}
