import KioskIPPCodec
import KioskPrintModel

extension Availability {
    /// Reads the response to Get-Printer-Attributes: the printer's state, all of its reasons, and whether it accepts
    /// jobs.
    ///
    /// A reason that keeps paper from coming out counts as stopped even where the printer calls itself idle, as many do
    /// until they get a job: it is better to send a receipt to the next printer than to park it at an empty tray.
    init(_ attributes: IPPGroup) {
        let keywords = attributes["printer-state-reasons"]?.strings ?? []
        var reasons = keywords.prefix(Self.maximumReasons).compactMap { StateReason(ippKeyword: $0.cleaned) }
        let stateMessage = attributes["printer-state-message"]?.string?.cleaned
        let isAccepting = attributes["printer-is-accepting-jobs"]?.boolean ?? true
        let isBlocked = reasons.contains { $0.severity == .error && Self.blocking.contains($0.keyword) }
        // Levels count only where there are no reasons: what these say about a supply is the printer's own judgement.
        let low = reasons.isEmpty ? [Supply](attributes).filter(\.isLow) : []
        let needsAttention = reasons.contains { $0.severity != .report } || !low.isEmpty

        let state: State
        switch attributes["printer-state"]?.integer {
        case Self.stoppedState: state = .stopped
        case Self.idleState where !isAccepting || isBlocked, Self.processingState where !isAccepting || isBlocked:
            state = .stopped
        case Self.idleState: state = needsAttention ? .attention : .ready
        case Self.processingState: state = needsAttention ? .attention : .busy
        default: state = .unknown
        }
        var message = stateMessage.flatMap { $0.isEmpty ? nil : $0 }
        if !isAccepting, message == nil { message = "the printer accepts no jobs at the moment; set it to accept them" }
        if state == .attention, message == nil, !low.isEmpty {
            message = "running low: \(low.prefix(Self.maximumReasons).map(\.name).joined(separator: ", "))"
        }
        if state == .unknown, message == nil {
            message =
                "the response says nothing of the printer's state; check that the URL names a printer's own path, often /ipp/print"
        }
        if !isAccepting { reasons.append(StateReason(keyword: "not-accepting-jobs", severity: .error)) }
        self.init(state, reasons: reasons, message: message)
    }

    /// More reasons than this help nobody.
    private static let maximumReasons = 32

    // `printer-state` (RFC 8011 §5.4.11).
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

extension StateReason {
    /// The printer forgets its jobs before it tells how they end. CUPS's keyword for it.
    static let missingJobHistory = StateReason(keyword: "cups-ipp-missing-job-history", severity: .report)
}

extension [Supply] {
    /// Reads the `marker-…` attributes (PWG 5100.9 §5), which are parallel lists. Printers send them in different
    /// lengths: the names count, and what is missing beside them is unknown.
    init(_ attributes: IPPGroup) {
        func texts(_ name: String) -> [String] { attributes[name]?.strings.map(\.cleaned) ?? [] }
        func numbers(_ name: String) -> [Int32] { attributes[name]?.integers ?? [] }
        let (types, colors) = (texts("marker-types"), texts("marker-colors"))
        let levels = numbers("marker-levels")
        let (lows, highs) = (numbers("marker-low-levels"), numbers("marker-high-levels"))
        self = texts("marker-names").prefix(Self.maximumCount).enumerated().map { index, name in
            let type = types.at(index)
            let isWaste = type.map(Supply.isWaste) ?? false
            return Supply(
                name: name, type: type, color: colors.at(index).flatMap { $0 == "none" || $0.isEmpty ? nil : $0 },
                level: levels.at(index).flatMap(Supply.percent),
                lowLevel: (isWaste ? highs : lows).at(index).flatMap(Supply.percent)
            )
        }
    }

    /// The largest presses have some twenty.
    private static var maximumCount: Int { 64 }
}

extension Supply {
    /// PWG 5100.9 §5.7: -1, -2 and -3 stand for "no limit", "not known" and "some".
    fileprivate static func percent(_ level: Int32) -> Int? { (0...100).contains(level) ? Int(level) : nil }

    /// A waste box fills up; everything else runs out.
    fileprivate static func isWaste(_ type: String) -> Bool { type.hasPrefix("waste-") }

    /// Whether somebody has to see to it soon.
    fileprivate var isLow: Bool {
        guard let level, let lowLevel else { return false }
        return type.map(Self.isWaste) == true ? level >= lowLevel && lowLevel > 0 : level <= lowLevel
    }
}

extension Array {
    fileprivate func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
