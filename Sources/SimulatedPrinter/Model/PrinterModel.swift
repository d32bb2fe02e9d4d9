package import PrintModel

/// The printer without its sockets: jobs and their states, paper and cover. Every input says what time it is; the
/// answer is what happened. Nothing here waits, reads or writes.
package struct PrinterModel: Sendable {
    /// What came of an input.
    package enum Action: Hashable, Sendable {
        /// A job is new or its state has changed.
        case jobChanged(SimulatedJob)
        /// So many bytes of a job's document are on paper; not complete where the paper ends in the middle.
        case paper(SimulatedJob, bytes: Int64, isComplete: Bool)
    }

    /// Why an input was not possible.
    package enum Refusal: Error, Hashable, Sendable {
        case notFound
        case notPossible(JobState)
        case multipleDocuments
        case notAccepting
        case tooManyJobs
    }

    /// RFC 8011 §5.4.31: how long a job waits for its next document.
    static let multipleOperationTimeOut: Duration = .seconds(60)
    /// Jobs that are not finished: whoever sends more has to wait for some to end.
    static let queueLimit = 1000
    /// Finished jobs that are remembered.
    static let historyLimit = 500

    /// By rising id.
    package internal(set) var jobs: [SimulatedJob] = []
    package private(set) var condition: PrinterCondition
    package private(set) var isOn = true
    package internal(set) var poweredAt: Duration = .zero
    package internal(set) var stateChangedAt: Duration = .zero
    /// Whether paper comes out while a document is still arriving (receipt and label printers), or only of whole
    /// documents.
    let printsWhileReceiving: Bool
    var nextID: Int32 = 1

    package init(printsWhileReceiving: Bool = true, condition: PrinterCondition = PrinterCondition()) {
        self.printsWhileReceiving = printsWhileReceiving
        self.condition = condition
    }

    package func job(_ id: Int32) -> SimulatedJob? { index(of: id).map { jobs[$0] } }

    func index(of id: Int32) -> Int? { jobs.lastIndex { $0.id == id } }

    /// The job that is on the printer's mind; one at a time.
    package var currentJob: SimulatedJob? { currentIndex.map { jobs[$0] } }

    var currentIndex: Int? { jobs.firstIndex { $0.state == .processing || $0.state == .processingStopped } }

    /// `printer-state`, RFC 8011 §5.4.11.
    package enum State: Int32, Sendable {
        case idle = 3
        case processing = 4
        case stopped = 5
    }

    package var state: State {
        if condition.isStopped { return .stopped }
        return currentIndex == nil ? .idle : .processing
    }

    /// Jobs that are not finished.
    package var queuedJobs: [SimulatedJob] { jobs.filter { !$0.state.isFinal } }

    /// Changes what hinders the printer; what was printed up to now is printed.
    package mutating func setCondition(_ condition: PrinterCondition, at now: Duration) -> [Action] {
        var actions = advance(to: now)
        if condition.isStopped != self.condition.isStopped { stateChangedAt = now }
        self.condition = condition
        actions += advance(to: now)
        return actions
    }

    /// Ends at once, as when the plug is pulled: all jobs are forgotten, what is on paper stays there.
    package mutating func losePower(at now: Duration) -> [Action] {
        var actions = advance(to: now)
        for job in jobs {
            let bytes = bytesOnPaper(of: job, at: now)
            if !job.state.isFinal, bytes > 0 { actions.append(.paper(job, bytes: bytes, isComplete: false)) }
        }
        jobs = []
        nextID = 1
        isOn = false
        return actions
    }

    package mutating func switchOn(at now: Duration) {
        isOn = true
        poweredAt = now
        stateChangedAt = now
    }

    /// Forgets all finished jobs, as printers with little memory do.
    package mutating func forgetHistory() { jobs.removeAll { $0.state.isFinal } }
}
