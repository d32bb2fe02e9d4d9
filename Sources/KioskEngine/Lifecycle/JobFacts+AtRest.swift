import PrintModel

/// While nothing is done with it: in the queue, or held.
extension JobFacts {
    mutating func decideAtRest(_ event: JobEvent, _ circumstances: JobCircumstances) -> JobDecision? {
        switch (stage, event) {
        case (.waiting, .routed):
            stage = .routed
            return .nothing
        case (.waiting, .unprintable(let printer, let reason, let message)):
            job.printer = job.printer ?? printer
            return end(as: .aborted, [reason], message, at: circumstances.now)
        case (.waiting, .expired):
            return expire(circumstances)
        case (.waiting, .cancelRequested), (.held, .cancelRequested):
            return cancel(circumstances)
        case (.held, .released):
            reprints = 0
            wait(for: [])
            job.message = nil
            // The operator wants it now, whatever its first expiry said.
            job.expiresAt = max(job.expiresAt, circumstances.now.advanced(bySeconds: Self.expiryAfterRelease))
            return .queue
        default:
            return nil
        }
    }

    /// In seconds.
    private static let expiryAfterRelease = 600
}
