public import PrintModel

#if canImport(Glibc)
    internal import Glibc
#endif

/// A moment as people say it: `10m` ago, `today`, or written out.
public enum JobMoment {
    /// What to write instead of something else.
    public static let forms =
        "a time ago such as 30s, 10m, 2h or 7d, today or yesterday, or a time such as 2026-03-14 or 2026-03-14T09:30:00Z"

    /// By the wall clock.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Days begin at midnight where this process runs (`TZ`); nil for anything that is none of `forms`.
    public static func parse(_ text: String, at now: Timestamp) -> Timestamp? {
        switch text {
        case "today": return midnight(daysAgo: 0, at: now)
        case "yesterday": return midnight(daysAgo: 1, at: now)
        default: break
        }
        // A bare number may be seconds, minutes or a year: it needs its unit.
        if text.utf8.count <= 12, text.last?.isLetter == true, let seconds = Duration.seconds(of: text) {
            return now.advanced(bySeconds: -seconds)
        }
        return Timestamp(text) ?? day(text)
    }

    /// The beginning of a day such as `2026-03-14`.
    private static func day(_ text: String) -> Timestamp? {
        // The same rules as for a whole time, leap days among them.
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

    /// mktime(3) puts days before the first of a month right.
    private static func moment(_ time: inout tm) -> Timestamp? {
        time.tm_isdst = -1
        let second = mktime(&time)
        return second == -1 ? nil : Timestamp(millisecondsSince1970: Int64(second) * 1000)
    }
}
