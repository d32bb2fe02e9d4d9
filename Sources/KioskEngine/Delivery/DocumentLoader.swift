import DurableFiles
import PrintModel

/// Loads a job's document for `DeliveryAttempt`, from memory, the database or the spool. Checks the digest of
/// documents that an earlier run or an earlier job stored. Holds no state of its own.
struct DocumentLoader: Sendable {
    let store: JobStore
    let spool: DocumentSpool
    let storage: StorageHealth

    /// The document of a job. Throws `document-lost` and `document-damaged`: a disk that cannot give the document back
    /// will not do so later, so the job ends and delays none behind it.
    func body(
        of record: JobRecord, inMemory document: [UInt8]?, isRestored: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> PrintDocument.Body {
        if record.documentFile == nil, let document { return .bytes(document) }
        do {
            return try await storedBody(of: record, isVerified: isRestored)
        } catch let error as EngineError where error.isAboutStorage {
            storage.note(error)
            throw EngineError(
                .documentDamaged, "the document of job \(record.job.id) cannot be read: \(error.message)")
        }
    }

    /// All bytes of a document that is prepared for its printer.
    func bytes(
        of body: PrintDocument.Body, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .file(let path, let length):
            try await spool.blocking { try AtomicFile.read(path, limit: Int(clamping: length)) }
        }
    }

    private func storedBody(
        of record: JobRecord, isVerified: Bool, isolation: isolated (any Actor)? = #isolation
    ) async throws -> PrintDocument.Body {
        if let file = record.documentFile {
            if isVerified { try verify(try await spool.digest(of: file), of: record) }
            return .file(path: spool.path(of: file), length: record.job.documentLength)
        }
        guard let bytes = try await store.document(of: record.job.id) else { throw Self.lost(record.job) }
        if isVerified { try verify(ContentDigest.hexadecimal(of: bytes), of: record) }
        return .bytes(bytes)
    }

    /// `digest`: nil where the file is gone.
    private func verify(_ digest: String?, of record: JobRecord) throws(EngineError) {
        guard let digest else { throw Self.lost(record.job) }
        guard digest == record.documentDigest ?? digest else {
            throw EngineError(
                .documentDamaged,
                "the document of job \(record.job.id) is not as it was taken in: the disk has damaged it; print it again"
            )
        }
    }

    private static func lost(_ job: Job) -> EngineError {
        EngineError(.documentLost, "the document of job \(job.id) is gone from the state folder; print it again")
    }
}
