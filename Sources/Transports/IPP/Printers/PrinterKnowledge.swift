import IPPCodec
import PrintModel
import Synchronization

/// What was learned about one printer, by whichever call learned it last.
final class PrinterKnowledge: Sendable {
    private struct State {
        var quirks = IPPQuirks()
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
        var capabilities: PrinterCapabilities?
        var requestID: Int32 = 1
        var jobDuration = JobDurationEstimate()
        /// The state of its notifications as the last listener left it; nil before anyone listened.
        var notifications: NotificationState?
        var hasListener = false
        var subscription: Subscription?
        var newestJob: RemoteJob?
    }
    private let state = Mutex(State())

    /// Whether the printer refuses every user's name.
    private enum NameRefusal {
        case none
        /// A request succeeded without the name, and the refusal before did not say what it was about.
        case suspected
        /// The printer said that it does not support the name.
        case confirmed
    }

    /// How to put requests to it: by its saved profile at first, and then by what it said of itself.
    var quirks: IPPQuirks {
        get { state.withLock { $0.quirks } }
        set { state.withLock { $0.quirks = newValue } }
    }

    /// What it said of itself; nil before the first contact and after a refusal that made it doubtful.
    var capabilities: PrinterCapabilities? {
        get { state.withLock { $0.capabilities } }
        set { state.withLock { $0.capabilities = newValue } }
    }

    // MARK: Requests

    /// The version to use, and whether it is proven to work.
    var version: (number: IPPVersion, isProven: Bool) {
        state.withLock { ($0.provenVersion ?? $0.quirks.firstVersion, $0.provenVersion != nil) }
    }

    /// The `requesting-user-name`, and whether the printer took it before; a nil name leaves it out.
    func userName(_ user: String) -> (name: String?, isProven: Bool) {
        state.withLock { state in
            if state.nameRefusal != .none { return (nil, true) }
            let name: String? =
                switch state.quirks.userName {
                case .cleaned: user
                case .plain: UserName.plain(user)
                case .omitted: nil
                }
            return (name, name == nil || name == state.provenUser)
        }
    }

    /// Notes that the printer performed a request in this variant. `isNameRefused`: it had said before that it does not
    /// support the user's name.
    func worked(_ variant: RequestVariant, isNameRefused: Bool) {
        state.withLock { state in
            state.provenVersion = variant.version
            if let name = variant.userName {
                state.provenUser = name
            } else if state.quirks.userName != .omitted {
                state.nameRefusal = isNameRefused || state.nameRefusal == .confirmed ? .confirmed : .suspected
            }
        }
    }

    /// Makes the next request name the user again, unless the printer has said that it does not support the name: one
    /// job refused by chance is no reason to leave the name out of all others.
    func doubtNameRefusal() {
        state.withLock { if $0.nameRefusal == .suspected { $0.nameRefusal = .none } }
    }

    /// The next `request-id`. RFC 8010 §3.1.2: 1 to 2³¹ − 1. Never 1, which printers that ignore the id answer with.
    func nextRequestID() -> Int32 {
        state.withLock { state in
            state.requestID = state.requestID == .max ? 2 : state.requestID + 1
            return state.requestID
        }
    }

    /// Adds breaches of the encoding, and returns those that the printer had not committed before.
    func addTolerated(_ breaches: IPPTolerances) -> IPPTolerances {
        guard !breaches.isEmpty else { return [] }
        return state.withLock { state in
            defer { state.tolerated.formUnion(breaches) }
            return breaches.subtracting(state.tolerated)
        }
    }

    // MARK: What it advertises and does not have

    /// Whether to use Create-Job where it is advertised.
    var usesCreateJob: Bool { state.withLock { $0.quirks.usesCreateJob && !$0.lacksCreateJob } }

    /// Notes that the printer advertises Create-Job and Send-Document, but does not have them.
    func createJobFailed() {
        state.withLock { $0.lacksCreateJob = true }
    }

    /// Whether to use Validate-Job where it is advertised.
    var usesValidateJob: Bool { state.withLock { !$0.lacksValidateJob } }

    /// Notes that the printer advertises Validate-Job, but does not answer it.
    func validateJobFailed() {
        state.withLock { $0.lacksValidateJob = true }
    }

    /// Whether to compress documents where the printer advertises that.
    var usesCompression: Bool { state.withLock { $0.quirks.usesCompression && !$0.refusesCompression } }

    /// Notes that the printer lists gzip, but does not take it.
    func compressionFailed() {
        state.withLock { $0.refusesCompression = true }
    }

    /// Whether to request the roll's width and the receipt's length where the printer lists such sizes.
    var usesRollSize: Bool { state.withLock { !$0.refusesRollSize } }

    /// Notes that the printer lists such sizes, but refused a job over one, or over the cut that goes with it.
    func rollSizeFailed() {
        state.withLock { $0.refusesRollSize = true }
    }

    // MARK: Jobs

    /// Notes that the printer took this job just now.
    func accepted(_ job: RemoteJob?) {
        state.withLock { $0.newestJob = job }
    }

    /// How long to wait before the first poll of a job: not at all, unless it is the newest and was not polled yet.
    func firstPause(of job: RemoteJob) -> Duration {
        state.withLock { state in
            guard state.newestJob == job else { return .zero }
            state.newestJob = nil
            return state.jobDuration.firstPause
        }
    }

    func jobEnded(after duration: Duration) {
        state.withLock { $0.jobDuration.jobEnded(after: duration) }
    }

    // MARK: Notifications

    /// Takes the state of its notifications, for one listener at a time; nil where the printer offers none or somebody
    /// listens already.
    func takeNotifications() -> NotificationState? {
        state.withLock { state in
            guard let capabilities = state.capabilities, capabilities.offersNotifications,
                state.quirks.usesNotifications, !state.hasListener
            else { return nil }
            state.hasListener = true
            return state.notifications
                ?? NotificationState(isForPrinter: capabilities.supports(.createPrinterSubscriptions))
        }
    }

    func giveBack(_ notifications: NotificationState) {
        state.withLock { state in
            state.notifications = notifications
            state.hasListener = false
        }
    }

    /// The subscription that the printer keeps for us, to be cancelled at the end.
    var subscription: Subscription? {
        get { state.withLock { $0.subscription } }
        set { state.withLock { $0.subscription = newValue } }
    }
}
