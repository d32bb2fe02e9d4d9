/// How long nothing was heard of a partner, counted while this kiosk ran: one that was stopped for a while, or whose
/// machine slept, has not listened. Clocks that are set do not matter.
package struct PartnerSilence: Hashable, Sendable {
    private var lastLook: ContinuousClock.Instant
    private var silence = Duration.zero

    /// A partner is silent after this time.
    package static let limit = Duration.seconds(3)
    /// How often to look.
    package static let interval = Duration.milliseconds(250)
    /// The most that one look adds, however long ago the one before was.
    private static let longestStep = interval * 2

    /// Begins as if it had been heard just now.
    package init(at now: ContinuousClock.Instant) { lastLook = now }

    package var isSilent: Bool { silence >= Self.limit }

    /// Something came from the partner.
    package mutating func heard() { silence = .zero }

    /// Looks whether it is silent.
    package mutating func look(at now: ContinuousClock.Instant) {
        silence += min(max(.zero, lastLook.duration(to: now)), Self.longestStep)
        lastLook = now
    }
}
