package import KioskPrintModel

/// The printer without its sockets: jobs and their states, paper and cover. Every input carries the current time and
/// returns what happened. Nothing here waits, reads or writes.
package struct PrinterModel: Sendable {
    /// What an input led to.
    package enum Action: Hashable, Sendable {
        /// A job is new.
        case jobCreated(SimulatedJob)
        /// A job's state or its reasons have changed.
        case jobChanged(SimulatedJob)
        /// This many bytes of a job's document are on paper; not complete where the paper ends in the middle.
        case paper(SimulatedJob, bytes: Int64, isComplete: Bool)
    }

    /// Why an operation on a job failed.
    package enum JobError: Error, Hashable, Sendable {
        case notFound
        case notPossible(JobState)
        case multipleDocuments
        case notAcceptingJobs
        case tooManyJobs
    }

    /// The `printer-state` (RFC 8011 §5.4.11).
    package enum State: Int32, Sendable {
        case idle = 3
        case processing = 4
        case stopped = 5
    }

    /// How long a job waits for its next document (RFC 8011 §5.4.31).
    static let multipleOperationTimeOut: Duration = .seconds(60)
    /// The number of unfinished jobs beyond which new ones are rejected.
    private static let queueLimit = 1000
    /// The number of jobs beyond which the oldest finished one is forgotten.
    private static let historyLimit = 500

    /// The jobs by ascending id.
    package private(set) var jobs: [SimulatedJob] = []
    package private(set) var condition: PrinterCondition
    package private(set) var isOn = true
    private(set) var poweredOnAt: Duration = .zero
    /// How often it was switched on again: job ids begin at 1 then.
    private(set) var restarts = 0
    private(set) var stateChangedAt: Duration = .zero
    private let printsWhileReceiving: Bool
    private var nextID: Int32 = 1

    /// `printsWhileReceiving`: whether paper comes out while a document is still arriving (receipt and label printers),
    /// or only once it is complete.
    package init(printsWhileReceiving: Bool = true, condition: PrinterCondition = PrinterCondition()) {
        self.printsWhileReceiving = printsWhileReceiving
        self.condition = condition
    }

    package func job(_ id: Int32) -> SimulatedJob? { index(of: id).map { jobs[$0] } }

    /// The job that is being printed or that waits at `processing-stopped`; one at a time.
    package var currentJob: SimulatedJob? { currentIndex.map { jobs[$0] } }

    package var queuedJobs: [SimulatedJob] { jobs.filter { !$0.state.isFinal } }

    /// The `printer-state-reasons`. PWG 5100.9: `media-needed` where a job waits for the paper.
    package var reasons: [String] {
        let reasons = condition.reasons
        return condition.isPaperOut && currentIndex != nil ? reasons + ["media-needed-error"] : reasons
    }

    package var state: State {
        if condition.isStopped { return .stopped }
        return currentIndex == nil ? .idle : .processing
    }

    /// Seconds since power-on, counted from 1 (RFC 8011 §5.4.29).
    func upTime(at moment: Duration) -> Int32 {
        Int32(clamping: max(0, (moment - poweredOnAt).components.seconds) + 1)
    }

    private var currentIndex: Int? { jobs.firstIndex { $0.state == .processing || $0.state == .processingStopped } }

    private func index(of id: Int32) -> Int? { jobs.lastIndex { $0.id == id } }

    // MARK: Creating jobs and receiving their documents

    /// Creates a job that waits for its document (Print-Job and Create-Job).
    package mutating func createJob(_ request: JobRequest, at now: Duration) throws(JobError) -> SimulatedJob {
        guard !condition.isRejectingJobs else { throw .notAcceptingJobs }
        guard queuedJobs.count < Self.queueLimit else { throw .tooManyJobs }
        let job = SimulatedJob(id: nextID, request: request, now: now)
        nextID = nextID == .max ? 1 : nextID + 1
        jobs.append(job)
        return job
    }

    /// Gives the job's document, which begins to arrive, its number.
    package mutating func beginDocument(_ id: Int32, number: Int, format: String) throws(JobError) {
        guard let index = index(of: id) else { throw .notFound }
        guard !jobs[index].state.isFinal, !jobs[index].isClosed else { throw .notPossible(jobs[index].state) }
        guard jobs[index].document == nil else { throw .multipleDocuments }
        jobs[index].beginDocument(number: number, format: format)
    }

    /// Notes how many bytes of the job's document have arrived in all.
    package mutating func received(_ id: Int32, bytes: Int64) {
        guard let index = index(of: id) else { return }
        jobs[index].received(bytes: bytes)
    }

    /// Ends the job's document. After the last one, the job is ready to print; `advance` prints it.
    package mutating func endDocument(_ id: Int32, isLast: Bool, at now: Duration) -> [Action] {
        guard let index = index(of: id), !jobs[index].state.isFinal else { return [] }
        guard isLast else {
            jobs[index].endDocument(nextBefore: now + Self.multipleOperationTimeOut)
            return []
        }
        var actions: [Action] = []
        change(index, &actions) { $0.close() }
        return actions
    }

    /// Closes the job to further documents (Close-Job, and Send-Document without a document).
    package mutating func closeJob(_ id: Int32, at now: Duration) throws(JobError) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard !jobs[index].state.isFinal, !jobs[index].isClosed, !jobs[index].isReceiving else {
            throw .notPossible(jobs[index].state)
        }
        var actions: [Action] = []
        if jobs[index].document == nil {
            abortForMissingData(index, at: now, &actions)
        } else {
            change(index, &actions) { $0.close() }
        }
        return actions
    }

    /// Aborts a job whose connection broke in the middle of the document. What a roll printer had received is on paper.
    package mutating func abandonDocument(_ id: Int32, at now: Duration) -> [Action] {
        guard let index = index(of: id), !jobs[index].state.isFinal else { return [] }
        var actions: [Action] = []
        abortForMissingData(index, at: now, &actions)
        if printsWhileReceiving, jobs[index].bytes > 0 {
            actions.append(.paper(jobs[index], bytes: jobs[index].bytes, isComplete: false))
        }
        return actions
    }

    // MARK: Managing jobs

    /// Cancels a job. What came out already stays on paper.
    package mutating func cancelJob(_ id: Int32, at now: Duration) throws(JobError) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard !jobs[index].state.isFinal else { throw .notPossible(jobs[index].state) }
        return end(index, .canceled, ["job-canceled-by-user"], at: now)
    }

    /// Holds a pending job until it is released (Hold-Job, RFC 8011 §4.3.5).
    package mutating func holdJob(_ id: Int32) throws(JobError) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard jobs[index].state == .pending || jobs[index].isHeld else { throw .notPossible(jobs[index].state) }
        var actions: [Action] = []
        if !jobs[index].isHeld { change(index, &actions) { $0.hold() } }
        return actions
    }

    /// Releases a held job (Release-Job, RFC 8011 §4.3.6).
    package mutating func releaseJob(_ id: Int32, at now: Duration) throws(JobError) -> [Action] {
        guard let index = index(of: id) else { throw .notFound }
        guard jobs[index].isHeld else { throw .notPossible(jobs[index].state) }
        var actions: [Action] = []
        change(index, &actions) { $0.release() }
        return actions + advance(to: now)
    }

    /// Aborts the current job, as a printer does by itself.
    package mutating func abortCurrentJob(at now: Duration) -> [Action] {
        var actions = advance(to: now)
        if let index = currentIndex { actions += end(index, .aborted, ["aborted-by-system"], at: now) }
        return actions
    }

    /// Forgets all finished jobs, as printers with little memory do.
    package mutating func forgetHistory() { jobs.removeAll { $0.state.isFinal } }

    // MARK: The printer itself

    /// Changes the printer's condition. Everything due before the change is printed first.
    package mutating func setCondition(_ condition: PrinterCondition, at now: Duration) -> [Action] {
        var actions = advance(to: now)
        if condition.isStopped != self.condition.isStopped { stateChangedAt = now }
        self.condition = condition
        actions += advance(to: now)
        return actions
    }

    /// Switches the printer off as if the plug were pulled: all jobs are forgotten, and what is on paper stays there.
    package mutating func losePower(at now: Duration) -> [Action] {
        var actions = advance(to: now)
        for job in jobs {
            let bytes = job.bytesOnPaper(at: now, printsWhileReceiving: printsWhileReceiving)
            if !job.state.isFinal, bytes > 0 { actions.append(.paper(job, bytes: bytes, isComplete: false)) }
        }
        jobs = []
        nextID = 1
        isOn = false
        return actions
    }

    package mutating func powerOn(at now: Duration) {
        isOn = true
        poweredOnAt = now
        restarts += 1
        stateChangedAt = now
    }

    // MARK: Printing

    /// Brings the printer up to `now`: aborts jobs whose document never came, and prints the others one after the
    /// other, in the order of their ids.
    package mutating func advance(to now: Duration) -> [Action] {
        guard isOn else { return [] }
        var actions = abortOverdueJobs(at: now)
        while let index = currentIndex ?? beginNextJob(at: now, &actions) {
            guard !condition.isStopped else {
                if jobs[index].state == .processing { change(index, &actions) { $0.pausePrinting(at: now) } }
                break
            }
            if jobs[index].state == .processingStopped { change(index, &actions) { $0.resumePrinting(at: now) } }
            guard !condition.isHoldingJobs, let end = jobs[index].printingEndsAt, end <= now else { break }
            finish(index, .completed, ["job-completed-successfully"], at: now, &actions)
            actions.append(.paper(jobs[index], bytes: jobs[index].bytes, isComplete: true))
            forgetOldJobs()
        }
        if condition.forgetsFinishedJobs { forgetHistory() }
        return actions
    }

    /// When `advance` has something to do without any other input; nil where it has nothing.
    package var nextDeadline: Duration? {
        var deadlines = jobs.compactMap { $0.isReceiving || $0.state.isFinal ? nil : $0.inputDeadline }
        if let current = currentJob, current.state == .processing, !condition.isHoldingJobs,
            let end = current.printingEndsAt
        {
            deadlines.append(end)
        }
        return deadlines.min()
    }

    private mutating func beginNextJob(at now: Duration, _ actions: inout [Action]) -> Int? {
        guard let index = jobs.firstIndex(where: { $0.state == .pending && $0.isClosed }) else { return nil }
        if !condition.isStopped { stateChangedAt = now }
        let timePerKilobyte = condition.timePerKilobyte
        change(index, &actions) { $0.beginPrinting(at: now, timePerKilobyte: timePerKilobyte) }
        return index
    }

    private mutating func abortOverdueJobs(at now: Duration) -> [Action] {
        var actions: [Action] = []
        for index in jobs.indices where !jobs[index].state.isFinal && !jobs[index].isReceiving {
            guard let deadline = jobs[index].inputDeadline, deadline <= now else { continue }
            abortForMissingData(index, at: now, &actions)
        }
        return actions
    }

    private mutating func abortForMissingData(_ index: Int, at now: Duration, _ actions: inout [Action]) {
        finish(index, .aborted, ["aborted-by-system", "job-data-insufficient"], at: now, &actions)
    }

    /// Ends a job early, and begins the next one. The paper that is printed already stays.
    private mutating func end(_ index: Int, _ state: JobState, _ reasons: [String], at now: Duration) -> [Action] {
        let bytes = jobs[index].bytesOnPaper(at: now, printsWhileReceiving: printsWhileReceiving)
        var actions: [Action] = []
        finish(index, state, reasons, at: now, &actions)
        if bytes > 0 { actions.append(.paper(jobs[index], bytes: bytes, isComplete: false)) }
        return actions + advance(to: now)
    }

    private mutating func finish(
        _ index: Int, _ state: JobState, _ reasons: [String], at now: Duration, _ actions: inout [Action]
    ) {
        if jobs[index].isPrinting, !condition.isStopped { stateChangedAt = now }
        change(index, &actions) { $0.finish(state, reasons, at: now) }
    }

    private mutating func change(_ index: Int, _ actions: inout [Action], _ edit: (inout SimulatedJob) -> Void) {
        edit(&jobs[index])
        actions.append(.jobChanged(jobs[index]))
    }

    private mutating func forgetOldJobs() {
        while jobs.count > Self.historyLimit, let index = jobs.firstIndex(where: { $0.state.isFinal }) {
            jobs.remove(at: index)
        }
    }
}

