package import KioskPrintModel

extension PrintEngine {
    /// A job with its document as it was sent, as long as that is kept. Throws `job-not-found`, `job-forbidden` where the
    /// job is not `requester`'s, and `document-not-kept`.
    package func keptDocument(
        of id: Int64, by requester: Requester
    ) async throws -> (job: Job, body: PrintDocument.Body) {
        let job = try await job(id)
        try requester.check(job, doing: "see its document")
        let active = jobs[id]
        let inMemory = active?.document
        let stored = active == nil ? try await store.job(id) : nil
        guard let record = active?.record ?? stored else {
            throw EngineError.documentNotKept(job, registry.retention(of: job.role))
        }
        do {
            return (job, try await documents.body(of: record, inMemory: inMemory, isRestored: false))
        } catch let error as EngineError where error.code == .documentLost {
            throw EngineError.documentNotKept(job, registry.retention(of: job.role))
        }
    }
}
