package import PrintModel

/// Keeps what is known of one printer's state: asks where that is allowed, and listens always. Does no I/O and knows no
/// time; one question is under way at most.
///
/// Asking in the printer's turn (`GS a`) is harmless between commands only, and answered when all before it is done.
/// Asking in real time (`DLE EOT`, Star's `ESC ACK SOH`) is answered at once, also by a printer that is offline; but in
/// the middle of another command the question's bytes would become that command's data (Epson, "Notes of real-time
/// commands"). So neither is sent into a job, but where the profile says that its printer takes them anywhere, and then
/// only when the job does not move on. Behind a job's last byte both are allowed.
package struct StatusWatch: Sendable {
    /// All that the printer has said so far.
    package private(set) var condition = DeviceCondition()
    /// What a Star printer last said; its ETB counter is read from it.
    package private(set) var star: StarStatus?

    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// For an answer, at most so long; then `waitedInVain`.
        case wait(Duration)
        /// The printer's state is another than before.
        case changed(DeviceCondition)
        /// It leaves questions unanswered.
        case silent
    }

    private enum Question: Sendable {
        case inTurn
        case realTime(EscPosInquiry)
        case star
    }

    private let settings: DeviceSettings
    private let language: DeviceSettings.Language?
    private var question: Question?

    /// Whether a question is under way.
    package var isAsking: Bool { question != nil }

    /// A printer in order answers within some milliseconds.
    package static let answerTime = Duration.milliseconds(500)

    package init(_ settings: DeviceSettings, language: DeviceSettings.Language?) {
        self.settings = settings
        self.language = language
    }

    /// At the beginning and after each job: turns reports on changes on, which `ESC @` in a job may have turned off,
    /// and so gets the state as it is now.
    package mutating func askInTurn() -> [Action] {
        guard settings.status != .never, question == nil else { return [] }
        switch language {
        case nil: return []
        case .starLine?: return ask(.star, Self.enablingStar)
        case .escPOS?: return ask(.inTurn, EscPosCommand.enableAutomaticStatus)
        }
    }

    /// The first is answered at once, also by a printer that is offline.
    private static let enablingStar = StarCommand.requestStatus + StarCommand.enableAutomaticStatus

    /// Whether something that was to be sent would have been carried out in its turn.
    package static func isInTurn(_ question: [UInt8]) -> Bool {
        question == EscPosCommand.enableAutomaticStatus || question == enablingStar
    }

    /// In real time. `insideJob` says that a job has begun whose last byte has not been sent yet.
    package mutating func askNow(insideJob: Bool) -> [Action] {
        guard settings.status == .realTime || settings.status == .betweenJobs && !insideJob, question == nil else {
            return []
        }
        switch language {
        case nil: return []
        case .starLine?: return ask(.star, StarCommand.requestStatus)
        case .escPOS?: return ask(.printer)
        }
    }

    private mutating func ask(_ inquiry: EscPosInquiry) -> [Action] { ask(.realTime(inquiry), inquiry.command) }

    private mutating func ask(_ question: Question, _ command: [UInt8]) -> [Action] {
        self.question = question
        return [.send(command), .wait(Self.answerTime)]
    }

    package mutating func received(_ reply: EscPosReply) -> [Action] {
        switch (reply, question) {
        case (.automaticStatus(let status), let question):
            if case .inTurn? = question { self.question = nil }
            return learn(status.condition)
        case (.realTimeStatus(let answer), .realTime(let inquiry)?):
            guard let report = inquiry.condition(answer) else { return [] }
            question = nil
            let news = learn(report)
            return news + (EscPosInquiry(rawValue: inquiry.rawValue + 1).map { ask($0) } ?? [])
        // An answer that nobody asked for: a picture that held the question's bytes.
        default: return []
        }
    }

    package mutating func received(_ status: StarStatus) -> [Action] {
        question = nil
        star = status
        return learn(status.condition)
    }

    /// The question did not go out.
    package mutating func abandon() { question = nil }

    /// What the pipe's own status says, where the printer says nothing.
    package mutating func received(_ port: PortStatus) -> [Action] { learn(port.condition) }

    /// A printer that is offline carries nothing out in its turn, so it is asked in real time.
    package mutating func waitedInVain() -> [Action] {
        guard let asked = question else { return [] }
        question = nil
        if case .inTurn = asked { return ask(.printer) }
        return [.silent]
    }

    private mutating func learn(_ report: DeviceCondition) -> [Action] {
        let before = condition
        condition.merge(report)
        return condition == before ? [] : [.changed(condition)]
    }
}
