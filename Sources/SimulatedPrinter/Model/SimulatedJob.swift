package import KioskIPPCodec
package import KioskPrintModel

/// A job in the simulated printer's memory, with its state (RFC 8011 §5.3.7). All times count from the start of the
/// simulation.
package struct SimulatedJob: Hashable, Sendable {
    package let id: Int32
    package let name: String
    package let user: String
    /// The format that the client announced.
    package private(set) var format: String
    package private(set) var state = JobState.pendingHeld
    package private(set) var reasons = ["job-incoming"]
    /// The number of document bytes received so far.
    package private(set) var bytes: Int64 = 0
    /// The number of the job's document; nil until the document arrives. Numbers count through the whole simulation,
    /// across power losses.
    package private(set) var document: Int?
    package let createdAt: Duration
    package private(set) var processingAt: Duration?
    package private(set) var completedAt: Duration?
    /// The attributes from the client's job-attributes group that the printer supports.
    let template: [IPPAttribute]
    /// When the printer aborts the job if no document has arrived (`multiple-operation-time-out`); nil once the job is
    /// closed to further documents.
    private(set) var inputDeadline: Duration?
    /// Whether a document is arriving at this moment.
    private(set) var isReceiving = false
    private var printingTime: Duration = .zero
    /// The printing time that is left; it counts down only while `resumedAt` is set.
    private var remainingTime: Duration = .zero
    private var resumedAt: Duration?

    init(id: Int32, request: JobRequest, now: Duration) {
        self.id = id
        name = request.name
        user = request.user
        format = request.format
        template = request.template
        createdAt = now
        inputDeadline = now + PrinterModel.multipleOperationTimeOut
    }

    /// Whether the job accepts no further documents.
    var isClosed: Bool { inputDeadline == nil }

    /// Whether the job is complete and held until Release-Job.
    var isHeld: Bool { state == .pendingHeld && isClosed }

    var isPrinting: Bool { resumedAt != nil }

    /// When printing ends; nil while the job is not printing.
    var printingEndsAt: Duration? { resumedAt.map { $0 + remainingTime } }

    /// How much of an unfinished job is on paper: by printing time spent, or by the bytes received where
    /// `printsWhileReceiving` is set.
    func bytesOnPaper(at now: Duration, printsWhileReceiving: Bool) -> Int64 {
        if isReceiving { return printsWhileReceiving ? bytes : 0 }
        guard state == .processing || state == .processingStopped, printingTime > .zero else { return 0 }
        let running = resumedAt.map { now - $0 } ?? .zero
        let share = (printingTime - remainingTime + running) / printingTime
        return Int64(Double(bytes) * min(1, max(0, share)))
    }

    // MARK: The document

    mutating func beginDocument(number: Int, format: String) {
        document = number
        self.format = format
        isReceiving = true
    }

    mutating func received(bytes: Int64) { self.bytes = bytes }

    /// Ends a document that is not the job's last. The next one must arrive before `deadline`.
    mutating func endDocument(nextBefore deadline: Duration) {
        isReceiving = false
        inputDeadline = deadline
    }

    /// Closes the job to further documents. It is then ready to print, or held where the client asked for that.
    mutating func close() {
        isReceiving = false
        inputDeadline = nil
        let isHoldRequested = template.contains { $0.name == "job-hold-until" && $0.string == "indefinite" }
        if isHoldRequested { hold() } else { release() }
    }

    // MARK: The state

    mutating func hold() {
        state = .pendingHeld
        reasons = ["job-hold-until-specified"]
    }

    mutating func release() {
        state = .pending
        reasons = ["none"]
    }

    mutating func beginPrinting(at now: Duration, timePerKilobyte: Duration) {
        printingTime = timePerKilobyte * (Double(bytes) / 1024)
        remainingTime = printingTime
        processingAt = now
        resumePrinting(at: now)
    }

    mutating func pausePrinting(at now: Duration) {
        if let resumedAt { remainingTime -= min(remainingTime, now - resumedAt) }
        resumedAt = nil
        state = .processingStopped
        reasons = ["printer-stopped"]
    }

    mutating func resumePrinting(at now: Duration) {
        resumedAt = now
        state = .processing
        reasons = ["job-printing"]
    }

    /// Moves the job to a final state.
    mutating func finish(_ state: JobState, _ reasons: [String], at now: Duration) {
        resumedAt = nil
        inputDeadline = nil
        isReceiving = false
        completedAt = now
        self.state = state
        self.reasons = reasons
    }
}

/// What a client asks for when it creates a job.
package struct JobRequest: Hashable, Sendable {
    package var name = "Untitled"
    package var user = "anonymous"
    package var format = "application/octet-stream"
    package var template: [IPPAttribute] = []

    package init() {}
}
