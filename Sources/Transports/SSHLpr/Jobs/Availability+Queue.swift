import PrintModel

extension Availability {
    /// What a queue's state means for a job that is sent now. What nobody understands is neither ready nor stopped.
    init(_ listing: QueueListing) {
        let message =
            listing.messages.isEmpty
            ? nil : listing.messages.joined(separator: "; ").withoutControlCharacters.prefix(utf8Count: 300)
        var reasons: [StateReason] = []
        if listing.isAccepting == false { reasons.append(StateReason(keyword: "not-accepting-jobs", severity: .error)) }
        if listing.state == .stopped { reasons.append(StateReason(keyword: "paused", severity: .error)) }
        for trouble in listing.messages.compactMap(TroubleWords.reason) where !reasons.contains(trouble) {
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
        self.init(state, reasons: reasons, message: message)
    }
}
