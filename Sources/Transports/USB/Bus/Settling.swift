/// When a bus on which devices come and go has calmed down enough to be looked at.
struct Settling: Sendable {
    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?

    /// A loose plug, or a printer that starts twice, comes and goes several times; udev needs a moment for a node's
    /// rights.
    static let quiet = Duration.milliseconds(100)
    /// Nor is a bus that never calms down left alone for longer.
    static let longest = Duration.seconds(1)

    mutating func changed(at now: ContinuousClock.Instant) {
        last = now
        first = first ?? now
    }

    /// When to look; nil while nothing has changed.
    var due: ContinuousClock.Instant? {
        guard let first, let last else { return nil }
        return min(last + Self.quiet, first + Self.longest)
    }

    /// It is being looked at: what changes from now on counts anew.
    mutating func settled() { (first, last) = (nil, nil) }
}
