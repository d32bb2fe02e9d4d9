import IPPCodec
import PrintModel

extension Availability {
    /// From the answer to Get-Printer-Attributes: its state, all of its reasons, and whether it accepts jobs.
    ///
    /// A reason that keeps paper from coming out counts as stopped even where the printer calls itself idle, as many do
    /// until they get a job: a receipt is better sent to the next printer than parked in front of an empty tray.
    init(_ attributes: IPPGroup) {
        let keywords = attributes["printer-state-reasons"]?.strings ?? []
        let reasons = keywords.prefix(Self.mostReasons).compactMap { StateReason(ippKeyword: $0.cleaned) }
        let message = attributes["printer-state-message"]?.string?.cleaned
        let isAccepting = attributes["printer-is-accepting-jobs"]?.boolean ?? true
        let isBlocked = reasons.contains { $0.severity == .error && Self.blocking.contains($0.keyword) }
        // A level speaks only where the reasons are silent: what they say of a supply is the printer's own judgement.
        let low = reasons.isEmpty ? [Supply](attributes).filter(\.isLow) : []
        let wantsLook = reasons.contains { $0.severity != .report } || !low.isEmpty

        let state: State
        switch attributes["printer-state"]?.integer {
        case Self.stoppedState: state = .stopped
        case Self.idleState where !isAccepting || isBlocked, Self.processingState where !isAccepting || isBlocked:
            state = .stopped
        case Self.idleState: state = wantsLook ? .attention : .ready
        case Self.processingState: state = wantsLook ? .attention : .busy
        default: state = .unknown
        }
        var words = message.flatMap { $0.isEmpty ? nil : $0 }
        if !isAccepting, words == nil { words = "the printer accepts no jobs just now; switch it to accept them" }
        if state == .attention, words == nil, !low.isEmpty {
            words = "running low: \(low.prefix(Self.mostReasons).map(\.name).joined(separator: ", "))"
        }
        self.init(state, reasons: reasons, message: words)
    }

    // RFC 8011 §5.4.11.
    /// A printer with more to say than this says it to nobody's use.
    private static let mostReasons = 32
    private static let idleState: Int32 = 3
    private static let processingState: Int32 = 4
    private static let stoppedState: Int32 = 5

    /// RFC 8011 §5.4.12 and PWG 5100.9 §4: with these, nothing prints until someone comes.
    private static let blocking: Set<String> = [
        "media-empty", "media-jam", "media-needed", "cover-open", "door-open", "interlock-open", "input-tray-missing",
        "output-area-full", "output-tray-missing", "marker-supply-empty", "toner-empty", "paused", "shutdown",
        "stopped-partly", "power-down", "offline", "deactivated", "cutter-failure",
    ]
}
