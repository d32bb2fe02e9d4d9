import IPPCodec
import NIOCore

/// A document that is arriving on a connection, on its way to a file.
final class IncomingDocument {
    private var reception: Reception
    private var file: DocumentFile?
    private var job: SimulatedJob?
    /// Where the document comes as gzip.
    private var unpacking: GunzipStream?

    init(_ reception: Reception) { self.reception = reception }

    var isEmpty: Bool { (file?.bytes ?? 0) == 0 }

    /// Stores some bytes; an answer when the document cannot be taken.
    func take(_ buffer: ByteBuffer, _ core: PrinterCore) -> IPPMessage? {
        do {
            if reception.isPacked, unpacking == nil { unpacking = try GunzipStream() }
            if let unpacking {
                try unpacking.take(buffer) { try takeUnpacked($0, core) }
            } else {
                _ = try takeUnpacked(buffer, core)
            }
            return nil
        } catch let refusal as PrinterModel.Refusal {
            return core.service.refusal(IPPRefusal(refusal), to: reception.request.message)
        } catch let refusal as IPPRefusal {
            abandon(core)
            return core.service.refusal(refusal, to: reception.request.message)
        } catch {
            abandon(core)
            core.report(.trouble("\(error)"))
            let refusal = IPPRefusal(.serverErrorInternalError, "\(error)")
            return core.service.refusal(refusal, to: reception.request.message)
        }
    }

    /// False where the printer dies of it.
    private func takeUnpacked(_ buffer: ByteBuffer, _ core: PrinterCore) throws -> Bool {
        guard let limit = core.dieAfter else {
            try store(buffer, core)
            return true
        }
        let left = max(0, limit - (file?.bytes ?? 0))
        guard left <= Int64(buffer.readableBytes) else {
            try store(buffer, core)
            return true
        }
        try store(buffer.getSlice(at: buffer.readerIndex, length: Int(left)) ?? buffer, core)
        abandon(core) { core.losePower() }
        return false
    }

    private func store(_ buffer: ByteBuffer, _ core: PrinterCore) throws {
        if file == nil {
            let number = core.nextDocumentNumber()
            let id = try core.service.begin(&reception, number: number, at: core.now)
            job = core.service.model.job(id)
            core.settle()
            file = try DocumentFile(folder: core.folder, number: number, format: reception.format, firstBytes: buffer)
        }
        guard let file, let job else { return }
        try file.write(buffer)
        core.service.model.received(job.id, bytes: file.bytes)
    }

    /// The document is whole; the answer to its request.
    func finish(_ core: PrinterCore) -> IPPMessage {
        if let unpacking, !unpacking.isWhole {
            abandon(core)
            return core.service.refusal(.damagedGzip, to: reception.request.message)
        }
        file?.close()
        record(core, isComplete: true)
        let answer = core.service.finish(reception, bytes: file?.bytes ?? 0, at: core.now)
        core.settle()
        return answer
    }

    /// The document ends in the middle. `end` is what becomes of the printer; else its job is aborted.
    func abandon(_ core: PrinterCore, by end: (() -> Void)? = nil) {
        file?.close()
        record(core, isComplete: false)
        // Ending may close the connection, which abandons again.
        file = nil
        if let end {
            end()
        } else if let job, core.service.model.job(job.id)?.document == job.document {
            core.service.actions += core.service.model.abandonDocument(job.id, at: core.now)
            core.settle()
        }
    }

    private func record(_ core: PrinterCore, isComplete: Bool) {
        guard let file, let job else { return }
        core.record(
            ReceivedDocument(
                number: file.number, jobID: job.id, jobName: job.name, user: job.user, format: reception.format,
                path: file.path, bytes: file.bytes, isComplete: isComplete))
    }
}
