import IPPCodec
import PrintModel

/// A document on its way in: of Print-Job, whose job begins with its first byte, or of Send-Document.
struct Reception {
    let request: IPPRequest
    let format: String
    /// The document comes as gzip (RFC 1952).
    let isPacked: Bool
    let isLast: Bool
    fileprivate(set) var jobID: Int32?
    fileprivate let wanted: JobRequest?
    fileprivate let unsupported: [IPPAttribute]
}

// Operations that carry a document.
extension PrinterService {
    mutating func printJob(_ request: IPPRequest) throws(IPPRefusal) -> Reception {
        let (wanted, unsupported) = try jobRequest(request)
        try checkBusy()
        return Reception(
            request: request, format: wanted.format, isPacked: try isPacked(request), isLast: true, jobID: nil,
            wanted: wanted,
            unsupported: unsupported)
    }

    func sendDocument(_ request: IPPRequest) throws(IPPRefusal) -> Reception {
        let job = try job(of: request)
        try checkFormat(request)
        let isPacked = try isPacked(request)
        guard let isLast = request["last-document"]?.boolean else {
            throw .badRequest("The attribute last-document is missing.")
        }
        guard !job.state.isFinal, !job.isComplete, !job.isReceiving else { throw IPPRefusal(.notPossible(job.state)) }
        let format = request["document-format"]?.string ?? job.format
        return Reception(
            request: request, format: format, isPacked: isPacked, isLast: isLast, jobID: job.id, wanted: nil,
            unsupported: [])
    }

    /// The first byte of the document is here: from now on the job has a document with this number.
    mutating func begin(
        _ reception: inout Reception, number: Int, at now: Duration
    ) throws(PrinterModel.Refusal) -> Int32 {
        if let wanted = reception.wanted, reception.jobID == nil {
            reception.jobID = try model.createJob(wanted, at: now).id
        }
        guard let id = reception.jobID else { throw .notFound }
        try model.beginDocument(id, number: number, format: reception.format)
        if let job = model.job(id) { actions.append(.jobChanged(job)) }
        return id
    }

    /// The document is whole, `bytes` long; the answer to its request.
    mutating func finish(_ reception: Reception, bytes: Int64, at now: Duration) -> IPPMessage {
        do throws(IPPRefusal) {
            return try answer(reception, bytes: bytes, at: now)
        } catch {
            return refusal(error, to: reception.request.message)
        }
    }

    private mutating func answer(
        _ reception: Reception, bytes: Int64, at now: Duration
    ) throws(IPPRefusal) -> IPPMessage {
        guard let id = reception.jobID, reception.wanted == nil || bytes > 0 else {
            throw .badRequest("The request has no document.")
        }
        if bytes > 0 {
            model.received(id, bytes: bytes)
            actions += model.endDocument(id, isLast: reception.isLast, at: now)
        } else {
            // RFC 8011 §4.3.1: the last Send-Document may come without a document, and closes the job.
            guard reception.isLast else { throw .badRequest("The request has no document.") }
            do {
                actions += try model.closeJob(id, at: now)
            } catch {
                throw IPPRefusal(error)
            }
        }
        guard let job = model.job(id) else { throw IPPRefusal(.clientErrorNotFound, "The job is gone.") }
        // The answer shows the job as it was taken: printing begins afterwards.
        actions += model.advance(to: now)
        if job.state == .canceled { throw IPPRefusal(.serverErrorJobCanceled, "The job was canceled meanwhile.") }
        return success(reception.request, [statusGroup(job, at: now)], unsupported: reception.unsupported)
    }
}
