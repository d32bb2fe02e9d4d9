import IPPCodec
import Logging
import NIOCore
import PrintModel

/// Hears a printer's events for one job that is being followed, on a connection of its own.
///
/// One listener at a time serves a printer: who comes second polls, and listens when the first is done. It gives its
/// connection up as soon as two others are in use, so that a printer never has three.
final class NoticeListener {
    private let client: IPPClient
    private let side: PrinterLink
    private let deadlines: IPPTransport.Deadlines
    private var watch: NoticeWatch

    /// How long one wait may last: short until the printer has shown that its events can be trusted, since a job's end
    /// that it fails to tell is learnt only afterwards.
    private static let firstWait = Duration.seconds(10)
    private static let longestWait = Duration.seconds(60)
    /// Fetches of events about other jobs, before the job is asked about nevertheless.
    private static let mostFetches = 20

    /// Nil where the printer offers no events, has no connection to spare for them, or somebody listens already.
    init?(_ client: IPPClient, deadlines: IPPTransport.Deadlines) {
        guard client.link.hasRoomBeside, let watch = client.knowledge.takeNoticeWatch() else { return nil }
        self.client = client
        self.deadlines = deadlines
        self.watch = watch
        side = client.link.makeSideLink()
    }

    /// To be called at the end: another may listen then.
    func end() {
        client.link.whenCrowded(nil)
        client.knowledge.giveBack(watch)
        side.close()
    }

    /// What came of listening.
    enum Hearing: Equatable {
        /// The printer said that something happened to the job.
        case event
        /// It said nothing for as long as a wait lasts.
        case silence
        /// Something may have happened unheard.
        case perhaps
        /// It cannot be listened to now, or at all.
        case deaf
    }

    /// Listens until the job is worth a question.
    func hear(of job: RemoteJob, _ request: (IPPOperation) -> IPPRequest) async -> Hearing {
        guard let jobID = job.ippJobID, client.link.whenCrowded({ [side] in side.dropAll() }) else { return .deaf }
        defer { client.link.whenCrowded(nil) }
        let began = Self.now
        for _ in 0..<Self.mostFetches where !Task.isCancelled {
            let step = watch.step(for: jobID, now: Self.now)
            guard step != .poll else { return .deaf }
            let outcome = await take(step, jobID, request)
            // Who went away may come back with the number given to somebody else.
            client.knowledge.subscription = outcome.isAway ? nil : watch.subscription
            switch outcome {
            case .heard(.event): return .event
            case .heard(.perhaps): return .perhaps
            case .heard(.useless(let why)):
                client.logger.debug("jobs are followed by asking: \(why)", metadata: ["printer": "\(client.printer)"])
                return .deaf
            case .heard(.nothing): if Self.now - began >= wait { return .silence }
            case .waitedInVain: return .silence
            case .notNow, .away: return .deaf
            }
        }
        return .deaf
    }

    /// The job has changed since the question before.
    func jobChanged(after hearing: Hearing) {
        switch hearing {
        case .event: watch.eventWasTrue()
        case .silence: watch.wasSilent()
        case .perhaps, .deaf: break
        }
    }

    /// What one step brought.
    private enum Outcome {
        case heard(NoticeWatch.Heard)
        case waitedInVain
        case notNow
        /// The printer cannot be reached.
        case away

        var isAway: Bool { if case .away = self { true } else { false } }
    }

    private var wait: Duration { watch.isProven ? Self.longestWait : Self.firstWait }

    private func take(
        _ step: NoticeWatch.Step, _ jobID: Int32, _ request: (IPPOperation) -> IPPRequest
    ) async -> Outcome {
        var question = step.question(request)
        question.patience = deadlines.forQuestion
        let asked = Self.now
        if case .fetch = step {
            question.patience.answer = TimeAmount(wait)
            question.patience.total = TimeAmount(wait)
        }
        let asking = IPPClient(link: side, deadlines: deadlines, logger: client.logger)
        do throws(TransportError) {
            let answer = try await asking.ask(question).message
            switch step {
            case .subscribe(let jobID): return .heard(watch.subscribed(answer, jobID: jobID, now: Self.now))
            case .renew: return .heard(watch.renewed(answer, now: Self.now))
            case .fetch: return .heard(watch.fetched(answer, about: jobID, after: Self.now - asked))
            case .poll: return .heard(.perhaps)
            }
        } catch {
            return unanswered(step, error)
        }
    }

    private func unanswered(_ step: NoticeWatch.Step, _ error: TransportError) -> Outcome {
        switch (step, error.code) {
        case (.fetch, .timedOut): .waitedInVain
        // Others need the connection, or the printer is away: no fault of its events.
        case (_, .cancelled), (_, .timedOut), (_, .printerBusy): .notNow
        case (_, .connectionLost), (_, .connectionRefused), (_, .hostNotFound): .away
        // RFC 3996 §5.2 lets a printer answer in parts, as HTTP's multipart/related, one for each event.
        case (_, .protocolViolation): .heard(watch.giveUp("its answer cannot be read (\(error.message))"))
        default: .heard(watch.failed(error.message))
        }
    }

    /// In which the ends of leases are counted.
    static var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }
}

extension NoticeWatch.Step {
    /// What to ask the printer.
    fileprivate func question(_ request: (IPPOperation) -> IPPRequest) -> IPPRequest {
        switch self {
        case .subscribe(let jobID):
            var question = request(jobID == nil ? .createPrinterSubscriptions : .createJobSubscriptions)
            question.subscriptionAttributes = Self.wanted
            if let jobID {
                question.operationAttributes = [IPPAttribute("notify-job-id", .integer(jobID))]
            } else {
                // A job's subscription lasts as long as the job (RFC 3995 §5.3.8).
                question.subscriptionAttributes.append(
                    IPPAttribute("notify-lease-duration", .integer(Subscription.lease)))
            }
            return question
        case .renew(let id):
            var question = request(.renewSubscription)
            question.operationAttributes = [IPPAttribute("notify-subscription-id", .integer(id))]
            question.subscriptionAttributes = [IPPAttribute("notify-lease-duration", .integer(Subscription.lease))]
            return question
        case .fetch(let subscription):
            var question = request(.getNotifications)
            question.operationAttributes = [
                IPPAttribute("notify-subscription-ids", .integer(subscription.id)),
                IPPAttribute("notify-sequence-numbers", .integer(subscription.nextEvent)),
                IPPAttribute("notify-wait", .boolean(true)),
            ]
            return question
        case .poll: return request(.getJobAttributes)
        }
    }

    private static let wanted = [
        IPPAttribute("notify-pull-method", keyword: "ippget"),
        IPPAttribute("notify-events", keywords: ["job-state-changed", "job-completed", "printer-state-changed"]),
    ]
}
