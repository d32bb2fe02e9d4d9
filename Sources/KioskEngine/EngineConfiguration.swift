/// The settings of a `PrintEngine`: state directory, limits, timeouts, and intervals of printer contacts. Fixed for
/// the engine's lifetime.
public struct EngineConfiguration: Sendable {
    /// The directory of queue, history and documents; made (mode 0700) when absent. One engine at a time owns it.
    public var stateDirectory: String
    /// The maximum length of a document in bytes. A longer one is refused.
    public var maximumDocumentLength: Int64 = 1 << 30
    /// The maximum length of a document in the database, in bytes. A longer one is streamed to a file of its own and
    /// is never in memory as a whole.
    public var inlineDocumentLength = 64 * 1024
    /// Jobs that are not final; one more is refused.
    public var maximumActiveJobs = 100_000
    /// Final jobs that the history keeps, whatever their roles say; the oldest go first.
    public var historyLength = 100_000
    /// The bytes that documents of final jobs may occupy, whatever their roles say. The oldest are removed first.
    public var keptDocumentBytes: Int64 = 2_000_000_000
    /// How long a job waits for a candidate that has not yet answered or taken a byte, where another could print it.
    public var failoverTimeout: Duration = .milliseconds(500)
    /// How long a printer that has a job may leave a contact unanswered before the jobs behind it go to other
    /// candidates.
    public var silenceTimeout: Duration = .seconds(5)
    /// The interval between contacts of an unavailable printer that jobs wait for; the bound on "printer comes back →
    /// waiting job prints".
    public var wantedContactInterval: Duration = .milliseconds(400)
    /// The interval between contacts of an available printer that no job waits for.
    public var idleContactInterval: Duration = .seconds(20)
    /// Idle intervals are at least this times the number of saved printers: 200 s for 1,000.
    public var minimumIdleIntervalPerPrinter: Duration = .milliseconds(200)
    /// The interval between contacts of a printer while somebody watches (`PrintEngine.watchingPrinters`).
    public var watchedContactInterval: Duration = .milliseconds(700)
    /// Watched intervals are at least this times the number of saved printers: 20 contacts a second in all.
    public var minimumWatchedIntervalPerPrinter: Duration = .milliseconds(50)
    /// Contacts that nothing waits for and that run at once.
    public var maximumIdleContacts = 32
    /// The interval between contacts of a printer that answers and may not be used, such as one with an untrusted
    /// certificate; refused logins use `refusedLoginInterval`.
    public var obstacleContactInterval: Duration = .seconds(5)
    /// When a login that was refused is tried again unchanged; doubled each time, up to half an hour. An edit of the
    /// printer or its credentials, or a contact that someone asks for, tries it at once.
    public var refusedLoginInterval: Duration = .seconds(120)
    /// How many times a job whose fate is unknown may be printed again under the `reprint` policy before it is held.
    /// A printer that cannot be asked what became of a job prints it again once at most.
    public var maximumReprints = 3
    /// How long a job whose fate is unknown waits before it is printed again; doubled each time, up to a minute.
    public var reprintDelay: Duration = .seconds(2)

    /// The delay between finding the queue damaged and the end of `run`, so that the owner can make a new engine, which
    /// recovers. Nil: the engine keeps running, and the queue is not checked while it runs.
    public var restartDelayAfterDamage: Duration?

    public init(stateDirectory: String) {
        self.stateDirectory = stateDirectory
    }
}
