import Glibc
import NIOHTTP1

/// Reads `Retry-After` (RFC 9110 §10.2.3), which servers send with 429 and 503.
enum RetryAfter {
    /// How long the server asks to be left alone; nil where it says nothing that can be understood. Longer than a day
    /// is a day.
    static func duration(in headers: HTTPHeaders) -> Duration? {
        guard let value = headers.first(name: "retry-after")?.trimmed, !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return .seconds(min(Int64(value) ?? maximum, maximum))
        }
        // By the server's own clock, where it tells that: printers' clocks are often wrong.
        guard let time = seconds(value) else { return nil }
        let now = headers.first(name: "date").flatMap { seconds($0.trimmed) } ?? Int64(Glibc.time(nil))
        return .seconds(min(max(time - now, 0), maximum))
    }

    private static let maximum: Int64 = 86_400

    /// The seconds since 1970 of an IMF-fixdate (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func seconds(_ date: String) -> Int64? {
        let words = date.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])), let year = Int32(words[3]),
            (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int32($0) }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
        return Int64(timegm(&parts))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

extension String {
    /// Without the optional white space around a field's value (RFC 9110 §5.5).
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
