import KioskPrintModel

/// When a job is offered again to a printer that is busy: each pause is about as long as all before it together, so
/// that one that is busy for milliseconds costs milliseconds, and one that is busy for minutes a request every few
/// seconds. Without I/O or clock.
struct BusyBackoff {
    private var pause: Duration
    private let maximum: Duration

    /// `documentLength`: some printers say that they are busy only when they have read all of the document.
    init(documentLength: Int64) {
        let isLong = documentLength >= Self.longDocument
        pause = isLong ? Self.firstOfLong : Self.first
        maximum = isLong ? Self.maximumOfLong : Self.maximum
    }

    /// The pause before the next attempt. `wanted`: the printer's own word, which counts where it is longer.
    mutating func next(notBefore wanted: Duration?) -> Duration {
        defer { pause = min(pause * 2, maximum) }
        return max(pause, min(wanted ?? .zero, Self.maximumWanted))
    }

    /// A receipt printer finishes the job at hand within milliseconds.
    private static let first = Duration.milliseconds(2)
    private static let maximum = Duration.seconds(5)
    /// Bytes.
    private static let longDocument: Int64 = 256 * 1024
    private static let firstOfLong = Duration.milliseconds(500)
    private static let maximumOfLong = Duration.seconds(10)
    /// A printer that asks for more, by mistake perhaps, is asked again all the same: nothing stays stopped.
    private static let maximumWanted = Duration.seconds(60)
}

extension StateReason {
    /// The printer answers, and takes no job for now: it works for others.
    static let busyWithOthers = StateReason(keyword: "busy-with-other-jobs", severity: .report)
}

extension Availability {
    /// The availability of a printer that is passed over until it can take a job again.
    static func busyWithOthers(_ message: String) -> Availability {
        Availability(.stopped, reasons: [.busyWithOthers], message: message)
    }
}
