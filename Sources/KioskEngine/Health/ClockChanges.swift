import PrintModel

/// How the machine's clock was set while the engine runs.
struct ClockChanges {
    /// The sum of all changes.
    private(set) var total = Duration.zero
    private var last: (by: Duration, at: Timestamp)?

    /// Notes a change. `now`: in the new time. Returns it in words for the log; nil for one so small that it changes
    /// nothing.
    mutating func note(_ moved: Duration, at now: Timestamp) -> String? {
        guard abs(moved.components.seconds) >= Self.smallestChange else { return nil }
        last = (moved, now)
        total += moved
        return Self.description(of: moved)
    }

    /// A record that was set aside when the changes came to this sum, in the time of now.
    func present(_ record: JobRecord, since sum: Duration) -> JobRecord {
        guard sum != total else { return record }
        var record = record
        record.life.clockMoved(by: total - sum)
        return record
    }

    /// Jobs of the last run as they wait from now on. A job that was accepted in a time that is yet to come begins to
    /// wait now: the clock was set back while nothing ran.
    static func rebased(_ records: [JobRecord], at now: Timestamp) -> [JobRecord] {
        records.map { record in
            let ahead = record.job.createdAt.millisecondsSince1970 - now.millisecondsSince1970
            guard ahead >= smallestChange * 1000 else { return record }
            var record = record
            record.life.clockMoved(by: .milliseconds(-ahead))
            record.life.forgetWhenSent()
            return record
        }
    }

    func checks(at now: Timestamp) -> [HealthReport.Check] {
        guard let last, now < last.at.advanced(bySeconds: Self.checkPeriod) else { return [] }
        return [
            .init(
                code: "clock-set", status: .warning,
                message:
                    "\(Self.description(of: last.by)) at \(last.at); jobs keep the time that they had left. See that the time is synchronised before kioskd starts"
            )
        ]
    }

    private static func description(of moved: Duration) -> String {
        let seconds = moved.components.seconds
        return "the machine's clock was set \(seconds < 0 ? "back" : "forward") by \(abs(seconds)) s"
    }

    /// In seconds. Time synchronisation corrects smaller differences without setting the clock.
    private static let smallestChange: Int64 = 2
    /// In seconds: for so long the health check shows a change.
    private static let checkPeriod = 3600
}
