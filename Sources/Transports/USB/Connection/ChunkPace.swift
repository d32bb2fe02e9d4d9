import DevicePrinting

/// How much of a document one transfer carries.
///
/// A transfer is reported when it has ended. Large ones keep a fast printer busy; of a slow one they would be heard too
/// seldom to tell whether it still moves. So the size follows the printer, from a packet on: nobody knows of a
/// connection's first bytes how fast they go, and what is under way cannot be made smaller. A document that follows
/// others begins with what suited them, within what a slow printer may be given unheard.
struct ChunkPace: Sendable {
    private(set) var chunk = Self.smallest
    private var last: ElapsedClock.Instant?
    /// Transfers of this size that ended soon, one after the other.
    private var quickEnds = 0
    /// Bytes of this document that went without any waiting.
    private var quickBytes = 0

    /// Transfers that are under way at once: while one is reported and the next is made, the others keep the bus busy.
    /// Measured (`Benchmarks/usb`): two are as fast as four; the third is for a machine that has other things to do.
    static let depth = 3
    /// A packet at high speed (USB 2.0 §5.8.3); of whole packets all the sizes are.
    static let smallest = 512
    /// Measured as well. The kernel lends all programs together 16 MB for transfers (`usbfs_memory_mb`), of which this
    /// is a part for a printer that takes 20 MB a second; where it has no more to lend, they become smaller.
    static let largest = 1_048_576
    /// Between the ends of two transfers.
    private static let (short, long): (Duration, Duration) = (.milliseconds(25), .milliseconds(250))
    /// A slow printer is quick until its buffer is full: so a transfer that waits then is at most half of that and a
    /// packet, which is printed sooner than what the printer holds. Each transfer more on the way up costs a fast
    /// printer some time.
    private static let enough = 2
    /// What has taken more than any buffer holds is no slow printer.
    private static let (step, stepOfFast) = (2, 8)
    /// Of the last size, for the next document; and at most this, since its buffer may still be full of the last one.
    private static let (part, largestFirst) = (4, 8192)

    init() {}

    /// For a document that follows another.
    init(after last: ChunkPace) { chunk = min(max(last.chunk / Self.part, Self.smallest), Self.largestFirst) }

    /// The first of several is handed over: what was before does not count.
    mutating func began(at now: ElapsedClock.Instant) { last = now }

    /// One of `count` bytes was reported.
    mutating func ended(_ count: Int, at now: ElapsedClock.Instant) {
        let time = last.map { $0.duration(to: now) } ?? .zero
        last = now
        let isQuick = time < Self.short
        (quickEnds, quickBytes) = isQuick ? (quickEnds + 1, quickBytes + count) : (0, 0)
        if quickEnds == Self.enough {
            change(to: min(chunk * (quickBytes > PrintPace.largestBuffer ? Self.stepOfFast : Self.step), Self.largest))
        }
        if time > Self.long { change(to: max(chunk / 2, Self.smallest)) }
    }

    /// There is no memory for a transfer of this size; false where there is no smaller one.
    mutating func shrink() -> Bool {
        guard chunk > Self.smallest else { return false }
        change(to: max(chunk / 2, Self.smallest))
        return true
    }

    private mutating func change(to size: Int) { (chunk, quickEnds) = (size, 0) }
}
