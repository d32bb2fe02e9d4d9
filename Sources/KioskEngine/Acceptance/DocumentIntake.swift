import KioskDigests
import KioskDurableFiles
import KioskPrintModel

/// Receives one document in chunks before its job is submitted: in memory up to `inlineLimit`, then in a spool file.
/// One task at a time uses it. Released before `finish`, it leaves no file.
public actor DocumentIntake {
    private let spool: DocumentSpool
    private let inlineLimit: Int
    private let limit: Int64
    /// Whether the request may repeat one that was accepted. The document is then read to its end even where the disk
    /// cannot store it, since its digest finds the job.
    private let mayBeRepeat: Bool
    /// Reports every failure of the disk to the health check.
    private let noteFailure: @Sendable (EngineError) async -> Void
    private var length: Int64 = 0
    private var memory: [UInt8] = []
    private var file: FileWriter?
    private var firstBytes: [UInt8] = []
    private var digest: MessageDigest?
    private var failure: EngineError?

    init(
        spool: DocumentSpool, inlineLimit: Int, limit: Int64, mayBeRepeat: Bool,
        noteFailure: @escaping @Sendable (EngineError) async -> Void
    ) {
        self.noteFailure = noteFailure
        self.spool = spool
        self.inlineLimit = inlineLimit
        self.limit = limit
        self.mayBeRepeat = mayBeRepeat
    }

    /// Receives the next bytes. Throws `document-too-large` as soon as the limit is exceeded, and storage errors; where
    /// the request may be a repeat, these are thrown by the submission instead.
    public func append(_ bytes: [UInt8]) async throws {
        length += Int64(bytes.count)
        guard length <= limit else {
            discard()
            throw EngineError(
                .documentTooLarge, "the document is longer than \(limit) bytes, the maximum that is accepted")
        }
        if firstBytes.count < DocumentFormat.detectionLength {
            firstBytes += bytes.prefix(DocumentFormat.detectionLength - firstBytes.count)
        }
        let digest = try self.digest ?? ContentDigest.begin()
        self.digest = digest
        digest.update(bytes)
        guard failure == nil else { return }
        guard file != nil || memory.count + bytes.count > inlineLimit else {
            memory += bytes
            return
        }
        try await storing { try await self.appendToFile(bytes) }
    }

    private func appendToFile(_ bytes: [UInt8]) async throws {
        let file: FileWriter
        if let open = self.file { file = open } else { file = try await spool.create() }
        self.file = file
        let head = memory
        memory = []
        try await spool.blocking { [spool] in
            try spool.withRoom(for: head.count + bytes.count) {
                if !head.isEmpty { try file.append(head) }
                try file.append(bytes)
            }
        }
    }

    private func storing(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as EngineError {
            await noteFailure(error)
            guard mayBeRepeat else { throw error }
            discard()
            failure = error
        }
    }

    /// The whole document; a large one is on disk when this returns.
    public func finish() async throws -> ReceivedDocument {
        let digest = try (self.digest ?? ContentDigest.begin()).hexadecimal()
        var body = ReceivedDocument.Body.bytes(memory)
        if let file {
            try await storing { try await spool.blocking { _ = try file.finish() } }
            body = .file(name: String(file.path.dropFirst(spool.path(of: "").count)), length: length)
        }
        if let failure { body = .none(failure, length: length) }
        return ReceivedDocument(body: body, digest: digest, firstBytes: firstBytes)
    }

    /// Removes what was received so far.
    public func discard() {
        file?.discard()
        file = nil
        memory = []
    }
}

/// A document that was received and not yet submitted: in memory, in a spool file that is on disk, or only its digest
/// where the disk failed. Made by `DocumentIntake`.
public struct ReceivedDocument: Sendable {
    let body: Body
    /// SHA-256 in hexadecimal of the bytes as they came in.
    let digest: String
    /// Enough of the beginning to tell the format.
    let firstBytes: [UInt8]

    enum Body: Sendable {
        case bytes([UInt8])
        /// The name of a file in the documents folder.
        case file(name: String, length: Int64)
        /// The disk did not take it: its digest may tell of a job that was made before, and nothing else can be done
        /// with it.
        case none(EngineError, length: Int64)
    }

