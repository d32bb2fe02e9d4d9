package import IPPCodec
package import PrintModel

/// A job in the simulated printer's memory. Times are counted from the simulation's start.
package struct SimulatedJob: Hashable, Sendable {
    package let id: Int32
    package var name: String
    package var user: String
    /// As the client announced it.
    package var format: String
    package internal(set) var state: JobState
    package internal(set) var reasons: [String]
    /// Document bytes received so far.
    package internal(set) var bytes: Int64 = 0
    /// Numbers documents through the whole simulation, across losses of power; nil until its document comes.
    package internal(set) var document: Int?
    package internal(set) var createdAt: Duration
    package internal(set) var processingAt: Duration?
    package internal(set) var completedAt: Duration?
    /// What the client asked for in the job-attributes group, as far as it is supported.
    var template: [IPPAttribute]
    /// Nil once the job is closed to further documents; the time after which it is given up
    /// (`multiple-operation-time-out`).
    var incomingUntil: Duration?
    /// A document is arriving at this moment.
    var isReceiving = false
    /// What is left of printing it; counts only while `resumedAt` is set.
    var remaining: Duration = .zero
    var total: Duration = .zero
    var resumedAt: Duration?

    init(id: Int32, request: JobRequest, now: Duration) {
        self.id = id
        name = request.name
        user = request.user
        format = request.format
        template = request.template
        state = .pendingHeld
        reasons = ["job-incoming"]
        createdAt = now
        incomingUntil = now + PrinterModel.multipleOperationTimeOut
    }

    var isComplete: Bool { incomingUntil == nil }

    /// Whether the client wants it to wait until it is released.
    var isToBeHeld: Bool { template.contains { $0.name == "job-hold-until" && $0.string == "indefinite" } }
}

/// What a client asks for when it creates a job.
package struct JobRequest: Hashable, Sendable {
    package var name = "Untitled"
    package var user = "anonymous"
    package var format = "application/octet-stream"
    package var template: [IPPAttribute] = []

    package init() {}
}
