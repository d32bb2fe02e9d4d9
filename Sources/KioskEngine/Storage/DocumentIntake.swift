import Digests
import DurableFiles
import PrintModel

/// Takes a document in, piece by piece: in memory as long as it is small, then in a file. One task at a time uses it.
///
/// Dropped without `finish`, it leaves nothing behind.
public actor DocumentIntake {
    private let spool: DocumentSpool
    private let inlineLimit: Int
    private let limit: Int64
    /// Whether the document is read to its end although the disk does not take it.
    private let mayBeKnown: Bool
    /// Told of every failure of the disk, for the health check.
    private let noteFailure: @Sendable (EngineError) async -> Void
    private var length: Int64 = 0
    private var memory: [UInt8] = []
    private var file: FileWriter?
    private var firstBytes: [UInt8] = []
    private var digest: MessageDigest?
    private var failure: EngineError?

    init(
        spool: DocumentSpool, inlineLimit: Int, limit: Int64, mayBeKnown: Bool,
        noteFailure: @escaping @Sendable (EngineError) async -> Void
    ) {
        self.noteFailure = noteFailure
        self.spool = spool
        self.inlineLimit = inlineLimit
        self.limit = limit
        self.mayBeKnown = mayBeKnown
    }

    /// Takes the next bytes. Throws `document-too-large` as soon as the bound is passed, and storage errors; those only
    /// at the submission where the document may be known.
    public func append(_ bytes: [UInt8]) async throws {
        length += Int64(bytes.count)
        guard length <= limit else {
            discard()
            throw EngineError(.documentTooLarge, "the document is longer than \(limit) bytes, the most that is taken")
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
        try await spool.blocking {
            if !head.isEmpty { try file.append(head) }
            try file.append(bytes)
        }
    }

    private func storing(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as EngineError {
            await noteFailure(error)
            guard mayBeKnown else { throw error }
            discard()
            failure = error
        }
    }

    /// The whole document; a large one is on disk when this returns.
    public func finish() async throws -> StoredDocument {
        let digest = try (self.digest ?? ContentDigest.begin()).hexadecimal()
        var body = StoredDocument.Body.bytes(memory)
        if let file {
            try await storing { try await spool.blocking { _ = try file.finish() } }
            body = .file(name: String(file.path.dropFirst(spool.path(of: "").count)), length: length)
        }
        if let failure { body = .none(failure, length: length) }
        return StoredDocument(body: body, digest: digest, firstBytes: firstBytes)
    }

    /// Gives up what was taken in so far.
    public func discard() {
        file?.discard()
        file = nil
        memory = []
    }
}
