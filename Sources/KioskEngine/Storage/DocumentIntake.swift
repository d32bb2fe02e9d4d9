internal import Digests
internal import DurableFiles
internal import PrintModel

/// Takes a document in, piece by piece: in memory as long as it is small, then in a file. One task at a time uses it.
///
/// Dropped without `finish`, it leaves nothing behind.
public actor DocumentIntake {
    private let spool: DocumentSpool
    private let inlineLimit: Int
    private let limit: Int64
    /// Told of every failure of the disk, for the health check.
    private let noteFailure: @Sendable (EngineError) async -> Void
    private var length: Int64 = 0
    private var memory: [UInt8] = []
    private var file: FileWriter?
    private var firstBytes: [UInt8] = []
    private var digest: MessageDigest?

    init(
        spool: DocumentSpool, inlineLimit: Int, limit: Int64,
        noteFailure: @escaping @Sendable (EngineError) async -> Void
    ) {
        self.noteFailure = noteFailure
        self.spool = spool
        self.inlineLimit = inlineLimit
        self.limit = limit
    }

    /// Takes the next bytes. Throws `document-too-large` as soon as the bound is passed, and storage errors.
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
        guard file != nil || memory.count + bytes.count > inlineLimit else {
            memory += bytes
            return
        }
        try await noting { try await self.appendToFile(bytes) }
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

    private func noting<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as EngineError {
            await noteFailure(error)
            throw error
        }
    }

    /// The whole document; a large one is on disk when this returns.
    public func finish() async throws -> StoredDocument {
        let digest = try (self.digest ?? ContentDigest.begin()).hexadecimal()
        guard let file else { return StoredDocument(body: .bytes(memory), digest: digest, firstBytes: firstBytes) }
        let length = try await noting { try await spool.blocking { try file.finish() } }
        let name = String(file.path.dropFirst(spool.path(of: "").count))
        return StoredDocument(body: .file(name: name, length: length), digest: digest, firstBytes: firstBytes)
    }

    /// Gives up what was taken in so far.
    public func discard() {
        file?.discard()
        file = nil
        memory = []
    }
}
