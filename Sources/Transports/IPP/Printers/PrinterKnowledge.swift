import KioskIPPCodec
import KioskPrintModel
import Synchronization

/// What was learned about one printer, by whichever call learned it last.
final class PrinterKnowledge: Sendable {
    private struct State {
        var quirks = IPPQuirks()
        /// The version that worked; nil before any did.
        var provenVersion: IPPVersion?
        /// The user's name that the printer accepted last.
        var provenUser: String?
        var nameRefusal = NameRefusal.none
        var lacksCreateJob = false
        var lacksValidateJob = false
        var refusesCompression = false
        var refusesRollSize = false
        var refusesChunks = false
        var tolerated: IPPTolerances = []
        var capabilities: PrinterCapabilities?
        var requestID: Int32 = 1
        var jobDuration = JobDurationEstimate()
        /// The state of its notifications as the last listener left it; nil before anyone listened.
        var notifications: NotificationState?
        var hasListener = false
        var subscription: Subscription?
        /// Whether it forgot the last job that was followed; nil where it never forgot one.
        var lacksJobHistory: Bool?
        var isPrintServer = false
        var busyValidations = 0
        /// The number of the newest job, until it is followed.
        var newestJob: String?
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
        set {
            state.withLock { state in
                state.capabilities = newValue
                if let newValue { state.isPrintServer = newValue.isPrintServer }
            }
        }
    }

    /// Whether it said last that it is a spooler, which knows nothing of paper.
    var isPrintServer: Bool { state.withLock { $0.isPrintServer } }

    // MARK: Requests

    /// The version to use, and whether it is proven to work.
    var version: (number: IPPVersion, isProven: Bool) {
        state.withLock { ($0.provenVersion ?? $0.quirks.firstVersion, $0.provenVersion != nil) }
    }

    /// The `requesting-user-name`, and whether the printer accepted it before; a nil name leaves it out.
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
    /// job refused by chance is not a reason to leave the name out of all others.
    func doubtNameRefusal() {
        state.withLock { if $0.nameRefusal == .suspected { $0.nameRefusal = .none } }
    }

    /// The next `request-id`. RFC 8010 §3.1.2: 1 to 2³¹ − 1. Never 1, which printers that ignore the id respond with.
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

    /// Notes that the printer advertises Validate-Job, but does not respond to it.
    func validateJobFailed() {
        state.withLock { $0.lacksValidateJob = true }
    }

    /// What outlasts this run.
    var learned: LearnedBehavior? {
        state.withLock { state in
            guard state.lacksValidateJob || state.lacksJobHistory != nil || state.refusesChunks else { return nil }
            return LearnedBehavior(
                unansweredOperations: state.lacksValidateJob ? [Self.validateJob] : [],
                lacksJobHistory: state.lacksJobHistory, refusesChunks: state.refusesChunks)
        }
    }

    /// Takes over what an earlier run, or an earlier link, learned; what was learned since counts more.
    func recall(_ learned: LearnedBehavior) {
        state.withLock { state in
            if learned.unansweredOperations.contains(Self.validateJob) { state.lacksValidateJob = true }
            state.lacksJobHistory = state.lacksJobHistory ?? learned.lacksJobHistory
            if learned.refusesChunks { state.refusesChunks = true }
        }
    }

    private static let validateJob = "Validate-Job"

    /// Notes that Validate-Job was refused as busy; returns whether that counts. Every fourth time in a row it does not,
    /// since a printer may say so for good and print all the same.
    func trustsBusyValidation() -> Bool {
        state.withLock { state in
            state.busyValidations = (state.busyValidations + 1) % 4
            return state.busyValidations != 0
        }
    }

    /// Notes that Validate-Job was not refused as busy.
    func validationPassed() {
        state.withLock { $0.busyValidations = 0 }
    }

    /// Whether to compress documents where the printer advertises that.
    var usesCompression: Bool { state.withLock { $0.quirks.usesCompression && !$0.refusesCompression } }

    /// Notes that the printer lists gzip, but does not accept it.
    func compressionFailed() {
        state.withLock { $0.refusesCompression = true }
    }

    /// Whether to request the roll's width and the receipt's length where the printer lists such sizes.
    var usesRollSize: Bool { state.withLock { !$0.refusesRollSize } }

    /// Notes that the printer lists such sizes, but refused a job over one, or over the cut that goes with it.
    func rollSizeFailed() {
        state.withLock { $0.refusesRollSize = true }
    }

    /// Whether to send a document that is still being rendered in chunks, without its length.
    var takesChunks: Bool { state.withLock { $0.quirks.takesChunks && !$0.refusesChunks } }

    /// Notes that the printer's HTTP server has to be told the length first.
    func chunksFailed() {
        state.withLock { $0.refusesChunks = true }
    }

    // MARK: Jobs

    /// Notes that the printer accepted this job just now.
    func accepted(_ job: RemoteJob?) {
        state.withLock { $0.newestJob = job?.identifier }
    }

