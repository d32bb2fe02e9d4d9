/// What hinders a printer, or soon will.
package struct PrinterCondition: Hashable, Sendable {
    package var isPaperOut = false
    package var isPaperLow = false
    package var isCoverOpen = false
    package var isJammed = false
    /// Takes no new jobs (`printer-is-accepting-jobs` false).
    package var isRefusing = false
    /// Jobs stay at `processing` until this is taken back: work that takes as long as a test wants.
    package var isHolding = false
    /// How long the printing of 1,024 bytes takes.
    package var timePerKilobyte: Duration = .zero

    package init() {}

    /// Whether nothing prints until somebody comes.
    package var isStopped: Bool { isPaperOut || isCoverOpen || isJammed }

    /// `printer-state-reasons`, with the severity suffixes of RFC 8011 §5.4.12.
    package var reasons: [String] {
        var reasons: [String] = []
        if isPaperOut { reasons.append("media-empty-error") }
        if isCoverOpen { reasons.append("cover-open-error") }
        if isJammed { reasons.append("media-jam-error") }
        if isPaperLow && !isPaperOut { reasons.append("media-low-warning") }
        return reasons.isEmpty ? ["none"] : reasons
    }
}
