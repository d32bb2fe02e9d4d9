import KioskPrintModel

/// The rule for what a short time was given to, when the clock is set back: its time would become long. A correction
/// of a moment changes nothing; after a greater one it is void.
enum ClockChange {
    /// Seconds.
    private static let tolerance = 60

    /// Whether the clock was not set back by much since `beginning`.
    static func isSmall(from beginning: Timestamp, to now: Timestamp) -> Bool {
        beginning <= now.advanced(bySeconds: tolerance)
    }
}
