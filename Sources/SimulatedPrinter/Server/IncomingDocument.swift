import KioskIPPCodec
import NIOCore

/// A document that arrives on a connection, on its way to a file.
final class IncomingDocument {
    private let server: PrinterServer
    private var document: DocumentRequest
    private var file: DocumentFile?
    private var job: SimulatedJob?
    /// Nil unless the document arrives compressed.
    private var decompressor: Decompressor?

    init(_ document: DocumentRequest, _ server: PrinterServer) {
        self.document = document
        self.server = server
    }

    var isEmpty: Bool { (file?.bytes ?? 0) == 0 }

    /// Stores some bytes. Returns a response where the document is rejected.
    func receive(_ buffer: ByteBuffer) -> IPPMessage? {
        do {
            if let compression = document.compression, decompressor == nil {
                decompressor = try Decompressor(compression)
            }
            if let decompressor {
                try decompressor.decompress(buffer) { try storeUntilPowerLoss($0) }
            } else {
                _ = try storeUntilPowerLoss(buffer)
            }
            return nil
        } catch let error as PrinterModel.JobError {
            return response(IPPStatusError(error))
        } catch let error as IPPStatusError {
            abandon()
            return response(error)
        } catch {
            abandon()
            server.report(.failure("\(error)"))
            return response(IPPStatusError(.serverErrorInternalError, "\(error)"))
        }
    }

    private func response(_ error: IPPStatusError) -> IPPMessage { document.request.message.response(error) }

    /// Returns false where the printer loses its power in these bytes.
    private func storeUntilPowerLoss(_ buffer: ByteBuffer) throws -> Bool {
        guard let limit = server.powerLossOffset else {
            try store(buffer)
            return true
        }
        let left = max(0, limit - (file?.bytes ?? 0))
        guard left <= Int64(buffer.readableBytes) else {
            try store(buffer)
            return true
        }
        try store(buffer.getSlice(at: buffer.readerIndex, length: Int(left)) ?? buffer)
        closeIncomplete()
        server.losePower()
        return false
    }

    private func store(_ buffer: ByteBuffer) throws {
        if file == nil {
            // A copy, since the server reports to others before it returns.
            var begun = document
            let (number, job) = try server.beginDocument(&begun)
            document = begun
            self.job = job
            file = try DocumentFile(
                folder: server.folder, number: number, format: document.format, firstBytes: buffer)
        }
        guard let file, let job else { return }
        try file.write(buffer)
        server.received(job, bytes: file.bytes)
    }

    /// Ends the document and returns the response to its request.
    func finish() -> IPPMessage {
        if let decompressor, !decompressor.isComplete {
            abandon()
            return response(.incompleteCompression)
        }
        file?.close()
        record(isComplete: true)
        return server.finishDocument(document, bytes: file?.bytes ?? 0)
    }

    /// Ends the document in the middle, and aborts its job.
    func abandon() {
        closeIncomplete()
        if let job { server.abandonDocument(of: job) }
    }

    private func closeIncomplete() {
        file?.close()
        record(isComplete: false)
        // What follows may close the connection, which abandons the document again.
        file = nil
    }

    private func record(isComplete: Bool) {
        guard let file, let job else { return }
        server.record(
            ReceivedDocument(
                number: file.number, jobID: job.id, jobName: job.name, user: job.user, format: document.format,
                path: file.path, bytes: file.bytes, isComplete: isComplete))
    }
}
