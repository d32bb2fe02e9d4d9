import IPPCodec
import PrintModel
import Synchronization

/// What was learnt of one printer, by whichever call learnt it last.
final class PrinterKnowledge: Sendable {
    private struct State {
        var manners = Manners()
        /// The version that worked; nil before any did.
        var provenVersion: IPPVersion?
        /// The user's name that the printer took last.
        var provenUser: String?
        var nameRefusal = NameRefusal.none
        var lacksCreateJob = false
        var lacksValidateJob = false
        var refusesCompression = false
        var refusesRollSize = false
        var tolerated: IPPTolerances = []
        var facts: PrinterFacts?
        var requestID: Int32 = 1
        var pace = JobPace()
        /// What its events are good for; nil before anyone wanted to listen.
        var notices: NoticeWatch?
        var isListenedTo = false
        var subscription: Subscription?
        var newestJob: RemoteJob?
    }
    private let state = Mutex(State())

    /// Whether the printer takes no user's name.
    private enum NameRefusal {
        case none
        /// A request went through without it, and the refusal before did not say what it was about.
        case suspected
        case told
    }

    /// The version to speak, and whether the printer has answered well to it before.
    var version: (number: IPPVersion, isProven: Bool) {
        state.withLock { ($0.provenVersion ?? $0.manners.firstVersion, $0.provenVersion != nil) }
    }

    /// What stands in `requesting-user-name`, and whether the printer took that before; nil leaves it out.
    func userName(_ user: String) -> (name: String?, isProven: Bool) {
        state.withLock { state in
            if state.nameRefusal != .none { return (nil, true) }
            let name: String? =
                switch state.manners.userName {
                case .cleaned: user
                case .plain: UserName.plain(user)
                case .omitted: nil
                }
            return (name, name == nil || name == state.provenUser)
        }
    }

    /// The printer did what a request in this form asked for. `isNameRefused`: it had said before that it does not take
    /// the user's name.
    func worked(_ form: RequestForm, isNameRefused: Bool) {
        state.withLock { state in
            state.provenVersion = form.version
            if let name = form.userName {
                state.provenUser = name
            } else if state.manners.userName != .omitted {
                state.nameRefusal = isNameRefused || state.nameRefusal == .told ? .told : .suspected
            }
        }
    }

    /// The next request names the user again, unless the printer has said that it is the name that it does not take:
    /// one job that was refused by chance is no reason to send every other without a name.
    func doubtNameRefusal() {
        state.withLock { if $0.nameRefusal == .suspected { $0.nameRefusal = .none } }
    }

    /// Whether Create-Job is worth asking for where it is advertised.
    var usesCreateJob: Bool { state.withLock { $0.manners.usesCreateJob && !$0.lacksCreateJob } }

    /// The printer advertises Create-Job and Send-Document, and does not have them.
    func createJobFailed() {
        state.withLock { $0.lacksCreateJob = true }
    }

    /// Whether Validate-Job is worth asking for where it is advertised.
    var usesValidateJob: Bool { state.withLock { !$0.lacksValidateJob } }

    /// The printer advertises Validate-Job, and does not answer it.
    func validateJobFailed() {
        state.withLock { $0.lacksValidateJob = true }
    }

    /// Whether to compress documents where the printer lists that.
    var usesCompression: Bool { state.withLock { $0.manners.usesCompression && !$0.refusesCompression } }

    /// The printer lists gzip, and does not take it.
    func compressionFailed() {
        state.withLock { $0.refusesCompression = true }
    }

    /// Whether to ask for the roll's width and the receipt's length where the printer lists them.
    var usesRollSize: Bool { state.withLock { !$0.refusesRollSize } }

    /// The printer lists such sizes, and refused a job for one, or for the cut that goes with it.
    func rollSizeFailed() {
        state.withLock { $0.refusesRollSize = true }
    }

    /// Those of the breaches that the printer had not committed before.
    func tolerated(_ breaches: IPPTolerances) -> IPPTolerances {
        guard !breaches.isEmpty else { return [] }
        return state.withLock { state in
            defer { state.tolerated.formUnion(breaches) }
            return breaches.subtracting(state.tolerated)
        }
    }

    /// How to speak to it: by its saved profile at first, by what it said of itself then.
    var manners: Manners {
        get { state.withLock { $0.manners } }
        set { state.withLock { $0.manners = newValue } }
    }

    /// What it said of itself; nil before the first contact and after a refusal that made it doubtful.
    var facts: PrinterFacts? {
        get { state.withLock { $0.facts } }
        set { state.withLock { $0.facts = newValue } }
    }

    /// RFC 8010 §3.1.2: 1 to 2³¹ − 1. Never 1, which is what printers answer that do not look at it.
    func nextRequestID() -> Int32 {
        state.withLock { state in
            state.requestID = state.requestID == .max ? 2 : state.requestID + 1
            return state.requestID
        }
    }

    /// The printer took this job just now.
    func accepted(_ job: RemoteJob?) {
        state.withLock { $0.newestJob = job }
    }

    /// How long to leave a job alone before the first question: nothing, unless it is the newest and not yet asked
    /// about.
    func firstPause(of job: RemoteJob) -> Duration {
        state.withLock { state in
            guard state.newestJob == job else { return .zero }
            state.newestJob = nil
            return state.pace.firstPause
        }
    }

    func jobEnded(after duration: Duration) {
        state.withLock { $0.pace.jobEnded(after: duration) }
    }

    /// What its events are good for, for one listener at a time; nil where it offers none or somebody listens already.
    func takeNoticeWatch() -> NoticeWatch? {
        state.withLock { state in
            guard let facts = state.facts, facts.offersNotifications, state.manners.usesNotifications,
                !state.isListenedTo
            else { return nil }
            state.isListenedTo = true
            return state.notices ?? NoticeWatch(isForPrinter: facts.supports(.createPrinterSubscriptions))
        }
    }

    func giveBack(_ notices: NoticeWatch) {
        state.withLock { state in
            state.notices = notices
            state.isListenedTo = false
        }
    }

    /// The subscription that the printer keeps for us, to be cancelled at the end.
    var subscription: Subscription? {
        get { state.withLock { $0.subscription } }
        set { state.withLock { $0.subscription = newValue } }
    }
}
