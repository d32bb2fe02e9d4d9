package import KioskPrintModel

/// The phrases that people, drivers and daemons write about a printer's trouble, and IPP's reasons for them.
enum StateReasonPhrases {
    /// The first reason that a message mentions.
    static func reason(in text: String) -> StateReason? {
        let text = text.lowercased()
        return phrases.first { text.firstRange(ofText: $0.phrase) != nil }
            .map { StateReason(keyword: $0.keyword, severity: $0.severity) }
    }

    private static let phrases: [(phrase: String, keyword: String, severity: StateReason.Severity)] = [
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

extension Availability {
    /// The availability of a queue for a job that is sent now. Output that is not understood makes it unknown.
    package init(_ listing: QueueListing) {
        let message =
            listing.messages.isEmpty
            ? nil : listing.messages.joined(separator: "; ").withoutControlCharacters.prefix(utf8Count: 300)
        var reasons: [StateReason] = []
        if listing.isAccepting == false { reasons.append(StateReason(keyword: "not-accepting-jobs", severity: .error)) }
        if listing.state == .stopped { reasons.append(StateReason(keyword: "paused", severity: .error)) }
        for trouble in listing.messages.compactMap(StateReasonPhrases.reason) where !reasons.contains(trouble) {
            reasons.append(trouble)
        }
        let state: Availability.State =
            if reasons.contains(where: { $0.severity == .error }) {
                .stopped
            } else if listing.state == .unknown {
                .unknown
            } else if !reasons.isEmpty {
                .attention
            } else {
                listing.state == .printing ? .busy : .ready
            }
        let why = state == .unknown ? "what lpq says on the host is not understood; run it there to see" : nil
        self.init(state, reasons: reasons, message: message ?? why)
    }
}
