import KioskDurableFiles
import KioskIPPCodec
public import KioskPrintModel
import NIOPosix

extension IPPTransport {
    public func deliver(
        _ delivery: Delivery, to printer: PrinterTarget, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        try await call(printer) { try await self.deliver(delivery, with: $0, progress) }
    }

    private func deliver(
        _ delivery: Delivery, with client: IPPClient, _ progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws -> JobReport {
        progress(.connecting)
        let document = try await open(delivery.document, for: client.printer)
        let capabilities = try await capabilities(client)
        if !client.knowledge.takesChunks { try await waitUntilRendered(delivery.document, for: client.printer) }
        let compressed = try await compress(document, delivery.document.format, capabilities, client)
        let requestsRollSize = delivery.document.rollPage != nil
        if requestsRollSize, !client.knowledge.usesRollSize {
            return try await sendWithoutRollSize(delivery, document, compressed, capabilities, client, progress)
        }
        do {
            return try await send(delivery, document, compressed, capabilities, client, progress)
        } catch {
            if compressed != nil, error.bytesAccepted == 0, !client.knowledge.usesCompression {
                client.trace.tell("the printer refuses the compression: send the document without it")
                return try await send(delivery, document, nil, capabilities, client, progress)
            }
            if case .stream = document, error.refusesChunks, client.knowledge.takesChunks {
                client.trace.tell("the printer takes no document of unknown length: send it once it is rendered")
                try await waitUntilRendered(delivery.document, for: client.printer)
                let report = try await send(delivery, document, nil, capabilities, client, progress)
                // It was the length, and nothing else in the request.
                client.knowledge.chunksFailed()
                return report
            }
            if requestsRollSize, error.bytesAccepted == 0, !client.knowledge.usesRollSize {
                return try await sendWithoutRollSize(delivery, document, compressed, capabilities, client, progress)
            }
            // The printer's capabilities may have changed; the next delivery requests them again.
            if [.formatRefused, .jobRefused, .notSupported].contains(error.code) {
                client.knowledge.capabilities = nil
            }
            throw error
        }
    }

    /// Sends to a printer that refused a job over a size that it lists: it prints on whatever paper it has.
    private func sendWithoutRollSize(
        _ delivery: Delivery, _ document: DocumentBody, _ compressed: CompressedDocument?,
        _ capabilities: PrinterCapabilities, _ client: IPPClient,
        _ progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(TransportError) -> JobReport {
        var delivery = delivery
        (delivery.document.rollPage, delivery.ticket.cut) = (nil, nil)
        client.trace.tell("the printer refused the roll's size: send the job without it")
        var report = try await send(delivery, document, compressed, capabilities, client, progress)
        report.remarks.append(
            "the printer refused the roll's width and the receipt's length, which it lists: it has its own size for pages"
        )
        return report
    }

    private func send(
        _ delivery: Delivery, _ document: DocumentBody, _ compressed: CompressedDocument?,
        _ capabilities: PrinterCapabilities, _ client: IPPClient,
        _ progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) async throws(TransportError) -> JobReport {
        let job = try OutgoingJob(
            delivery, document: document, compressed: compressed, printer: capabilities,
            usesCreateJob: client.knowledge.usesCreateJob, url: client.printer, deadlines: deadlines
        )
        let report = try await job.send(with: client, progress: progress)
        client.knowledge.accepted(report.remoteJob)
        return report
    }

    /// Waits for the end of a document that is rendered while it is sent, to a printer that has to be told its length.
    private func waitUntilRendered(
        _ document: PrintDocument, for printer: PrinterURL
    ) async throws(TransportError) {
        do {
            try await document.rendering?.waitUntilRendered()
        } catch let failure as DocumentStreamFailure {
            throw TransportError(failure)
        } catch {
            throw TransportError(HTTPFailure(cause: .cancelled), operation: "render", printer: printer)
        }
    }

    /// Compresses the document, where the printer accepts that and it saves enough.
    private func compress(
        _ document: DocumentBody, _ format: DocumentFormat, _ capabilities: PrinterCapabilities, _ client: IPPClient
    ) async throws(TransportError) -> CompressedDocument? {
        guard document.isWorthCompressing(format), let coding = capabilities.compression,
            client.knowledge.usesCompression
        else { return nil }
        do {
            return try await threadPool.runIfActive { try document.compressed(as: coding) }
        } catch let failure as DocumentFile.Failure {
            throw TransportError(failure, operation: "read")
        } catch {
            throw TransportError(HTTPFailure(cause: .cancelled), operation: "read", printer: client.printer)
        }
    }

    private func open(_ document: PrintDocument, for printer: PrinterURL) async throws(TransportError) -> DocumentBody {
        if let rendering = document.rendering { return .stream(rendering) }
        switch document.body {
        case .bytes(let bytes): return .bytes(bytes)
        case .file(let path, let length):
            do {
                return .file(try await threadPool.runIfActive { try DocumentFile(path: path, length: length) })
            } catch let failure as DocumentFile.Failure {
                throw TransportError(failure, operation: "open")
            } catch {
                // The wait for the thread pool was cancelled, or the pool is shut down with the process.
                throw TransportError(HTTPFailure(cause: .cancelled), operation: "open", printer: printer)
            }
        }
    }
}

extension TransportError {
    /// Whether the printer's HTTP server refused a request whose length it was not told: 411 says so (RFC 9110 §15.5.12),
    /// 400 and 501 are what older servers know of chunks (RFC 9112 §6.1).
    fileprivate var refusesChunks: Bool {
        guard bytesAccepted == 0, case .httpStatus(let status) = underlying else { return false }
        return [400, 411, 501].contains(status)
    }
}
