import PrintModel

// The engine of the printer: one job after the other, in the order of their ids.
extension PrinterModel {
    /// Lets the time go on: gives up jobs whose document never came, prints, finishes, begins.
    package mutating func advance(to now: Duration) -> [Action] {
        guard isOn else { return [] }
        var actions = giveUpOverdueJobs(at: now)
        while let index = currentIndex ?? beginNextJob(at: now, &actions) {
            guard !condition.isStopped else {
                if jobs[index].state == .processing { stop(index, at: now, &actions) }
                break
            }
            if jobs[index].state == .processingStopped { resume(index, at: now, &actions) }
            guard !condition.isHolding, let due = jobs[index].due, due <= now else { break }
            let bytes = jobs[index].bytes
            finish(index, .completed, ["job-completed-successfully"], at: now, &actions)
            actions.append(.paper(jobs[index], bytes: bytes, isComplete: true))
            forgetOldJobs()
        }
        return actions
    }

    /// When `advance` has something to do although nobody comes; nil when it has not.
    package var nextDeadline: Duration? {
        var deadlines = jobs.compactMap { $0.isReceiving || $0.state.isFinal ? nil : $0.incomingUntil }
        if let current = currentJob, current.state == .processing, !condition.isHolding, let due = current.due {
            deadlines.append(due)
        }
        return deadlines.min()
    }

    private mutating func beginNextJob(at now: Duration, _ actions: inout [Action]) -> Int? {
        guard let index = jobs.firstIndex(where: { $0.state == .pending && $0.isComplete }) else { return nil }
        let kilobytes = Double(jobs[index].bytes) / 1024
        jobs[index].total = condition.timePerKilobyte * kilobytes
        jobs[index].remaining = jobs[index].total
        jobs[index].resumedAt = now
        jobs[index].processingAt = now
        if !condition.isStopped { stateChangedAt = now }
        change(index, .processing, ["job-printing"], &actions)
        return index
    }

    private mutating func stop(_ index: Int, at now: Duration, _ actions: inout [Action]) {
        if let resumedAt = jobs[index].resumedAt {
            jobs[index].remaining -= min(jobs[index].remaining, now - resumedAt)
        }
        jobs[index].resumedAt = nil
        change(index, .processingStopped, ["printer-stopped"], &actions)
    }

    private mutating func resume(_ index: Int, at now: Duration, _ actions: inout [Action]) {
        jobs[index].resumedAt = now
        change(index, .processing, ["job-printing"], &actions)
    }

    private mutating func giveUpOverdueJobs(at now: Duration) -> [Action] {
        var actions: [Action] = []
        for index in jobs.indices where !jobs[index].state.isFinal && !jobs[index].isReceiving {
            guard let limit = jobs[index].incomingUntil, limit <= now else { continue }
            finish(index, .aborted, ["aborted-by-system", "job-data-insufficient"], at: now, &actions)
        }
        return actions
    }

    mutating func change(_ index: Int, _ state: JobState, _ reasons: [String], _ actions: inout [Action]) {
        jobs[index].state = state
        jobs[index].reasons = reasons
        actions.append(.jobChanged(jobs[index]))
    }

    mutating func finish(
        _ index: Int, _ state: JobState, _ reasons: [String], at now: Duration, _ actions: inout [Action]
    ) {
        if jobs[index].resumedAt != nil, !condition.isStopped { stateChangedAt = now }
        jobs[index].resumedAt = nil
        jobs[index].incomingUntil = nil
        jobs[index].isReceiving = false
        jobs[index].completedAt = now
        change(index, state, reasons, &actions)
    }

    private mutating func forgetOldJobs() {
        while jobs.count > Self.historyLimit, let index = jobs.firstIndex(where: { $0.state.isFinal }) {
            jobs.remove(at: index)
        }
    }

    /// How much of an unfinished job has come out: by the time that was spent on it, or by what has arrived of it.
    func bytesOnPaper(of job: SimulatedJob, at now: Duration) -> Int64 {
        if job.isReceiving { return printsWhileReceiving ? job.bytes : 0 }
        guard job.state == .processing || job.state == .processingStopped, job.total > .zero else { return 0 }
        let running = job.resumedAt.map { now - $0 } ?? .zero
        let share = (job.total - job.remaining + running) / job.total
        return Int64(Double(job.bytes) * min(1, max(0, share)))
    }
}

extension SimulatedJob {
    var due: Duration? { resumedAt.map { $0 + remaining } }
}