    /// How long to wait before the first poll of a job: not at all, unless it is the newest and was not polled yet.
    func firstPause(of job: RemoteJob) -> Duration {
        state.withLock { state in
            guard state.newestJob == job.identifier else { return .zero }
            state.newestJob = nil
            return state.jobDuration.firstPause
        }
    }

    func jobEnded(after duration: Duration) {
        state.withLock { $0.jobDuration.jobEnded(after: duration) }
    }

    /// Whether the printer had forgotten the last job that was followed before it told how it ended.
    var lacksJobHistory: Bool { state.withLock { $0.lacksJobHistory == true } }

    /// Notes whether the printer still knew a job at its end.
    func noteJobHistory(isMissing: Bool) {
        state.withLock { state in
            // Of a printer that always did, nothing is learned.
            if isMissing || state.lacksJobHistory != nil { state.lacksJobHistory = isMissing }
        }
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

/// How long a printer's short jobs usually take from acceptance to their end, so that the first poll of a new job comes
/// when the job is about to end, and not before.
struct JobDurationEstimate: Sendable {
    private var usual: Duration?

    /// A longer job says nothing about the next: the polls cost little beside it.
    private static let maximum = Duration.milliseconds(200)

    /// A shorter pause costs more than the poll that it spares: at jobs of one millisecond a tenth of the receipts per
    /// second.
    private static let minimumPause = Duration.milliseconds(2)

    /// How long to wait before the first poll of a job that was accepted just now.
    var firstPause: Duration {
        guard let usual else { return .zero }
        let pause = min(usual * 3 / 4, .milliseconds(40))
        return pause < Self.minimumPause ? .zero : pause
    }

    /// Follows shorter times at once and longer ones slowly: polling too early costs a request, polling too late makes
    /// every job wait.
    mutating func jobEnded(after duration: Duration) {
        guard duration <= Self.maximum else { return }
        usual = usual.map { duration < $0 ? duration : $0 + (duration - $0) / 16 } ?? duration
    }
}

/// Where requests to one printer depart from what IPP and HTTP say, since its model has quirks.
///
/// They come from the printer's saved profile before the first contact, and are made anew when the printer has said
/// what it is.
struct IPPQuirks: Hashable, Sendable {
    /// What `requesting-user-name` holds.
    enum UserNameRule: Hashable, Sendable {
        /// The user's name, without the characters that many printers reject.
        case cleaned
        /// ASCII letters, digits, `-`, `_` and `.` only.
        case plain
        /// The attribute is left out.
        case omitted
    }

    /// What HTTP's `Connection` says; nil leaves it to HTTP/1.1, which keeps connections by default.
    private(set) var connection: HTTPRequest.ConnectionOption?
    /// Whether a document waits for `100 Continue`.
    private(set) var expectsContinue = false
    /// The `Host` that replaces the URL's.
    private(set) var host: String?
    /// The version to use before any is proven to work.
    private(set) var firstVersion = IPPVersion.v2_0
    private(set) var userName = UserNameRule.cleaned
    /// Whether Create-Job and Send-Document are used where they are advertised.
    private(set) var usesCreateJob = true
    /// Whether documents are compressed where the printer advertises that.
    private(set) var usesCompression = true
    private(set) var takesChunks = true
    /// Whether jobs are followed by notifications where they are advertised.
    private(set) var usesNotifications = true

    /// The breaches of RFC 8010 that are tolerated: all that printers are known for, and from every printer. Each
    /// tolerance accepts octets that have no correct reading, so it cannot change what a correct message means, and the
    /// first contact has to work before the model is known.
    static let tolerances = IPPTolerances.all

    init() {}

    /// Applies quirks, the most specific first: of those with the same name the first counts. A value that is not valid
    /// for its name is ignored: profiles are checked where they are read.
    init(_ quirks: [Quirk]) {
        for quirk in quirks.reversed() { apply(quirk) }
    }

    private mutating func apply(_ quirk: Quirk) {
        switch (quirk.name, quirk.value) {
        case (.connection, "close"): connection = .close
        case (.connection, "keep-alive"): connection = .keepAlive
        case (.expect, "on"): expectsContinue = true
        case (.host, let name) where !name.isEmpty && !name.hasControlCharacters: host = name
        case (.ippVersion, "2.0"): firstVersion = .v2_0
        case (.ippVersion, "1.1"): firstVersion = .v1_1
        case (.ippVersion, "1.0"): firstVersion = .v1_0
        case (.requestingUserName, "omit"): userName = .omitted
        case (.requestingUserName, "plain"): userName = .plain
        case (.createJob, "off"): usesCreateJob = false
        case (.compression, "off"): usesCompression = false
        case (.chunked, "off"): takesChunks = false
        case (.notifications, "off"): usesNotifications = false
        default: break
        }
    }
}
