import Glibc
public import KioskPrintModel

/// Reads times as people write them, for `since` and `until`: `10m` for ten minutes ago, `today`, or a date.
public enum TimeNotation {
    /// The accepted forms, for error messages.
    public static let forms =
        "a time ago such as 30s, 10m, 2h or 7d, today or yesterday, or a time such as 2026-03-14 or 2026-03-14T09:30:00Z"

    /// Reads a time in one of `forms`; nil where it has none of them. Days begin at midnight in this process's time
    /// zone (`TZ`).
    public static func parse(_ text: String, at now: Timestamp) -> Timestamp? {
        switch text {
        case "today": return midnight(daysAgo: 0, at: now)
        case "yesterday": return midnight(daysAgo: 1, at: now)
        default: break
        }
        // A number alone could be seconds, minutes or a year: it needs a unit.
        if text.utf8.count <= 12, text.last?.isLetter == true, let seconds = Duration.seconds(of: text) {
            return now.advanced(bySeconds: -seconds)
        }
        return Timestamp(text) ?? day(text)
    }

    /// The beginning of a day such as `2026-03-14`.
    private static func day(_ text: String) -> Timestamp? {
        // `Timestamp` knows the rules of the calendar, such as leap days.
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else { return nil }
        let parts = text.split(separator: "-").compactMap { CInt($0) }
        guard parts.count == 3 else { return nil }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2])
        return moment(&time)
    }

    private static func midnight(daysAgo days: CInt, at now: Timestamp) -> Timestamp? {
        var (second, time) = (time_t(now.millisecondsSince1970 / 1000), tm())
        guard localtime_r(&second, &time) != nil else { return nil }
        (time.tm_hour, time.tm_min, time.tm_sec) = (0, 0, 0)
        time.tm_mday -= days
        return moment(&time)
    }

    /// The timestamp of a local time. mktime(3) normalises days before the first of a month.
    private static func moment(_ time: inout tm) -> Timestamp? {
        time.tm_isdst = -1
        let second = mktime(&time)
        return second == -1 ? nil : Timestamp(millisecondsSince1970: Int64(second) * 1000)
    }
}

extension Timestamp {
    /// The current time of the wall clock.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
