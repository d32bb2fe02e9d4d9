import KioskAsyncPrimitives
package import KioskPrintModel

/// The effects of earlier jobs on the next one: how the printer confirms jobs, which responses may still arrive, and
/// how much paper it may still have to move.
struct JobHistory: Sendable {
    /// How the printer has confirmed jobs so far.
    var memory: CompletionMemory
    /// The most paper that the printer may still have to move for unconfirmed jobs, when the last of them ended.
    private(set) var unconfirmedPaper: PrintTimeEstimate.Millimetres = 0
    /// When a job last ended or the printer last sent something.
    private var silentSince: ElapsedClock.Instant?
    /// Since when no earlier request has been responded to; nil where the last job was not confirmed.
    private var confirmedSince: ElapsedClock.Instant?
    private let settings: DeviceSettings

    init(_ memory: CompletionMemory, settings: DeviceSettings) {
        self.memory = memory
        self.settings = settings
    }

    /// Notes that the printer sent something, or that a job or a recovery ended.
    mutating func active(at now: ElapsedClock.Instant) { silentSince = now }

    /// Notes a new condition: a printer that was stopped continues from here.
    mutating func conditionChanged(at now: ElapsedClock.Instant) {
        silentSince = now
        if confirmedSince != nil { confirmedSince = now }
    }

    /// Handles a response between jobs.
    mutating func received(_ reply: DeviceReply, at now: ElapsedClock.Instant) {
        let before = memory.outstanding
        switch reply {
        case .escPos(let reply): memory.received(reply)
        case .star(let status): memory.received(status)
        // They say for themselves what they are about.
        case .zebra, .pjl: break
        }
        if memory.outstanding != before, confirmedSince != nil { confirmedSince = now }
    }

    /// Notes that the printer has discarded everything that it held.
    mutating func cleared() {
        memory.clearOutstanding()
        unconfirmedPaper = 0
    }

    /// Forgets responses that can no longer arrive, before the next job.
    mutating func expireResponses(reportsAutomatically: Bool, at now: ElapsedClock.Instant) {
        // The printer has had the time to respond to everything.
        if let silentSince, reportsAutomatically,
            silentSince.advanced(by: PrintTimeEstimate(settings).maximumSilence(holding: .max)) <= now
        {
            memory.clearOutstanding()
        }
        // Responses arrive in order: one that precedes a response, and did not follow it soon, never arrives.
        if let confirmedSince, confirmedSince.advanced(by: Self.maximumEchoTime) <= now { memory.clearOutstanding() }
    }

    /// The time in which one response follows another.
    private static let maximumEchoTime = Duration.seconds(5)

    /// The estimate for a job that starts now, which includes the unconfirmed paper of earlier jobs.
    mutating func estimate(at now: ElapsedClock.Instant) -> PrintTimeEstimate {
        var estimate = PrintTimeEstimate(settings)
        if let silentSince {
            unconfirmedPaper = estimate.remaining(of: unconfirmedPaper, after: silentSince.duration(to: now))
        }
        estimate.before = unconfirmedPaper
        return estimate
    }

    /// Records how a job ended. The caller then calls `active`.
    mutating func ended(
        _ job: RunningJob?, _ end: RunningJob.End?, start: ElapsedClock.Instant, isStopped: Bool,
        at now: ElapsedClock.Instant
    ) {
        if case .settled(let evidence)? = end, evidence > .sent {
            (unconfirmedPaper, confirmedSince) = (0, now)
            return
        }
        confirmedSince = nil
        guard let job, job.maximumAccepted > 0 else { return }
        let movingSince = isStopped ? now : max(start, silentSince ?? start)
        unconfirmedPaper = PrintTimeEstimate(settings).remaining(
            of: job.deadline.maximumPaper, after: movingSince.duration(to: now))
    }
}

