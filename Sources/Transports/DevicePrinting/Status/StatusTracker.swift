package import PrintModel

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
    }

    private let settings: DeviceSettings
    private let language: DeviceSettings.Language?
    private var request: Request?

    /// Whether a request is under way.
    package var isRequesting: Bool { request != nil }

    /// A printer in order responds within some milliseconds.
    package static let responseTime = Duration.milliseconds(500)

    package init(_ settings: DeviceSettings, language: DeviceSettings.Language?) {
        self.settings = settings
        self.language = language
    }

    /// Requests the condition in the printer's turn, at the start and after each job. Enables reports on changes, which
    /// `ESC @` in a job may have disabled.
    package mutating func requestInTurn() -> [Action] {
        guard settings.status != .never, request == nil else { return [] }
        switch language {
        case nil: return []
        case .starLine?: return send(.star, Self.enableStarStatus)
        case .escPOS?: return send(.inTurn, EscPosCommand.enableAutomaticStatus)
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
        }
    }

    private mutating func send(_ request: EscPosRealTimeRequest) -> [Action] {
        send(.realTime(request), request.command)
    }

    private mutating func send(_ request: Request, _ command: [UInt8]) -> [Action] {
        self.request = request
        return [.send(command), .wait(Self.responseTime)]
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
        // A response to no request of ours: a picture contained the request's bytes.
        default: return []
        }
    }

    package mutating func received(_ status: StarStatus) -> [Action] {
        request = nil
        star = status
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
        if case .inTurn = sent { return send(.printer) }
        return [.unresponsive]
    }

    private mutating func apply(_ report: DeviceCondition) -> [Action] {
        let before = condition
        condition.merge(report)
        return condition == before ? [] : [.changed(condition)]
    }
}
