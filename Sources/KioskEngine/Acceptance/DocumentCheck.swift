import PrintModel

/// The checks of a document's content: what a printer will not heed, and what its sender may not print.
struct DocumentCheck: Sendable {
    let store: JobStore
    let spool: DocumentSpool
    let storage: StorageHealth
    /// Reads documents for no printer in particular; nil where every document is sent as it is.
    let preparation: (any DocumentPreparation)?

    /// Checks a document that is prepared for its printer; nil for any other. `printers`: those that may print it. Throws
    /// what is wrong with the document.
    func check(
        _ document: StoredDocument, as format: DocumentFormat, with ticket: Ticket, rights: CallerRights,
        for printers: [PreparationTarget], isolation: isolated (any Actor)? = #isolation
    ) async throws -> CheckedDocument? {
        guard let preparation, preparation.formats.contains(format) else { return nil }
        guard document.length <= preparation.longestDocument else {
            throw EngineError(
                .documentTooLarge,
                "the document has \(document.length) bytes; of \(format) at most \(preparation.longestDocument) are taken"
            )
        }
        let bytes: [UInt8]
        switch document.body {
        case .bytes(let all): bytes = all
        case .file(let name, _): bytes = try await spool.contents(of: name, limit: preparation.longestDocument)
        case .none: return nil
        }
        do {
            return try await preparation.check(bytes, as: format, with: ticket, rights: rights, for: printers)
        } catch {
            throw EngineError(error)
        }
    }

    /// Refuses a document that is commands for a printer, where `rights` do not include them.
    func checkRaw(
        _ document: StoredDocument, _ format: DocumentFormat, _ rights: CallerRights,
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
        guard let preparation, isPrepared else { return try await checkRaw(bytes, file, job.format, requester.rights) }
        if let file { bytes = try await spool.contents(of: file, limit: preparation.longestDocument) }
        var ticket = job.ticket
        if isDrawerOpenToAll { ticket.drawer = nil }
        do {
            // The document is read for no printer in particular; whether it fits one is not a question of rights.
            _ = try await preparation.check(bytes, as: job.format, with: ticket, rights: requester.rights, for: [])
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
