package import PrintModel

/// One printer, spoken to over its pipe: listened to all the time, asked how it is between jobs, given jobs one after
/// the other, and brought back to a clean start after one that broke off. Knows no USB and no network.
///
/// Idle it only listens. Printers that report by themselves are never polled; others are asked when somebody wants to
/// know (`condition`) and at the boundaries of jobs.
package actor DeviceConversation {
    package enum News: Hashable, Sendable {
        case changed(DeviceCondition)
        /// The pipe has broken; it takes a new one, and a new conversation.
        case ended
    }

    /// What an earlier job has left to be done before the next.
    package enum Debt: Hashable, Sendable {
        case none
        /// The pipe has to be made usable again; the printer took nothing.
        case restoring
        /// It broke off somewhere. `missing`: bytes that it has not got.
        case resynchronising(missing: Int)

        /// What is owed never gets less until it is paid.
        package mutating func grow(to other: Debt) {
            switch (self, other) {
            case (.resynchronising(let known), .resynchronising(let more)):
                self = .resynchronising(missing: max(known, more))
            case (.none, _), (.restoring, .resynchronising): self = other
            case (.restoring, _), (.resynchronising, _): break
            }
        }
    }

    package nonisolated let settings: DeviceSettings
    /// Nil where nobody knows in what to speak to it.
    package nonisolated let language: DeviceSettings.Language?
    /// What its labels are written in.
    let labels: LabelLanguage?
    let pipe: any DevicePipe
    let clock: ElapsedClock
    let wakeup = Wakeup()
    /// Held by whoever sends: a question, a job, what makes it clean again.
    let lane = Lane()
    private let report: @Sendable (News) -> Void

    var watch: StatusWatch
    /// What it has shown of how it confirms jobs.
    package internal(set) var memory: CompletionMemory
    var debt: Debt
    /// Whether reports on changes have to be asked for, as after each job.
    var isAskingDue = true
    /// It left a question unanswered, and is not asked again before it has said something.
    var isSilent = false
    /// It has told how it is, itself; else only its port can.
    var hasSpoken = false
    /// It was seen to say by itself how it is.
    var reportsByItself = false
    /// It was asked in its turn, and has not answered yet.
    var isReportAwaited = false
    /// The question to be sent next, and until when an answer is waited for.
    var question: [UInt8]?
    var answerDeadline: ElapsedClock.Instant?
    var job: RunningJob?
    var jobProgress: (@Sendable (RunningJob.Event) -> Void)?
    var resynchroniser: Resynchroniser?
    var recoverySteps: [Resynchroniser.Action] = []
    /// Whether what recovers it has been sent; nil while it is on its way.
    var recoverySent: Bool?
    /// When a job ended or the printer said something last.
    var quietSince: ElapsedClock.Instant?
    /// Since when nothing has come of what it was asked before; nil where the last job was not confirmed.
    var answeredSince: ElapsedClock.Instant?
    /// Questions that the pipe has not taken yet, in a job.
    var questionsUnderWay = 0
    /// What it may still have to print of jobs that it has not confirmed, when the last of them ended.
    var unconfirmed: PrintPace.Millimetres = 0
    /// The pipe will never work again.
    package internal(set) var isOver = false
    /// It ended so that another may begin over a new pipe: what it took on last is to be tried again there.
    package private(set) var isRetired = false

    var escPosReplies = EscPosReplyParser()
    var starReplies = StarStatusParser()
    private var listening: Task<Void, Never>?
    var upkeep: Task<Void, Never>?
    var awaitingUpkeep: [Wakeup] = []

    /// `language` is what the device id says, where the settings do not name one. `debt` is what was left by a
    /// conversation that ended before it could pay, `former` what that one has learnt.
    package init(
        _ pipe: any DevicePipe, settings: DeviceSettings, language: DeviceSettings.Language?,
        labels: LabelLanguage? = nil,
        debt: Debt = .none, former: CompletionMemory? = nil, seed: UInt32 = .random(in: 0...UInt32.max),
        clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @Sendable (News) -> Void
    ) {
        self.pipe = pipe
        self.settings = settings
        self.language = settings.language ?? language
        self.labels = labels
        self.debt = debt
        self.clock = ElapsedClock(clock)
        self.report = report
        watch = StatusWatch(settings, language: self.language)
        // What cannot answer confirms nothing.
        memory = CompletionMemory(
            settings, language: pipe.hasBackChannel ? self.language : nil, seed: seed, former: former)
    }

    /// Begins to listen, and asks how it is.
    package func begin() {
        guard listening == nil, !isOver else { return }
        let answers = pipe.answers()
        listening = Task { [weak self, hasBackChannel = pipe.hasBackChannel] in
            for await bytes in answers { await self?.received(bytes) }
            if hasBackChannel { await self?.end() }
        }
        keepUp()
    }

    /// Stops all; the pipe is the caller's to close. `isNews` says that it was the pipe's doing.
    package func end(isNews: Bool = true) {
        guard !isOver else { return }
        isOver = true
        listening?.cancel()
        upkeep?.cancel()
        wakeup.signal()
        if isNews { report(.ended) }
    }

    /// Ends it, unless it sends anything just now or is about to. What comes later finds that it is over, and takes
    /// nothing.
    package func retire() -> Bool {
        guard !lane.isTaken else { return false }
        isRetired = true
        end(isNews: false)
        return true
    }

    /// Whether it sends anything just now.
    package nonisolated var isBusy: Bool { lane.isTaken }

    /// What the next conversation with this printer has to begin with, once the last job has ended.
    package func remainingDebt() async -> Debt {
        if await lane.enter() { lane.leave() }
        return debt
    }

    /// Says that a job of an earlier run may have broken off in the printer. False when it has ended, and can pay
    /// nothing.
    package func owe(_ missing: Int) -> Bool {
        guard !isOver else { return false }
        debt.grow(to: .resynchronising(missing: missing))
        keepUp()
        return true
    }

    func publish(_ condition: DeviceCondition) { report(.changed(condition)) }
}