    /// The document's length in bytes.
    public var length: Int64 {
        switch body {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let length), .none(_, let length): length
        }
    }

    /// The bytes of a document in memory; nil for any other.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { bytes } else { nil }
    }

    /// The name of a document's file; nil for any other.
    var fileName: String? {
        if case .file(let name, _) = body { name } else { nil }
    }

    /// Why there is nothing but the digest.
    var failure: EngineError? {
        if case .none(let error, _) = body { error } else { nil }
    }
}

/// SHA-256, by which contents are compared and found again.
enum ContentDigest {
    static func begin() throws(EngineError) -> MessageDigest {
        do {
            return try MessageDigest(.sha256)
        } catch {
            throw EngineError(.storageFailed, error.message)
        }
    }

    static func hexadecimal(of bytes: [UInt8]) throws(EngineError) -> String {
        let digest = try begin()
        digest.update(bytes)
        return digest.hexadecimal()
    }
}

/// Checks a document's content before its job is accepted: whether it can be laid out for its printers, with what
/// remarks, and whether its sender has the right to print it.
struct DocumentCheck: Sendable {
    let store: JobStore
    let spool: DocumentSpool
    let storage: StorageHealth
    /// Reads documents for no printer in particular; nil where every document is sent as it is.
    let preparation: (any DocumentPreparation)?

    /// Checks a document that is prepared for its printer; nil for any other. `printers`: those that may print it.
    /// Throws what is wrong with the document.
    func check(
        _ document: ReceivedDocument, as format: DocumentFormat, with ticket: Ticket, rights: CallerRights,
        for printers: [PreparationTarget], isolation: isolated (any Actor)? = #isolation
    ) async throws -> CheckedDocument? {
        guard let preparation, let printable = try await printable(document, format) else { return nil }
        do {
            // What is short is read at once, where the request came in.
            let executor = document.length > Self.shortLength ? globalConcurrentExecutor : nil
            return try await withTaskExecutorPreference(executor) { () throws(DocumentProblem) in
                try await preparation.check(printable, with: ticket, rights: rights, for: printers)
            }
        } catch {
            throw EngineError(error)
        }
    }

    /// Refuses a document of more pages than a role allows. `known`: its pages, where its check has told; else they are
    /// counted, as far as its format has any.
    func checkPages(
        of document: ReceivedDocument, known: Int?, as format: DocumentFormat, with ticket: Ticket, limit: Int?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard let limit else { return }
        var pages = known
        if pages == nil, let preparation, let printable = try await printable(document, format) {
            do {
                pages = try await withTaskExecutorPreference(globalConcurrentExecutor) {
                    () throws(DocumentProblem) -> Int? in
                    try await preparation.countPages(of: printable, with: ticket)
                }
            } catch {
                throw EngineError(error)
            }
        }
        guard let pages, pages > limit else { return }
        throw EngineError(.pageLimitExceeded, PageLimit.message(pages: pages, limit: limit))
    }

    /// A document as a preparation wants it; nil where none reads it.
    private func printable(
        _ document: ReceivedDocument, _ format: DocumentFormat, isolation: isolated (any Actor)? = #isolation
    ) async throws -> PrintDocument? {
        guard let preparation, preparation.formats.contains(format) else { return nil }
        let maximum = preparation.maximumLength(of: format)
        guard document.length <= maximum else {
            throw EngineError(
                .documentTooLarge,
                "the document has \(document.length) bytes; of \(format) at most \(maximum) are accepted"
            )
        }
        let body: PrintDocument.Body
        switch document.body {
        case .bytes(let all): body = .bytes(all)
        case .file(let name, let length): body = try await self.body(ofFile: name, length, for: preparation)
        case .none: return nil
        }
        return PrintDocument(format: format, body: body)
    }

    /// The length in bytes up to which a receipt is read in a fraction of a millisecond.
    private static let shortLength = 8 * 1024

