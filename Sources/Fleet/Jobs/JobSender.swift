/// Sends jobs to sites: an office's side of the hub.
package struct JobSender: Sendable {
    private let jetStream: JetStream

    package enum Outcome: Hashable, Sendable {
        /// The hub has it now.
        case stored
        /// The hub has had it from an earlier call.
        case alreadyStored
    }

    package init(at jetStream: JetStream) { self.jetStream = jetStream }

    /// Returns once the hub has the job with its document. That says nothing of the kiosk yet: repeat until its report
    /// has come. After any error, call again with the same key; it is then the same job.
    ///
    /// Throws `conflict` where the key was used for another job, in the last days for which the hub keeps jobs.
    ///
    /// `document` is empty where it lies at an address. The same document under another address is the same job: stores
    /// sign addresses for a time. The hub keeps the first one.
    package func send(_ job: FleetJob, document: [UInt8] = []) async throws -> Outcome {
        let key = try job.key()
        let subject = try FleetSubject.job(to: job.role, of: job.site, key)
        if case .url(let address) = job.place {
            return try await store(Array(address.text.utf8), headers: job.headers, at: subject, in: HubLayout.jobs) {
                guard var kept = try? FleetJob($0), case .url = kept.place else { return false }
                kept.place = job.place
                return kept == job
            }
        }
        guard document.count == job.length else {
            throw FleetError(.malformed, "the document has \(document.count) bytes, and its job names \(job.length)")
        }
        var body = document
        if job.place == .chunks {
            // Before the job, which a kiosk may fetch at once.
            for (number, start) in stride(from: 0, to: document.count, by: FleetDocument.chunkLength).enumerated() {
                let chunk = Array(document[start..<min(start + FleetDocument.chunkLength, document.count)])
                let place = FleetSubject.documentChunk(job.site, key, number: number)
                _ = try await store(chunk, headers: [:], at: place, in: HubLayout.documents) { $0.body == chunk }
            }
            body = []
        }
        return try await store(body, headers: job.headers, at: subject, in: HubLayout.jobs) { kept in
            (try? FleetJob(kept)) == job && kept.body == body
        }
    }

    private func store(
        _ body: [UInt8], headers: [String: String], at subject: FleetSubject, in stream: String,
        isSame: (HubMessage) -> Bool
    ) async throws -> Outcome {
        do {
            _ = try await jetStream.publish(subject, headers: headers, body: body)
            return .stored
        } catch let error as FleetError where error.hubCode == JetStream.subjectTaken {
            // Direct answers name the subject in a header.
            guard var kept = try await jetStream.lastMessage(of: subject, in: stream) else {
                throw FleetError(.missing, "the hub has forgotten \(subject.text) just now; send the job again")
            }
            kept.subject = subject.text
            guard isSame(kept) else {
                throw FleetError(
                    .conflict,
                    "the idempotency key was used for another document or destination; use a new key for a new job",
                    hubCode: error.hubCode)
            }
            return .alreadyStored
        }
    }
}
