public import KioskPrintModel

/// Why the engine refused or failed a request. Every message says what to do next.
public struct EngineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error.
    public var code: Code
    /// What happened and what to do, for people.
    public var message: String
    /// What is wrong with a document that is refused, and where.
    public var remark: DocumentRemark?
    public var description: String { message }

    init(_ code: Code, _ message: String, remark: DocumentRemark? = nil) {
        self.code = code
        self.message = message
        self.remark = remark
    }

    /// Whether the state directory has failed, and not the request.
    var isAboutStorage: Bool {
        switch code {
        case .storageFull, .storageFailed, .storageReadOnly, .storageDamaged: true
        default: false
        }
    }

    /// A stable kebab-case word, the same in every interface. Grows with the engine.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public var description: String { rawValue }
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The request names neither a role nor a printer.
        public static let noDestination = Code(rawValue: "no-destination")
        /// No role has this name.
        public static let unknownRole = Code(rawValue: "unknown-role")
        /// No saved printer has this id.
        public static let unknownPrinter = Code(rawValue: "unknown-printer")
        /// The printer was to be asked for something now, and could not be.
        public static let printerUnreachable = Code(rawValue: "printer-unreachable")
        /// The role has no printers.
        public static let roleWithoutPrinters = Code(rawValue: "role-without-printers")
        /// No printer of the role does this type of job.
        public static let jobTypeUnsupported = Code(rawValue: "job-type-unsupported")
        /// No printer of the role takes this format.
        public static let formatUnsupported = Code(rawValue: "format-unsupported")
        /// The document's first bytes do not tell its format.
        public static let formatUnknown = Code(rawValue: "format-unknown")
        /// The document has no bytes.
        public static let emptyDocument = Code(rawValue: "empty-document")
        /// It is longer than `EngineConfiguration.maximumDocumentLength`.
        public static let documentTooLarge = Code(rawValue: "document-too-large")
        /// It is not what its format asks for.
        public static let documentInvalid = Code(rawValue: "document-invalid")
        /// It has more pages than its role allows; the message says how many.
        public static let pageLimitExceeded = Code(rawValue: "page-limit-exceeded")
        /// It asks for what its caller may not do.
        public static let documentForbidden = Code(rawValue: "document-forbidden")
        /// The document is commands for a printer, and the caller may not send those.
        public static let rawDocumentForbidden = Code(rawValue: "raw-document-forbidden")
        /// The ticket holds values that are not valid; the message names them.
        public static let ticketInvalid = Code(rawValue: "ticket-invalid")
        /// No printer that may print the job takes its ticket; the message says which printer takes what not.
        public static let ticketUnsupported = Code(rawValue: "ticket-unsupported")
        /// The printer, or its protocol, has no way to show which one it is.
        public static let identificationUnsupported = Code(rawValue: "identification-unsupported")
        /// The job's name is missing, or a string of the request is too long or holds control characters.
        public static let nameInvalid = Code(rawValue: "name-invalid")
        /// The idempotency key is not 1 to 255 visible ASCII characters.
        public static let idempotencyKeyInvalid = Code(rawValue: "idempotency-key-invalid")
        /// It was on its way for longer than it is worth printing.
        public static let jobExpired = Code(rawValue: "job-expired")
        /// The idempotency key was used with other content.
        public static let idempotencyConflict = Code(rawValue: "idempotency-conflict")
        /// No job has this id, or its history is no longer kept.
        public static let jobNotFound = Code(rawValue: "job-not-found")
        /// The job is another user's.
        public static let jobForbidden = Code(rawValue: "job-forbidden")
        /// The job is final already.
        public static let jobNotCancelable = Code(rawValue: "job-not-cancelable")
        /// Only a held job can be released.
        public static let jobNotHeld = Code(rawValue: "job-not-held")
        /// It is not final yet.
        public static let jobNotReprintable = Code(rawValue: "job-not-reprintable")
        /// The job is known, its document is given up.
        public static let documentNotKept = Code(rawValue: "document-not-kept")
        /// More jobs wait than `EngineConfiguration.maximumActiveJobs`.
        public static let tooManyJobs = Code(rawValue: "too-many-jobs")
        /// The disk has no room for the job.
        public static let storageFull = Code(rawValue: "storage-full")
        /// The state directory failed in another way.
        public static let storageFailed = Code(rawValue: "storage-failed")
        /// Its file system takes no writes.
        public static let storageReadOnly = Code(rawValue: "storage-read-only")
        /// What was stored cannot be read back; the next start sets it aside and recovers the rest.
        public static let storageDamaged = Code(rawValue: "storage-damaged")
        /// The stored document is gone.
        public static let documentLost = Code(rawValue: "document-lost")
        /// Its bytes are not those that were received.
        public static let documentDamaged = Code(rawValue: "document-damaged")
        /// Another engine has the state directory open.
        public static let stateDirectoryInUse = Code(rawValue: "state-folder-in-use")
        /// The engine is shutting down and accepts no more jobs.
        public static let shuttingDown = Code(rawValue: "shutting-down")
        /// The engine has no transport for the scheme of the printer's URL.
        public static let noTransport = Code(rawValue: "no-transport")
    }
}

/// What is said in several places, or takes more than a line.
extension EngineError {
    static func unknownPrinter(_ id: PrinterID) -> EngineError {
        EngineError(.unknownPrinter, "there is no printer \"\(id)\"; list them with: kioskctl printers list")
    }

    static func noTransport(for printer: SavedPrinter) -> EngineError {
        EngineError(.noTransport, "no transport for \(printer.url.scheme) is built in; see the limits in the manual")
    }

    static func rawDocument(_ format: DocumentFormat) -> EngineError {
        EngineError(
            .rawDocumentForbidden,
            "the document is commands for a printer, or may be (\(format)), and you may not send any; send a receipt in markup, plain text, a PDF or a picture"
        )
    }

    /// The job is to be printed again before it has ended.
    static func notFinal(_ job: Job) -> EngineError {
        let advice =
            job.state == .pendingHeld
            ? "print it with: kioskctl release \(job.id), or end it with: kioskctl cancel \(job.id)"
            : "wait for its end with: kioskctl job \(job.id) --wait, or end it with: kioskctl cancel \(job.id)"
        return EngineError(.jobNotReprintable, "job \(job.id) is \(job.state.rawValue), not final yet; \(advice)")
    }

    /// `keep`: how long documents like the job's are kept.
    static func documentNotKept(_ job: Job, _ keep: Retention) -> EngineError {
        let whose = job.role.map { "of the role \"\($0)\"" } ?? "without a role"
        let howLong =
            keep.effectiveDocuments == 0
            ? "are not kept after their end"
            : "are kept for \(period(keep.effectiveDocuments)), the newest \(keep.effectiveSize / 1_000_000) MB of them"
        return EngineError(
            .documentNotKept,
            "the document of job \(job.id) is no longer kept: documents \(whose) \(howLong); print it from where it came from, and see \"keep\" in printers.yaml"
        )
    }

    private static func period(_ seconds: Int) -> String {
        for (length, name) in [(86_400, "day"), (3600, "hour"), (60, "minute")] where seconds.isMultiple(of: length) {
            return "\(seconds / length) \(name)\(seconds == length ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}
