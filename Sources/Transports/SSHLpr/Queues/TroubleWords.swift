import PrintModel

/// What people, drivers and daemons write about a printer's trouble, as the reason that IPP has for it.
enum TroubleWords {
    /// The first reason that a text speaks of.
    static func reason(in text: String) -> StateReason? {
        let text = text.lowercased()
        return words.first { text.firstRange(ofText: $0.words) != nil }
            .map { StateReason(keyword: $0.keyword, severity: $0.severity) }
    }

    private static let words: [(words: String, keyword: String, severity: StateReason.Severity)] = [
        ("out of paper", "media-empty", .error), ("no paper", "media-empty", .error),
        ("paper empty", "media-empty", .error),
        ("load paper", "media-needed", .error), ("paper low", "media-low", .warning),
        ("low paper", "media-low", .warning),
        ("paper jam", "media-jam", .error), ("jammed", "media-jam", .error),
        ("cover open", "cover-open", .error), ("door open", "door-open", .error),
        ("out of toner", "toner-empty", .error), ("toner empty", "toner-empty", .error),
        ("toner low", "toner-low", .warning),
        ("out of ink", "marker-supply-empty", .error), ("ink low", "marker-supply-low", .warning),
        ("offline", "offline", .error), ("off-line", "offline", .error), ("not ready", "offline", .error),
        ("no daemon present", "spooler-not-running", .error),
        ("unable to connect", "connecting-to-device", .warning), ("cannot open", "offline", .error),
    ]
}
