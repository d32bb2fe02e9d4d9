import IPPCodec
import NIOCore

/// A document that is arriving on a connection, on its way to a file.
final class IncomingDocument {
    private var reception: Reception
    private var file: DocumentFile?
    private var job: SimulatedJob?

    init(_ reception: Reception) { self.reception = reception }

    var isEmpty: Bool { (file?.bytes ?? 0) == 0 }

    /// Stores some bytes; an answer when the document cannot be taken.
    func take(_ buffer: ByteBuffer, _ core: PrinterCore) -> IPPMessage? {
        var part = buffer
        var isLastGasp = false
        if let limit = core.dieAfter {
            let left = max(0, limit - (file?.bytes ?? 0))
            isLastGasp = left <= Int64(buffer.readableBytes)
            if isLastGasp { part = buffer.getSlice(at: buffer.readerIndex, length: Int(left)) ?? part }
        }
        do {
            try store(part, core)
        } catch let refusal as PrinterModel.Refusal {
            return core.service.refusal(IPPRefusal(refusal), to: reception.request.message)
        } catch {
            abandon(core)
            core.report(.trouble("\(error)"))
            let refusal = IPPRefusal(.serverErrorInternalError, "\(error)")
            return core.service.refusal(refusal, to: reception.request.message)
        }
        if isLastGasp {
            abandon(core) { core.losePower() }
        }
        return nil
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
