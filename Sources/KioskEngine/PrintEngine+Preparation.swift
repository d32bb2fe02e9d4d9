internal import DurableFiles
internal import PrintModel

/// Documents that are turned into what the chosen printer takes.
extension PrintEngine {
    /// What a document says that will not be heeded, as the job is to show it. Throws what is wrong with it.
    func remarks(on document: StoredDocument, as format: DocumentFormat, of request: JobRequest) async throws -> [String]? {
        guard let preparation, preparation.formats.contains(format) else { return nil }
        guard document.length <= preparation.longestDocument else {
            throw EngineError(.documentTooLarge, "the document has \(document.length) bytes; of \(format) at most \(preparation.longestDocument) are taken")
        }
        let bytes: [UInt8]
        switch document.body {
        case .bytes(let all): bytes = all
        case .file(let name, _): bytes = try await spool.contents(of: name, limit: preparation.longestDocument)
        case .none: return nil
        }
        let printers = try destinations(of: request).flatMap { board.names(of: $0) }.compactMap { board.printers[$0]?.preparationTarget }
        do {
            let remarks = try await preparation.check(bytes, as: format, with: request.ticket, rights: request.rights, for: printers)
            return remarks.isEmpty ? nil : remarks.prefix(Self.mostRemarks).map(\.description)
        } catch {
            throw EngineError(error)
        }
    }

    /// A handful helps; hundreds are one mistake, made often.
    private static let mostRemarks = 20

    /// The document as this printer takes it, and the ticket that is left. Throws `DocumentProblem` where it cannot print it.
    func prepared(_ document: PrintDocument, _ id: Int64, for printer: SavedPrinter) async throws -> PreparedDocument {
        guard let record = active[id]?.record else { throw CancellationError() }
        guard let preparation, preparation.formats.contains(document.format), let state = board.printers[printer.id] else {
            return PreparedDocument(document: document, ticket: record.job.ticket)
        }
        var target = state.preparationTarget
        target.printer = printer
        let bytes = try await bytes(of: document.body)
        return try await preparation.prepare(bytes, as: document.format, with: record.job.ticket, isCopy: record.printsCopy, for: target)
    }

    private func bytes(of body: PrintDocument.Body) async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .file(let path, let length): try await spool.blocking { try AtomicFile.read(path, limit: Int(clamping: length)) }
        }
    }

    /// This printer cannot print the document, of which nothing was sent: another may.
    func preparationFailed(_ id: Int64, on printer: SavedPrinter, _ problem: DocumentProblem) async {
        guard problem.kind != .interrupted else {
            // No busy loop while too much is to be prepared.
            try? await clock.sleep(Self.storageRetryInterval)
            return await attemptBroke(id, on: printer.id, problem)
        }
        let message = "\(printer.id) cannot print it: \(problem)"
        active[id]?.refusedBy.insert(printer.id)
        active[id]?.refusal = message
        let error = TransportError(.formatRefused, operation: "prepare", message: message)
        await carryOut(tell(id, .failed(error)), for: id, leaving: printer.id)
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

extension JobRecord {
    /// The original may be on paper: what prints now must be told from it, where the document can be marked.
    var printsCopy: Bool { isCopy || job.isUnconfirmed }

    /// Nobody can say that none of it came out.
    var mayBeOnPaper: Bool { isCopy || job.isUnconfirmed || job.bytesSent > 0 }
}
