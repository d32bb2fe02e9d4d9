public import PrintModel

/// Why the engine refused or failed a request. Every message says what to do next.
public struct EngineError: Error, Hashable, Sendable, CustomStringConvertible {
    public var code: Code
    public var message: String
    /// Of a document that is refused: what is wrong with it, and where.
    public var remark: DocumentRemark?
    public var description: String { message }

    init(_ code: Code, _ message: String, remark: DocumentRemark? = nil) {
        self.code = code
        self.message = message
        self.remark = remark
    }

    /// Whether the state folder has failed, and not the request.
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

        public static let noDestination = Code(rawValue: "no-destination")
        public static let unknownRole = Code(rawValue: "unknown-role")
        public static let unknownPrinter = Code(rawValue: "unknown-printer")
        /// The printer was to be asked for something now, and could not be.
        public static let printerUnreachable = Code(rawValue: "printer-unreachable")
        public static let roleWithoutPrinters = Code(rawValue: "role-without-printers")
        public static let jobTypeUnsupported = Code(rawValue: "job-type-unsupported")
        public static let formatUnsupported = Code(rawValue: "format-unsupported")
        public static let formatUnknown = Code(rawValue: "format-unknown")
        public static let emptyDocument = Code(rawValue: "empty-document")
        public static let documentTooLarge = Code(rawValue: "document-too-large")
        /// It is not what its format asks for.
        public static let documentInvalid = Code(rawValue: "document-invalid")
        /// It asks for what its caller may not do.
        public static let documentForbidden = Code(rawValue: "document-forbidden")
        /// The document is commands for a printer, and the caller may not send those.
        public static let rawDocumentForbidden = Code(rawValue: "raw-document-forbidden")
        public static let ticketInvalid = Code(rawValue: "ticket-invalid")
        public static let nameInvalid = Code(rawValue: "name-invalid")
        public static let idempotencyKeyInvalid = Code(rawValue: "idempotency-key-invalid")
        public static let idempotencyConflict = Code(rawValue: "idempotency-conflict")
        public static let jobNotFound = Code(rawValue: "job-not-found")
        /// The job is another user's.
        public static let jobForbidden = Code(rawValue: "job-forbidden")
        public static let jobNotCancelable = Code(rawValue: "job-not-cancelable")
        public static let jobNotHeld = Code(rawValue: "job-not-held")
        /// It is not final yet.
        public static let jobNotReprintable = Code(rawValue: "job-not-reprintable")
        /// The job is known, its document is given up.
        public static let documentNotKept = Code(rawValue: "document-not-kept")
        public static let tooManyJobs = Code(rawValue: "too-many-jobs")
        public static let storageFull = Code(rawValue: "storage-full")
        public static let storageFailed = Code(rawValue: "storage-failed")
        /// Its file system takes no writes.
        public static let storageReadOnly = Code(rawValue: "storage-read-only")
        /// What was stored cannot be read back; the next start sets it aside and recovers the rest.
        public static let storageDamaged = Code(rawValue: "storage-damaged")
        public static let documentLost = Code(rawValue: "document-lost")
        /// Its bytes are not those that were taken in.
        public static let documentDamaged = Code(rawValue: "document-damaged")
        public static let stateFolderInUse = Code(rawValue: "state-folder-in-use")
        public static let shuttingDown = Code(rawValue: "shutting-down")
        public static let noTransport = Code(rawValue: "no-transport")
    }
}
