/// Where the engine keeps its state, and its bounds.
public struct EngineConfiguration: Sendable {
    /// The folder of queue, history and documents; made (mode 0700) when absent. One engine at a time owns it.
    public var stateDirectory: String
    /// In bytes; a longer document is refused.
    public var maximumDocumentLength: Int64 = 1 << 30
    /// In bytes; a longer document is streamed to a file of its own instead of the database and never lies in memory.
    public var inlineDocumentLength = 64 * 1024
    /// Jobs that are not final; one more is refused.
    public var maximumActiveJobs = 100_000
    /// Final jobs that the history keeps, whatever their roles say; the oldest go first.
    public var historyLength = 100_000
    /// In bytes: final jobs' documents that are kept, whatever their roles say; the oldest go first.
    public var keptDocumentBytes: Int64 = 2_000_000_000
    /// How long a candidate that has not yet answered or taken a byte may hold up a job that another candidate could
    /// print.
    public var failoverTimeout: Duration = .milliseconds(500)
    /// How long a printer that has a job may leave a contact without an answer before the jobs behind it go to other
    /// candidates.
    public var silenceTimeout: Duration = .seconds(5)
    /// How often a printer is asked that jobs wait for; the bound on "printer comes back → waiting job prints".
    public var wantedContactInterval: Duration = .milliseconds(400)
    /// How often an idle printer is asked that nothing waits for.
    public var idleContactInterval: Duration = .seconds(20)
    /// Between two contacts that nothing waits for, whatever the printers: a thousand are asked once in 200 s.
    public var shortestPause: Duration = .milliseconds(200)
    /// Contacts that nothing waits for and that run at once.
    public var maximumIdleContacts = 32
    /// How often a printer is asked that answers but may not be used: its certificate is not trusted, or it lets us not
    /// in.
    public var obstacleContactInterval: Duration = .seconds(5)
    /// When a login that was refused is tried again unchanged; doubled each time, up to half an hour. An edit of the
    /// printer or its credentials, or a contact that someone asks for, tries it at once.
    public var refusedLoginInterval: Duration = .seconds(120)
    /// How often a job whose fate is unknown may be printed again under the `reprint` policy before it is held.
    public var maximumReprints = 3

    /// The time after which `run` ends once damage of the queue was found, so that the engine's owner makes a new one,
    /// which recovers. Nil: the engine goes on with what can still be done.
    public var damagePause: Duration?

    public init(stateDirectory: String) {
        self.stateDirectory = stateDirectory
    }
}
