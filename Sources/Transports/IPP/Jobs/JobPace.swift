/// How long a printer's short jobs usually take from acceptance to their end, so that the first question after a new
/// job comes when there is an answer, and not before.
struct JobPace: Sendable {
    private var usual: Duration?

    /// Beyond this a job tells nothing of the next: the questions are cheap beside it.
    private static let longest = Duration.milliseconds(200)

    /// How long to leave a job alone that was accepted just now.
    var firstPause: Duration { usual.map { min($0 * 3 / 4, .milliseconds(40)) } ?? .zero }

    /// Follows the shorter times at once and the longer ones slowly: asking too early costs a question, asking too late
    /// costs every job the wait.
    mutating func jobEnded(after duration: Duration) {
        guard duration <= Self.longest else { return }
        usual = usual.map { duration < $0 ? duration : $0 + (duration - $0) / 16 } ?? duration
    }
}
