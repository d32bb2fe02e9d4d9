import KioskAsyncPrimitives
package import KioskPrintModel

/// Monitors a printer's condition for a conversation: which status request is due, to be sent, or overdue, and how the
/// printer has reported so far. Does no I/O; times are handed in.
///
/// The methods that return a condition return it where it has changed.
struct StatusMonitor: Sendable {
    /// Whether to request the status, which also enables reports on changes. Due after each job.
    private(set) var isRequestDue = true
    /// Whether the printer has reported its condition; otherwise only its port can.
    private(set) var hasReported = false
    /// Whether the printer was seen to report its condition automatically.
    private(set) var reportsAutomatically = false
    /// Until when a response is awaited.
    private(set) var responseDeadline: ElapsedClock.Instant?

    private var tracker: StatusTracker
    /// Whether the printer left a request without a response. It is not asked again before it has sent something.
    private var isUnresponsive = false
    /// Whether a report that was requested in the printer's turn is still to arrive.
    private var isReportAwaited = false
    /// The request to send next.
    private var unsentRequest: [UInt8]?

    init(_ settings: DeviceSettings, language: DeviceSettings.Language?, hasNoLabelCount: Bool = false) {
        tracker = StatusTracker(settings, language: language, hasNoLabelCount: hasNoLabelCount)
    }

    var condition: DeviceCondition { tracker.condition }
    /// The last status of a Star printer.
    var star: StarStatus? { tracker.star }
    /// The last odometer of a ZPL printer.
    var labelCount: Int? { tracker.labelCount }
    /// Whether a request is under way.
    var isRequesting: Bool { tracker.isRequesting }
    /// Whether a request is still to be sent.
    var hasUnsentRequest: Bool { unsentRequest != nil }

    /// Whether the condition is known without a request. A stopped printer is always asked again, even if it reports
    /// automatically: one lost report must not stop it for ever.
    var isKnownToBeReady: Bool { reportsAutomatically && !condition.isStopped }

    /// Whether a request can help. One that left a request without a response is not asked again, except that a printer
    /// that has reported a stop would otherwise stay stopped for ever.
    var isWorthRequesting: Bool { !isUnresponsive || condition.isStopped }

    /// Whether the printer is stopped and would also report the end of that, automatically or by its port.
    var isStoppedForSure: Bool { condition.isReportedStopped && (reportsAutomatically || !hasReported) }

    /// Whether a ZPL printer's odometer is awaited.
    var awaitsLabelCount: Bool { tracker.awaitsLabelCount }
    /// Whether a ZPL printer has no odometer.
    var hasNoLabelCount: Bool { tracker.hasNoLabelCount }

    func isResponseOverdue(at now: ElapsedClock.Instant) -> Bool { responseDeadline.map { $0 <= now } ?? false }

    // MARK: Requests

    mutating func requireRequest() { isRequestDue = true }

    /// Takes over the due request; false where none is due.
    mutating func beginRequest() -> Bool {
        defer { isRequestDue = false }
        return isRequestDue
    }

    /// Requests the status between jobs. An offline printer queues requests that it executes in its turn, and must not
    /// be filled up with them: while one is awaited, the next is made in real time.
    mutating func request(at now: ElapsedClock.Instant) {
        perform(isReportAwaited ? tracker.requestInRealTime(insideJob: false) : tracker.requestInTurn(), at: now)
        isReportAwaited = true
    }

    /// Requests the status in real time, in a job.
    mutating func requestInRealTime(insideJob: Bool, at now: ElapsedClock.Instant) {
        perform(tracker.requestInRealTime(insideJob: insideJob), at: now)
    }

    /// Removes the request that is to be sent next.
    mutating func takeRequest() -> [UInt8]? { unsentRequest.take() }

    /// Handles a request that could not be sent.
    mutating func requestFailed() {
        tracker.abandon()
        isRequestDue = true
    }

    /// Drops a request that was cancelled, so that it is not sent within the next job.
    mutating func cancelRequest() {
        if let unsentRequest, StatusTracker.isInTurn(unsentRequest) { isReportAwaited = false }
        tracker.abandon()
        (unsentRequest, responseDeadline) = (nil, nil)
        isRequestDue = true
    }

    /// Handles a missing response.
    mutating func timedOut(at now: ElapsedClock.Instant) -> DeviceCondition? { perform(tracker.timedOut(), at: now) }

    /// Notes that an awaited report need not arrive any more.
    mutating func forgetAwaitedReport() { isReportAwaited = false }

    // MARK: Reports