/// How one printer has confirmed jobs so far: the methods (`GS ( H`, `GS r`, Star's `ETB`) that it has responded to,
/// and the responses that may still arrive. The caller keeps it as long as it knows the printer.
package struct CompletionMemory: Hashable, Sendable {
    /// The strongest method that the profile allows.
    package let strongest: DeviceSettings.Completion
    private var proven: Set<DeviceSettings.Completion> = []
    private var withoutResponse: Set<DeviceSettings.Completion> = []
    private var nextNumber: UInt32
    /// The most responses to `GS r` that may still arrive, or ETB that may still be counted. Negative while a document
    /// is sent that has caused responses that were not yet added.
    private(set) var outstanding = 0
    /// The bytes that the printer took since the last request, at most as many as a printer can hold.
    private var acceptedSinceRequest = 0
    /// Whether a ZPL printer has no odometer.
    var hasNoLabelCount = false
    /// Star's last reported ETB counter.
    private var etbCount: UInt8?

    /// The seed determines the first id. Let it be random, so that the response to a job of an earlier run is not taken
    /// for the response to a new job.
    ///
    /// `former` is the memory of the same printer, possibly under other settings.
    package init(
        _ settings: DeviceSettings, language: DeviceSettings.Language?, seed: UInt32, former: CompletionMemory? = nil
    ) {
        strongest = Self.strongest(settings, language)
        nextNumber = seed % Self.idCount
        guard let former else { return }
        (proven, withoutResponse, outstanding) = (former.proven, former.withoutResponse, former.outstanding)
        acceptedSinceRequest = former.acceptedSinceRequest
        hasNoLabelCount = former.hasNoLabelCount
    }

    /// Limits the method to those of the language. Every ESC/POS printer responds to `GS r`; a clone that does not know
    /// `GS ( H` may print it, so the profile must name that one.
    private static func strongest(
        _ settings: DeviceSettings, _ language: DeviceSettings.Language?
    ) -> DeviceSettings.Completion {
        switch (language, settings.completion) {
        case (nil, _), (_, DeviceSettings.Completion.none?): .none
        case (.escPOS?, .processID?): .processID
        case (.escPOS?, _): .statusRequest
        case (.starLine?, _): .etb
        // Their confirmation lies in their status.
        case (.zpl?, _): settings.status == .never ? .none : .hostStatus
        case (.pjl?, _): settings.status == .never ? .none : .jobStatus
        }
    }

    /// The method for the next job: the strongest that the printer has not left without a response.
    package var method: DeviceSettings.Completion {
        var method = strongest
        while withoutResponse.contains(method) { method = method.nextWeaker }
        return method
    }

    /// Whether the printer reports how many ETB it has executed.
    var countsETB: Bool { etbCount != nil }

    package func isProven(_ method: DeviceSettings.Completion) -> Bool { proven.contains(method) }

    /// Forgets outstanding responses: the printer was cleared and will not respond to earlier requests.
    package mutating func clearOutstanding() { outstanding = 0 }

    /// Notes bytes that the printer took with no request among them. Where it took more than it can hold, it has
    /// responded to every earlier request, or never will: without this, a printer that was often unplugged amid its
    /// requests would be asked for nothing any more.
    package mutating func noteAccepted(_ count: Int) {
        acceptedSinceRequest = min(acceptedSinceRequest + max(0, count), PrintTimeEstimate.maximumBuffer)
        if acceptedSinceRequest == PrintTimeEstimate.maximumBuffer { clearOutstanding() }
    }

    /// Adds status requests that were sent.
    mutating func sent(requests: Int) {
        if requests > 0 { acceptedSinceRequest = 0 }
        // Numbers this large can never be told apart.
        let sum = outstanding.addingReportingOverflow(max(0, requests))
        outstanding = max(0, sum.overflow ? .max / 2 : min(sum.partialValue, .max / 2))
    }

    /// Removes requests that the printer did not take and so will not respond to.
    mutating func retract(to outstanding: Int) { self.outstanding = min(self.outstanding, outstanding) }

    /// Handles a reply between jobs: a response to an abandoned job, or to a request in its document.
    mutating func received(_ reply: EscPosReply) {
        if case .status = reply { outstanding = max(0, outstanding - 1) }
    }

    /// Handles a status between jobs. Star's counter says how many ETB, of any job, were executed since the last
    /// status.
    package mutating func received(_ status: StarStatus) {
        count(status)
        outstanding = max(0, outstanding)
    }

    /// Handles a status within a job; returns how many ETB were executed.
    @discardableResult
    mutating func count(_ status: StarStatus) -> Int {
        guard let count = status.etbCount else { return 0 }
        defer { etbCount = count }
        guard let seen = etbCount else { return 0 }
        let executed = Int((count &+ StarStatus.etbCounts &- seen) % StarStatus.etbCounts)
        outstanding -= executed
        return executed
    }

    /// Handles a response within a job.
    mutating func receivedResponse() { outstanding -= 1 }

    /// Records that the printer has used a method; it is used again even if it was unanswered before.
    mutating func confirmed(_ method: DeviceSettings.Completion) {
        proven.insert(method)
        withoutResponse.remove(method)
    }

    /// Records that the printer did not respond to a method that it has never responded to.
    mutating func noteNoResponse(to method: DeviceSettings.Completion) {
        guard !proven.contains(method) else { return }
        withoutResponse.insert(method)
    }

    /// Notes that the printer was unplugged, switched off or released. One that has left every method unanswered gets
    /// one more try when it is back: it may not have been ready for the first. The weakest method is tried, so that a
    /// printer that never responds costs one wait for each connection and no more.
    package mutating func allowAnotherTry() {
        guard method == .none else { return }
        var weakest = strongest
        while weakest.nextWeaker != .none { weakest = weakest.nextWeaker }
        withoutResponse.remove(weakest)
    }

    /// The next id: four digits and capital letters, counting up.
    mutating func nextID() -> String {
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        var (number, id) = (nextNumber, [UInt8](repeating: 0, count: 4))
        for index in id.indices.reversed() {
            id[index] = digits[Int(number % 36)]
            number /= 36
        }
        nextNumber = (nextNumber + 1) % Self.idCount
        return String(decoding: id, as: UTF8.self)
    }

    private static let idCount: UInt32 = 36 * 36 * 36 * 36
}

extension DeviceSettings.Completion {
    var nextWeaker: DeviceSettings.Completion {
        switch self {
        case .processID: .statusRequest
        case .statusRequest, .etb, .hostStatus, .jobStatus, .none: .none
        }
    }
}