/// What hinders a printer, or soon will.
package struct PrinterCondition: Hashable, Sendable {
    package var isPaperOut = false
    package var isPaperLow = false
    package var isCoverOpen = false
    package var isJammed = false
    /// The printer takes no new jobs (`printer-is-accepting-jobs` is false).
    package var isRejectingJobs = false
    /// Jobs stay at `processing` until this is false again, so that a test decides how long the work takes.
    package var isHoldingJobs = false
    /// Jobs are forgotten as soon as they have ended, as by printers that keep no history.
    package var forgetsFinishedJobs = false
    /// How long printing 1,024 bytes takes.
    package var timePerKilobyte: Duration = .zero

    package init() {}

    /// Whether nothing prints until somebody attends to the printer.
    package var isStopped: Bool { isPaperOut || isCoverOpen || isJammed }

    /// The `printer-state-reasons`, with the severity suffixes of RFC 8011 §5.4.12.
    package var reasons: [String] {
        var reasons: [String] = []
        if isPaperOut { reasons.append("media-empty-error") }
        if isCoverOpen { reasons.append("cover-open-error") }
        if isJammed { reasons.append("media-jam-error") }
        if isPaperLow && !isPaperOut { reasons.append("media-low-warning") }
        return reasons.isEmpty ? ["none"] : reasons
    }
}
