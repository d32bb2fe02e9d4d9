import Digests
import DurableFiles
import PrintModel

/// A document that was received and not yet submitted: in memory, in a spool file that is on disk, or only its digest
/// where the disk failed. Made by `DocumentIntake`.
public struct StoredDocument: Sendable {
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

    /// In bytes.
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

/// Receives one document in chunks: in memory up to `inlineLimit`, then in a spool file. One task at a time uses it.
/// Dropped before `finish`, it leaves no file.
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
