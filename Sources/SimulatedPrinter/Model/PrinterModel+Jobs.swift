import PrintModel

// What clients do with jobs.
extension PrinterModel {
    /// Print-Job and Create-Job: a job that waits for its document.
    package mutating func createJob(_ request: JobRequest, at now: Duration) throws(Refusal) -> SimulatedJob {
        guard !condition.isRefusing else { throw .notAccepting }
        guard queuedJobs.count < Self.queueLimit else { throw .tooManyJobs }
        let job = SimulatedJob(id: nextID, request: request, now: now)
        nextID = nextID == .max ? 1 : nextID + 1
        jobs.append(job)
        return job
    }

    /// The job's document begins to arrive and gets a number.
    package mutating func beginDocument(_ id: Int32, number: Int, format: String) throws(Refusal) {
        guard let index = index(of: id) else { throw .notFound }
        guard !jobs[index].state.isFinal, !jobs[index].isComplete else { throw .notPossible(jobs[index].state) }
        guard jobs[index].document == nil else { throw .multipleDocuments }
        jobs[index].document = number
        jobs[index].format = format
        jobs[index].isReceiving = true
    }

    /// So many bytes of it have arrived in all.
    package mutating func received(_ id: Int32, bytes: Int64) {
        guard let index = index(of: id) else { return }
        jobs[index].bytes = bytes
    }

    /// The document is whole. With the last one, the job is ready to print; `advance` prints it.
    package mutating func endDocument(_ id: Int32, isLast: Bool, at now: Duration) -> [Action] {
        guard let index = index(of: id), !jobs[index].state.isFinal else { return [] }
        jobs[index].isReceiving = false
        guard isLast else {
            jobs[index].incomingUntil = now + Self.multipleOperationTimeOut
            return []
        }
        return close(index)
    }

    /// Send-Document without a document, and Close-Job: no more documents will come.
    package mutating func closeJob(_ id: Int32, at now: Duration) throws(Refusal) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard !jobs[index].state.isFinal, !jobs[index].isComplete, !jobs[index].isReceiving else {
            throw .notPossible(jobs[index].state)
        }
        guard jobs[index].document != nil else {
            var actions: [Action] = []
            finish(index, .aborted, ["aborted-by-system", "job-data-insufficient"], at: now, &actions)
            return actions
        }
        return close(index)
    }

    /// The connection broke in the middle of the document. What a streaming printer had of it is on paper.
    package mutating func abandonDocument(_ id: Int32, at now: Duration) -> [Action] {
        guard let index = index(of: id), !jobs[index].state.isFinal else { return [] }
        var actions: [Action] = []
        finish(index, .aborted, ["aborted-by-system", "job-data-insufficient"], at: now, &actions)
        if printsWhileReceiving, jobs[index].bytes > 0 {
            actions.append(.paper(jobs[index], bytes: jobs[index].bytes, isComplete: false))
        }
        return actions
    }

    /// Cancel-Job. What came out already is on paper.
    package mutating func cancelJob(_ id: Int32, at now: Duration) throws(Refusal) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard !jobs[index].state.isFinal else { throw .notPossible(jobs[index].state) }
        return end(index, .canceled, ["job-canceled-by-user"], at: now)
    }

    /// Hold-Job (RFC 8011 §4.3.5): a job that waits, waits on until it is released.
    package mutating func holdJob(_ id: Int32) throws(Refusal) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard jobs[index].state == .pending || isHeld(index) else { throw .notPossible(jobs[index].state) }
        var actions: [Action] = []
        if !isHeld(index) { change(index, .pendingHeld, ["job-hold-until-specified"], &actions) }
        return actions
    }

    /// Release-Job (RFC 8011 §4.3.6).
    package mutating func releaseJob(_ id: Int32, at now: Duration) throws(Refusal) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard isHeld(index) else { throw .notPossible(jobs[index].state) }
        var actions: [Action] = []
        change(index, .pending, ["none"], &actions)
        return actions + advance(to: now)
    }

    private func isHeld(_ index: Int) -> Bool { jobs[index].state == .pendingHeld && jobs[index].isComplete }

    /// The printer gives the job at hand up by itself.
    package mutating func abortCurrentJob(at now: Duration) -> [Action] {
        var actions = advance(to: now)
        if let index = currentIndex { actions += end(index, .aborted, ["aborted-by-system"], at: now) }
        return actions
    }

    private mutating func end(_ index: Int, _ state: JobState, _ reasons: [String], at now: Duration) -> [Action] {
        let bytes = bytesOnPaper(of: jobs[index], at: now)
        var actions: [Action] = []
        finish(index, state, reasons, at: now, &actions)
        if bytes > 0 { actions.append(.paper(jobs[index], bytes: bytes, isComplete: false)) }
        return actions + advance(to: now)
    }

    private mutating func close(_ index: Int) -> [Action] {
        jobs[index].incomingUntil = nil
        var actions: [Action] = []
        if jobs[index].isToBeHeld {
            change(index, .pendingHeld, ["job-hold-until-specified"], &actions)
        } else {
            change(index, .pending, ["none"], &actions)
        }
        return actions
    }
}
