package import PrintModel

/// How slowly a printer may work and still be in order.
package struct PrintTimeEstimate: Hashable, Sendable {
    package typealias Millimetres = Int

    /// The slowest speed, in millimetres per second.
    package var paperSpeed: Int
    /// How much paper the printer moves for the data that it holds, as far as the current document shows
    /// (`PaperEstimate`).
    package var length: Millimetres = 0
    /// How much paper it may have to move first, for earlier jobs.
    package var before: Millimetres = 0
    /// The most document data that the printer can hold.
    package var bufferBytes: Int
    /// Time for the cutter, a cold start, and the way of the request and its response.
    package var margin: Duration

    /// A slow impact printer prints 4 lines of 4.2 mm per second, and dark images halve a thermal printer's speed.
    package static let slowestSpeed = 15
    /// Receive buffers range from 4 KB (TM-T88) to some ten KB, and USB and the kernel hold some more.
    package static let largestBuffer = 65_536
    /// Full lines of text: 48 characters for 4.2 mm. (Raster makes 1 mm of 576 bytes.)
    private static let bytesPerMillimetre = 11
    /// More than any roll has, so that no wait is endless.
    package static let longestPaper: Millimetres = 100_000
    /// The slowest printer takes a packet in 20 s; a little more is allowed. In bytes and milliseconds.
    private static let (packet, packetTime) = (512, 25_000)
    /// A transfer reports nothing before it has ended. Its size grows with what a printer has taken fast, and a small
    /// buffer takes this many bytes fast before the paper's speed shows.
    private static let longestTransfer = 8192

    package init(
        _ settings: DeviceSettings = DeviceSettings(), bufferBytes: Int = largestBuffer, margin: Duration = .seconds(30)
    ) {
        paperSpeed = max(1, settings.paperSpeed ?? Self.slowestSpeed)
        self.bufferBytes = max(0, bufferBytes)
        self.margin = margin
    }

    /// How long a printer that has taken this many bytes may be silent: the time to print everything that it can hold
    /// of them.
    package func longestSilence(holding taken: Int) -> Duration {
        .milliseconds(paper(holding: taken) * 1000 / paperSpeed) + margin
    }

    /// The longest silence while `remaining` bytes are still to be taken: the printer may progress within one transfer,
    /// which reports nothing until its end.
    package func longestSilence(holding held: Int, taken: Int, remaining: Int) -> Duration {
        let transfer = max(0, min(max(taken, Self.packet), remaining, Self.longestTransfer))
        let packets = (transfer + Self.packet - 1) / Self.packet
        return max(longestSilence(holding: held), .milliseconds(packets * Self.packetTime))
    }

    /// How much paper a printer that has taken this many bytes may still move, for earlier jobs too.
    package func paper(holding taken: Int) -> Millimetres {
        let held = min(max(0, taken), bufferBytes)
        let own = min(max(0, length, held / Self.bytesPerMillimetre), Self.longestPaper)
        return min(own + min(max(0, before), Self.longestPaper), Self.longestPaper)
    }

    /// How much of this paper is left after a time in which the printer never stopped.
    package func remaining(of paper: Millimetres, after time: Duration) -> Millimetres {
        let seconds = Int(clamping: max(0, time.components.seconds))
        let moved = seconds.multipliedReportingOverflow(by: paperSpeed)
        return moved.overflow ? 0 : max(0, paper - moved.partialValue)
    }
}

/// How long to wait for a silent printer, so that no receipt is ever cut off: as long as its paper can take to move for
/// the data that it holds, counted from the last sign of progress. No time runs while it is stopped for a known reason.
package struct ProgressDeadline<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    private var estimate: PrintTimeEstimate
    private var lastProgress: Instant
    private var stoppedSince: Instant?
    private let length: Int
    private let underWay: Int
    private var taken = 0

    /// `length` is the number of bytes to send, `underWay` how many of them the printer may have taken before that is
    /// reported.
    package init(_ estimate: PrintTimeEstimate, start: Instant, length: Int = 0, underWay: Int = 0) {
        self.estimate = estimate
        self.length = length
        self.underWay = underWay
        lastProgress = start
    }

    /// The printer has taken this many further bytes. Zero bytes are no progress.
    package mutating func took(_ bytes: Int, at now: Instant) {
        guard bytes > 0 else { return }
        taken += min(bytes, Int.max - taken)
        lastProgress = max(lastProgress, now)
    }

    /// The data that the printer holds moves at most this much paper.
    package mutating func prints(_ length: PrintTimeEstimate.Millimetres) {
        estimate.length = max(estimate.length, length)
    }

    /// The printer has responded, or printed a part.
    package mutating func progressed(at now: Instant) { lastProgress = max(lastProgress, now) }

    package mutating func stopped(at now: Instant) { stoppedSince = stoppedSince ?? now }

    /// Restarts the wait: the data that the printer holds is still to be printed.
    package mutating func resumed(at now: Instant) {
        stoppedSince = nil
        progressed(at: now)
    }

    /// When to give up; nil while the printer is stopped.
    package var deadline: Instant? {
        guard stoppedSince == nil else { return nil }
        let remaining = max(0, length - min(taken, length))
        return lastProgress.advanced(
            by: estimate.longestSilence(holding: max(taken, underWay), taken: taken, remaining: remaining))
    }

    /// How much paper the printer may still move for this job and earlier ones. Earlier ones no longer count once this
    /// job alone fills its buffer.
    package var paperAtMost: PrintTimeEstimate.Millimetres {
        var estimate = estimate
        if taken >= estimate.bufferBytes { estimate.before = 0 }
        return estimate.paper(holding: taken)
    }

    package func isOver(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}