    mutating func received(_ reply: DeviceReply, at now: ElapsedClock.Instant) -> DeviceCondition? {
        switch reply {
        case .escPos(let reply): return received(reply, at: now)
        case .star(let status): return received(status, at: now)
        case .zebra(let reply):
            if reply.isStatus { (isUnresponsive, hasReported) = (false, true) }
            return perform(tracker.received(reply), at: now)
        case .pjl(let reply):
            guard case .status(let status) = reply else { return nil }
            (isUnresponsive, hasReported) = (false, true)
            if status.isUnsolicited { reportsAutomatically = true }
            return perform(tracker.received(status), at: now)
        }
    }

    private mutating func received(_ reply: EscPosReply, at now: ElapsedClock.Instant) -> DeviceCondition? {
        isUnresponsive = false
        switch reply {
        case .automaticStatus:
            (hasReported, reportsAutomatically, isReportAwaited) = (true, true, false)
        case .realTimeStatus: hasReported = true
        default: break
        }
        return perform(tracker.received(reply), at: now)
    }

    private mutating func received(_ status: StarStatus, at now: ElapsedClock.Instant) -> DeviceCondition? {
        (isUnresponsive, hasReported) = (false, true)
        if !tracker.isRequesting { (reportsAutomatically, isReportAwaited) = (true, false) }
        return perform(tracker.received(status), at: now)
    }

    mutating func received(_ port: PortStatus, at now: ElapsedClock.Instant) -> DeviceCondition? {
        perform(tracker.received(port), at: now)
    }

    @discardableResult
    private mutating func perform(
        _ actions: [StatusTracker.Action], at now: ElapsedClock.Instant
    ) -> DeviceCondition? {
        var changed: DeviceCondition?
        for action in actions {
            switch action {
            case .send(let bytes): unsentRequest = bytes
            case .wait(let time): responseDeadline = now.advanced(by: time)
            case .changed(let condition): changed = condition
            case .unresponsive: (isUnresponsive, hasReported) = (true, false)
            }
        }
        if !tracker.isRequesting { (unsentRequest, responseDeadline) = (nil, nil) }
        return changed
    }
}

