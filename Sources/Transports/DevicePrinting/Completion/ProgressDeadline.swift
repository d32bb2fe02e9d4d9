/// How long to wait for a printer that says nothing, so that no receipt is ever cut off: for as long as its paper can
/// take to move what it holds, counted from the last sign of progress, and not at all while it is stopped for a known
/// reason.
package struct ProgressDeadline<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    private var pace: PrintPace
    private var lastProgress: Instant
    private var stoppedSince: Instant?
    private let length: Int
    private let underWay: Int
    private var taken = 0

    /// `length`: bytes that it is sent; `underWay`: those of them that it may have taken before that is told.
    package init(_ pace: PrintPace, start: Instant, length: Int = 0, underWay: Int = 0) {
        self.pace = pace
        self.length = length
        self.underWay = underWay
        lastProgress = start
    }

    /// The printer has taken so many bytes more. None is no progress.
    package mutating func took(_ bytes: Int, at now: Instant) {
        guard bytes > 0 else { return }
        taken += min(bytes, Int.max - taken)
        lastProgress = max(lastProgress, now)
    }

    /// What it holds moves so much paper at most.
    package mutating func prints(_ length: PrintPace.Millimetres) { pace.length = max(pace.length, length) }

    /// The printer has said something, or printed a part.
    package mutating func progressed(at now: Instant) { lastProgress = max(lastProgress, now) }

    package mutating func stopped(at now: Instant) { stoppedSince = stoppedSince ?? now }

    /// The wait begins anew: what the printer holds is still to come out.
    package mutating func resumed(at now: Instant) {
        stoppedSince = nil
        progressed(at: now)
    }

    /// When to give up; nil while the printer is stopped.
    package var deadline: Instant? {
        guard stoppedSince == nil else { return nil }
        let toCome = max(0, length - min(taken, length))
        return lastProgress.advanced(
            by: pace.longestSilence(holding: max(taken, underWay), taken: taken, toCome: toCome))
    }

    /// How much paper it may still move, for this and what was before: nothing of that, where this alone fills it.
    package var paperAtMost: PrintPace.Millimetres {
        var pace = pace
        if taken >= pace.bufferBytes { pace.before = 0 }
        return pace.paper(holding: taken)
    }

    package func isOver(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}