    /// A stored document as a preparation wants it.
    private func body(
        ofFile name: String, _ length: Int64, for preparation: any DocumentPreparation,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> PrintDocument.Body {
        let limit = preparation.maximumLengthInMemory
        guard length <= limit else { return .file(path: spool.path(of: name), length: length) }
        return .bytes(try await spool.contents(of: name, limit: limit))
    }

    /// Refuses a document that is commands for a printer, where `rights` do not include them.
    func checkRaw(
        _ document: ReceivedDocument, _ format: DocumentFormat, _ rights: CallerRights,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        switch document.body {
        case .bytes(let bytes): try await checkRaw(bytes, nil, format, rights)
        case .file(let name, _): try await checkRaw([], name, format, rights)
        case .none: break
        }
    }

    /// Refuses a job whose document `requester` could not have sent themselves. Its sender had the rights when it was
    /// accepted; now those of `requester` count. `isDrawerOpenToAll`: whether its role opens the drawer for everybody
    /// who prints to it.
    func checkRights(
        of requester: Requester, toPrint record: JobRecord, isDrawerOpenToAll: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard !requester.rights.isSuperset(of: .all) else { return }
        let (job, file) = (record.job, record.documentFile)
        let isPrepared = preparation?.formats.contains(job.format) == true
        guard isPrepared || !requester.rights.contains(.rawDocuments) else { return }
        var bytes: [UInt8] = []
        if file == nil {
            // A document that is not kept any more is not printed either.
            guard let stored = try await storedDocument(of: job.id) else { return }
            bytes = stored
        }
        // Whatever rights a document needs that is no receipt, its bytes show.
        guard let preparation, isPrepared, job.format.isReceipt else {
            return try await checkRaw(bytes, file, job.format, requester.rights)
        }
        var body = PrintDocument.Body.bytes(bytes)
        if let file { body = try await self.body(ofFile: file, job.documentLength, for: preparation) }
        var ticket = job.ticket
        if isDrawerOpenToAll { ticket.drawer = nil }
        do {
            // The document is read for no printer in particular; whether it fits one is not a question of rights.
            _ = try await preparation.check(
                PrintDocument(format: job.format, body: body), with: ticket, rights: requester.rights, for: [])
        } catch {
            throw EngineError(error)
        }
    }

    private func storedDocument(
        of id: Job.ID, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [UInt8]? {
        do {
            return try await store.document(of: id)
        } catch let error as EngineError {
            storage.note(error)
            throw error
        }
    }

    private func checkRaw(
        _ bytes: [UInt8], _ file: String?, _ format: DocumentFormat, _ rights: CallerRights,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard !rights.contains(.rawDocuments), !format.isReceipt else { return }
        var detector = RawDocumentDetector(format)
        if let file {
            detector = try await spool.read(file, into: detector)
        } else {
            detector.inspect(bytes)
        }
        if detector.isRaw { throw EngineError.rawDocument(format) }
    }
}

extension EngineError {
    fileprivate init(_ problem: DocumentProblem) {
        let code: Code =
            switch problem.kind {
            case .invalid, .unprintable: .documentInvalid
            case .tooLarge: .documentTooLarge
            case .forbidden: .documentForbidden
            case .interrupted: .shuttingDown
            }
        self.init(code, problem.description, remark: problem.remark)
    }
}

/// A role's `page-limit`.
enum PageLimit {
    /// What is wrong with a document of so many pages.
    static func message(pages: Int, limit: Int) -> String {
        "it has \(pages) pages, all copies together, and its role allows \(limit); print fewer of them (page-ranges), or several on a side (number-up)"
    }
}

/// Tells documents that are commands for a printer from those that only have something printed, while their bytes go
/// by: what a caller says of a document is a claim, and a printer that gets text obeys what stands in it.
struct RawDocumentDetector: Sendable {
    private let format: DocumentFormat
    private(set) var isRaw: Bool
    private var isAtBeginning = true

    init(_ format: DocumentFormat) {
        self.format = format
        isRaw = format.isAlwaysRaw
    }

    /// Takes the next bytes; the first piece is at least as long as a signature, or the whole document.
    mutating func inspect(_ bytes: [UInt8]) {
        if isAtBeginning { isRaw = isRaw || !isWhatItSays(bytes) }
        isAtBeginning = false
        if format == .plainText { isRaw = isRaw || !bytes.allSatisfy(Self.isText) }
    }

    private func isWhatItSays(_ firstBytes: [UInt8]) -> Bool {
        let shown = DocumentFormat(firstBytes: firstBytes)
        return format == .plainText ? shown == nil : shown == format
    }

    /// Printers' commands begin with control characters (ESC, FS, GS, DLE, BEL …); of these, four belong to texts.
    private static func isText(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x1F: "\t\n\r\u{0C}".utf8.contains(byte)
        case 0x7F: false
        default: true
        }
    }
}

extension DocumentFormat {
    /// Whether every document of this format is a printer's own language, or may be: PostScript too is a program that
    /// the printer runs.
    var isAlwaysRaw: Bool {
        !isReceipt && ![.plainText, .pdf, .pwgRaster, .appleRaster, .jpeg, .png, .tiff, .webP].contains(self)
    }
}
