import Glibc
import Synchronization

/// The `Date` field (RFC 9110 §6.6.1), written anew at most once a second and only when an answer asks for it.
final class DateField: Sendable {
    private let last = Mutex<(second: time_t, text: String)>((0, ""))

    var value: String {
        let now = time(nil)
        return last.withLock { last in
            if last.second != now { last = (now, Self.text(of: now)) }
            return last.text
        }
    }

    /// RFC 9110 §5.6.7: `Sat, 21 Nov 2026 03:40:00 GMT`. The names are English whatever the locale is.
    static func text(of moment: time_t) -> String {
        var moment = moment
        var parts = tm()
        gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