/// Tracks one printer's condition: requests it where that is allowed, and evaluates every report. Does no I/O and knows
/// no time. At most one request is under way.
///
/// A request in the printer's turn (`GS a`) is harmless between commands only; the printer responds when everything
/// before it is done. To a request in real time (`DLE EOT`, Star's `ESC ACK SOH`) it responds at once, even offline;
/// but in the middle of another command the request's bytes would become that command's data (Epson, "Notes of
/// real-time commands"). So neither is sent within a job, unless the profile says that the printer accepts them
/// anywhere, and then only when the job makes no progress. Behind a job's last byte both are allowed.
package struct StatusTracker: Sendable {
    /// All that the printer has reported so far.
    package private(set) var condition = DeviceCondition()
    /// The last status of a Star printer, which contains its ETB counter.
    package private(set) var star: StarStatus?
    /// The last odometer of a ZPL printer; nil where it has none, or was not asked yet.
    package private(set) var labelCount: Int?

    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// Wait for a response, at most this long; then call `timedOut`.
        case wait(Duration)
        /// The printer's condition has changed.
        case changed(DeviceCondition)
        /// The printer does not respond to requests.
        case unresponsive
    }

    private enum Request: Sendable {
        case inTurn
        case realTime(EscPosRealTimeRequest)
        case star
        case zebra
        case labelCount
        case pjl
    }

    private let settings: DeviceSettings
    private let language: DeviceSettings.Language?
    private var request: Request?
    /// Whether a ZPL printer left the request for its odometer without a response.
    private(set) var hasNoLabelCount: Bool
    /// Whether it has ever responded to it.
    private var hasLabelCount = false
    /// Whether a ZPL printer has ever responded to `~HS`.
    private var hasHostStatus = false

    /// Whether a request is under way.
    package var isRequesting: Bool { request != nil }

    var awaitsLabelCount: Bool { if case .labelCount? = request { true } else { false } }

    /// A printer in order responds within some milliseconds.
    package static let responseTime = Duration.milliseconds(500)
    /// Label and office printers may be at a page's picture meanwhile.
    private static let longResponseTime = Duration.seconds(2)

    package init(_ settings: DeviceSettings, language: DeviceSettings.Language?, hasNoLabelCount: Bool = false) {
        self.settings = settings
        self.language = language
        self.hasNoLabelCount = hasNoLabelCount
    }

    /// Requests the condition in the printer's turn, at the start and after each job. Enables reports on changes, which
    /// `ESC @` in a job may have disabled.
    package mutating func requestInTurn() -> [Action] {
        guard settings.status != .never, request == nil else { return [] }
        switch language {
        case nil: return []
        case .starLine?: return send(.star, Self.enableStarStatus)
        case .escPOS?: return send(.inTurn, EscPosCommand.enableAutomaticStatus)
        case .zpl?: return send(.zebra, ZebraCommand.requestStatus)
        case .pjl?: return send(.pjl, PJLCommand.requestStatus)
        }
    }

    /// The printer responds to the first at once, even offline.
    private static let enableStarStatus = StarCommand.requestStatus + StarCommand.enableAutomaticStatus

    /// Whether the printer executes this request in its turn.
    package static func isInTurn(_ request: [UInt8]) -> Bool {
        request == EscPosCommand.enableAutomaticStatus || request == enableStarStatus
    }

    /// Requests the condition in real time. `insideJob` says that a job has started whose last byte was not sent yet.
    package mutating func requestInRealTime(insideJob: Bool) -> [Action] {
        guard settings.status == .realTime || settings.status == .betweenJobs && !insideJob, request == nil else {
            return []
        }
        switch language {
        case nil: return []
        case .starLine?: return send(.star, StarCommand.requestStatus)
        case .escPOS?: return send(.printer)
        // Within a label's picture, or a page, they would be data.
        case .zpl?: return insideJob ? [] : send(.zebra, ZebraCommand.requestStatus)
        case .pjl?: return insideJob ? [] : send(.pjl, PJLCommand.requestStatus)
        }
    }

    private mutating func send(_ request: EscPosRealTimeRequest) -> [Action] {
        send(.realTime(request), request.command)
    }

    private mutating func send(_ request: Request, _ command: [UInt8]) -> [Action] {
        self.request = request
        let time =
            switch request {
            case .inTurn, .realTime, .star: Self.responseTime
            case .zebra, .labelCount, .pjl: Self.longResponseTime
            }
        return [.send(command), .wait(time)]
    }

    package mutating func received(_ reply: EscPosReply) -> [Action] {
        switch (reply, request) {
        case (.automaticStatus(let status), let request):
            if case .inTurn? = request { self.request = nil }
            return apply(status.condition)
        case (.realTimeStatus(let response), .realTime(let subject)?):
            guard let report = subject.condition(response) else { return [] }
            request = nil
            let actions = apply(report)
            return actions + (EscPosRealTimeRequest(rawValue: subject.rawValue + 1).map { send($0) } ?? [])
        // A response to none of our requests: a picture contained the request's bytes.
        default: return []
        }
    }

    package mutating func received(_ status: StarStatus) -> [Action] {
        request = nil
        star = status
        return apply(status.condition)
    }

    /// Handles a ZPL printer's response. The host status ends the request, and errors do, with which there is none; then
    /// the odometer is asked.
    package mutating func received(_ reply: ZebraReply) -> [Action] {
        switch reply {
        case .hostStatus(let status):
            hasHostStatus = true
            let actions = apply(status.condition)
            guard case .zebra? = request else { return actions }
            request = nil
            return actions + (hasNoLabelCount ? [] : send(.labelCount, ZebraCommand.requestLabelCount))
        case .errors(let errors):
            if case .zebra? = request, errors.condition.isStopped { request = nil }
            return apply(errors.condition)
        case .variable(let text):
            guard case .labelCount? = request else { return [] }
            request = nil
            labelCount = ZebraCommand.labelCount(in: text)
            hasLabelCount = labelCount != nil
            return []
        case .garbage: return []
        }
    }

    /// Handles a PJL printer's status, requested or not.
    package mutating func received(_ status: PJLStatus) -> [Action] {
        if case .pjl? = request { request = nil }
        return apply(status.condition)
    }

    /// Forgets the request, which was not sent.
    package mutating func abandon() { request = nil }

    /// Handles the pipe's own status, for a printer that does not report.
    package mutating func received(_ port: PortStatus) -> [Action] { apply(port.condition) }

    /// Handles a missing response. An offline printer executes nothing in its turn, so a request in real time follows.
    package mutating func timedOut() -> [Action] {
        guard let sent = request else { return [] }
        request = nil
        switch sent {
        case .inTurn: return send(.printer)
        case .labelCount:
            // It may come late, and would then be an old one.
            (hasNoLabelCount, labelCount) = (!hasLabelCount, nil)
            return []
        // Some respond to nothing while they cannot print.
        case .zebra where hasHostStatus:
            return [.unresponsive] + apply(DeviceCondition(facts: .silent, known: .silent))
        case .zebra, .realTime, .star, .pjl: return [.unresponsive]
        }
    }

    private mutating func apply(_ report: DeviceCondition) -> [Action] {
        let before = condition
        condition.merge(report)
        return condition == before ? [] : [.changed(condition)]
    }
}
