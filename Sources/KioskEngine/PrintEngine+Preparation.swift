import DurableFiles
import Logging
import PrintModel
import PrinterRegistry

/// Documents that are turned into what the chosen printer takes.
extension PrintEngine {
    /// What a document says that will not be heeded, as the job is to show it. Throws what is wrong with it.
    func remarks(
        on document: StoredDocument, as format: DocumentFormat, of request: JobRequest
    ) async throws -> [String]? {
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
        let printers = try destinations(of: request).flatMap { board.names(of: $0) }.compactMap {
            board.printers[$0]?.preparationTarget
        }
        do {
            let remarks = try await preparation.check(
                bytes, as: format, with: request.ticket, rights: request.rights, for: printers)
            return remarks.isEmpty ? nil : remarks.prefix(Self.mostRemarks).map(\.description)
        } catch {
            throw EngineError(error)
        }
    }

    /// Refuses a job whose document `requester` could not have sent themselves. Its sender had the rights when it was
    /// taken; now those of `requester` count. `role`: the one that it would be printed for.
    func checkRights(of requester: Requester, toPrint record: JobRecord, for role: RoleName?) async throws {
        guard !requester.rights.isSuperset(of: .all) else { return }
        let (job, file) = (record.job, record.documentFile)
        let isPrepared = preparation?.formats.contains(job.format) == true
        guard isPrepared || !requester.rights.contains(.rawDocuments) else { return }
        var bytes: [UInt8] = []
        if file == nil {
            // One that is not kept any more is not printed either.
            guard let stored = try await noting({ try await $0.document(of: job.id) }) else { return }
            bytes = stored
        }
        guard let preparation, isPrepared else { return try await checkRaw(bytes, file, job.format, requester.rights) }
        if let file { bytes = try await spool.contents(of: file, limit: preparation.longestDocument) }
        var ticket = job.ticket
        // Its role opens the drawer for everybody who prints to it.
        if let role, snapshot.role(role)?.defaults.drawer == true { ticket.drawer = nil }
        do {
            // The document is read for no printer in particular; whether it fits one is not a question of rights.
            _ = try await preparation.check(bytes, as: job.format, with: ticket, rights: requester.rights, for: [])
        } catch {
            throw EngineError(error)
        }
    }

    /// Refuses a document that is commands for a printer, where `rights` do not suffice for them.
    func checkRaw(_ document: StoredDocument, _ format: DocumentFormat, _ rights: CallerRights) async throws {
        switch document.body {
        case .bytes(let bytes): try await checkRaw(bytes, nil, format, rights)
        case .file(let name, _): try await checkRaw([], name, format, rights)
        case .none: break
        }
    }

    private func checkRaw(
        _ bytes: [UInt8], _ file: String?, _ format: DocumentFormat, _ rights: CallerRights
    ) async throws {
        guard !rights.contains(.rawDocuments), !format.isReceipt else { return }
        var detector = RawDocumentDetector(format)
        if let file {
            detector = try await spool.read(file, into: detector)
        } else {
            detector.look(at: bytes)
        }
        if detector.isRaw { throw EngineError.rawDocument(format) }
    }

    /// A handful helps; hundreds are one mistake, made often.
    private static let mostRemarks = 20

    /// The document as this printer takes it, and the ticket that is left. Throws `DocumentProblem` where it cannot
    /// print it.
    func prepared(
        _ document: PrintDocument, _ id: Int64, for printer: SavedPrinter, _ monitor: DeliveryMonitor
    ) async throws -> PreparedDocument {
        guard let record = active[id]?.record else { throw CancellationError() }
        guard let preparation, preparation.formats.contains(document.format), let state = board.printers[printer.id]
        else {
            return PreparedDocument(document: document, ticket: record.job.ticket)
        }
        var target = state.preparationTarget
        target.printer = printer
        let bytes = try await bytes(of: document.body)
        let prepared = try await monitor.run { [target] in
            try await preparation.prepare(
                bytes, as: document.format, with: record.job.ticket, isCopy: record.printsCopy, for: target)
        }
        active[id]?.unprepared = 0
        // Receipts that were to be drawn earlier go before those that come after this one.
        if !unprepared.isEmpty { prepareOthersAgain() }
        return prepared
    }

    private func bytes(of body: PrintDocument.Body) async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .file(let path, let length):
            try await spool.blocking { try AtomicFile.read(path, limit: Int(clamping: length)) }
        }
    }

    /// This printer cannot print the document, of which nothing was sent: another may.
    func preparationFailed(_ id: Int64, on printer: SavedPrinter, _ problem: DocumentProblem) async {
        guard problem.kind != .interrupted else { return await waitForPreparation(id, leaving: printer.id, problem) }
        let message = "\(printer.id) cannot print it: \(problem)"
        active[id]?.refusedBy.insert(printer.id)
        active[id]?.refusal = message
        let error = TransportError(.formatRefused, operation: "prepare", message: message)
        await carryOut(tell(id, .failed(error)), for: id, leaving: printer.id)
    }

    // MARK: Waiting for what prepares

    /// Tries the job again after a pause that grows, until it expires. Meanwhile the printer is free for others.
    private func waitForPreparation(_ id: Int64, leaving printer: PrinterID, _ problem: DocumentProblem) async {
        let decision = tell(id, .notPrepared("\(problem); it is tried again until it expires"))
        guard decision == .queue, let entry = active[id] else {
            return await carryOut(decision, for: id, leaving: printer)
        }
        if entry.unprepared == 0 { logger.warning("job \(id) waits: \(problem.description.withoutControlCharacters)") }
        active[id]?.unprepared += 1
        unprepared.insert(id)
        free(printer, from: id)
        save(entry.record)
        let left = entry.record.job.expiresAt.millisecondsSince1970 - clock.now().millisecondsSince1970
        // The board expires it; until then it is not offered to printers.
        let pause = min(
            Self.firstPreparationPause * (1 << min(entry.unprepared, 10)), Self.longestPreparationPause,
            .milliseconds(max(left, 0)))
        Task { [weak self, clock] in
            try? await clock.sleep(pause)
            await self?.prepareAgain(id)
        }
        dispatchAll()
    }

    private func prepareAgain(_ id: Int64) {
        guard unprepared.remove(id) != nil, let entry = active[id], entry.record.stage == .waiting, entry.task == nil
        else { return }
        enqueue(id)
    }

    /// Tries the jobs that wait, in their order, after another was prepared.
    private func prepareOthersAgain() {
        for id in unprepared.sorted() { prepareAgain(id) }
    }

    private static let firstPreparationPause = Duration.milliseconds(500)
    private static let longestPreparationPause = Duration.seconds(10)
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
