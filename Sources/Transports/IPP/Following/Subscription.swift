/// A subscription to a printer's events, as the printer made it (RFC 3995 §5.3).
struct Subscription: Equatable, Sendable {
    let id: Int32
    /// The only job that it is about; nil where it is about the printer and all of its jobs.
    var jobID: Int32?
    /// When the printer forgets it; nil where it lasts as long as its job or its printer.
    var endsAt: Duration?
    /// The first event that has not been fetched yet (RFC 3995 §5.3.4).
    var nextEvent: Int32 = 1

    /// Whether the printer has not forgotten it by then.
    func isKept(at now: Duration) -> Bool { endsAt.map { now < $0 } ?? true }

    /// Seconds to ask for: longer than two waits, so that a renewal in between is enough, and short enough that a
    /// printer that nobody listens to any more is soon rid of it.
    static let lease: Int32 = 300
    /// What is left of the lease when it is to be renewed.
    static let renewalMargin = Duration.seconds(100)
}
