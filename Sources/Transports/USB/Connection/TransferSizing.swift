import DevicePrinting

/// Determines how many bytes of a document one transfer carries.
///
/// A transfer is reported when it has ended. Large ones keep a fast printer busy; on a slow one the reports would be
/// too rare to show whether it makes progress. So the size follows the printer's speed, starting with one packet: the
/// speed of a new connection is unknown, and transfers under way cannot be made smaller. A document that follows others
/// starts with a size that suited them, limited to what a slow printer may take unreported.
struct TransferSizing: Sendable {
    private(set) var size = Self.smallest
    private var last: ElapsedClock.Instant?
    /// Consecutive transfers of this size that ended soon.
    private var quickEnds = 0
    /// Bytes of this document that were sent without any waiting.
    private var quickBytes = 0

    /// The number of transfers under way at once: while one is reported and the next is made, the others keep the bus
    /// busy. Measured (`Benchmarks/usb`): two are as fast as four; the third is for a busy machine.
    static let depth = 3
    /// A high-speed packet (USB 2.0 §5.8.3); all sizes are multiples of it.
    static let smallest = 512
    /// Measured as well, for a printer that takes 20 MB per second. The kernel has 16 MB for the transfers of all
    /// programs together (`usbfs_memory_mb`); where it has no more, the transfers become smaller.
    static let largest = 1_048_576
    /// Times between the ends of two transfers.
    private static let (short, long): (Duration, Duration) = (.milliseconds(25), .milliseconds(250))
    /// Quick ends after which the size grows. A slow printer is quick until its buffer is full. A transfer that then
    /// waits is at most half of the buffer plus a packet, which is printed sooner than the data that the printer holds.
    /// A larger number would cost a fast printer time.
    private static let enough = 2
    /// Growth factors. A printer that has quickly taken more than any buffer holds is not slow.
    private static let (step, stepOfFast) = (2, 8)
    /// The divisor for the next document's first size, and its maximum, since the buffer may still be full.
    private static let (divisor, largestFirst) = (4, 8192)

    init() {}

    /// The sizing of a document that follows another.
    init(after last: TransferSizing) { size = min(max(last.size / Self.divisor, Self.smallest), Self.largestFirst) }

    /// Notes that a transfer starts while none is under way: the time before does not count.
    mutating func began(at now: ElapsedClock.Instant) { last = now }

    /// Notes the end of a transfer of `count` bytes.
    mutating func ended(_ count: Int, at now: ElapsedClock.Instant) {
        let time = last.map { $0.duration(to: now) } ?? .zero
        last = now
        let isQuick = time < Self.short
        (quickEnds, quickBytes) = isQuick ? (quickEnds + 1, quickBytes + count) : (0, 0)
        if quickEnds == Self.enough {
            let factor = quickBytes > PrintTimeEstimate.largestBuffer ? Self.stepOfFast : Self.step
            change(to: min(size * factor, Self.largest))
        }
        if time > Self.long { change(to: max(size / 2, Self.smallest)) }
    }

    /// Halves the size, since there is no memory for it; false where there is no smaller one.
    mutating func shrink() -> Bool {
        guard size > Self.smallest else { return false }
        change(to: max(size / 2, Self.smallest))
        return true
    }

    private mutating func change(to newSize: Int) { (size, quickEnds) = (newSize, 0) }
}
