/// How much of a document one transfer carries.
///
/// A transfer is reported when it has ended. Large ones keep a fast printer busy; of a slow one they would be heard too
/// seldom to tell whether it still moves. So the size follows the printer.
struct ChunkPace: Sendable {
    private(set) var chunk = 4096
    private var last: ContinuousClock.Instant?

    /// Transfers that are under way at once: while one is reported and the next is made, the others keep the bus busy.
    /// Measured (`Benchmarks/usb`): two are as fast as four; the third is for a machine that has other things to do.
    static let depth = 3
    /// A packet at high speed (USB 2.0 §5.8.3); of whole packets all the sizes are.
    static let smallest = 512
    /// Measured as well, as fast as a document in one piece. The kernel lends all programs together 16 MB for transfers
    /// (`usbfs_memory_mb`), of which this is a small part for each printer.
    static let largest = 262_144
    /// Between the ends of two transfers.
    private static let (short, long): (Duration, Duration) = (.milliseconds(25), .milliseconds(250))

    /// The first of several is handed over: what was before does not count.
    mutating func began(at now: ContinuousClock.Instant) { last = now }

    mutating func ended(at now: ContinuousClock.Instant) {
        let time = last.map { now - $0 } ?? .zero
        last = now
        if time < Self.short { chunk = min(chunk * 2, Self.largest) }
        if time > Self.long { chunk = max(chunk / 2, Self.smallest) }
    }

    /// There is no memory for a transfer of this size; false where there is no smaller one.
    mutating func shrink() -> Bool {
        guard chunk > Self.smallest else { return false }
        chunk = max(chunk / 2, Self.smallest)
        return true
    }
}
