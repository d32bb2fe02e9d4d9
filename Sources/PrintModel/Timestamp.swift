/// A time in UTC, in whole milliseconds since 1970-01-01, written as RFC 3339 text: `2026-11-21T03:40:00.123Z`.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var millisecondsSince1970: Int64

    /// Creates a time from milliseconds since 1970-01-01T00:00:00Z.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The time that is so many seconds later, or earlier where they are negative; at most the last that there is.
    public func advanced(bySeconds seconds: Int) -> Timestamp {
        let (milliseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1000)
        let (sum, overflowed) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSince1970: overflow || overflowed ? (seconds < 0 ? .min : .max) : sum)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time as RFC 3339 text with milliseconds.
    public var description: String {
        let (days, milliseconds) = millisecondsSince1970.flooredDivision(by: 86_400_000)
        let (year, month, day) = Self.civilDate(daysSince1970: days)
        let seconds = milliseconds / 1000
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func write(_ value: Int64, _ width: Int, _ end: Unicode.Scalar) {
            let start = text.count
            var rest = value.magnitude
            repeat {
                text.insert(UInt8(ascii: "0") + UInt8(rest % 10), at: start)
                rest /= 10
            } while rest > 0 || text.count - start < width
            text.append(UInt8(ascii: end))
        }
        // RFC 3339 has no such year.
        if year < 0 { text.append(UInt8(ascii: "-")) }
        write(year, 4, "-")
        write(month, 2, "-")
        write(day, 2, "T")
        write(seconds / 3600, 2, ":")
        write(seconds / 60 % 60, 2, ":")
        write(seconds % 60, 2, ".")
        write(milliseconds % 1000, 3, "Z")
        return String(decoding: text, as: UTF8.self)
    }

    /// The proleptic Gregorian date, by eras of 400 years that begin on 1 March (Hinnant, "chrono-Compatible Low-Level
    /// Date Algorithms").
    private static func civilDate(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Timestamp {
    /// Reads the form that `description` writes, and the same without a fraction; nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 || bytes.count == 24, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            bytes[range].reduce(into: Int64?(0)) { value, byte in
                guard let number = value, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                    return value = nil
                }
                value = number * 10 + Int64(byte - UInt8(ascii: "0"))
            }
        }
        let separators: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard separators.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            let milliseconds = bytes.count == 24 ? (bytes[19] == UInt8(ascii: ".") ? number(20..<23) : nil) : 0,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        // 30 February would become 2 March.
        guard Self.civilDate(daysSince1970: days).day == day else { return nil }
        self.init(
            millisecondsSince1970: ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milliseconds
        )
    }
}

extension Timestamp: Codable {
    /// Decodes RFC 3339 text in UTC.
    /// - Throws: `DecodingError` for any other string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ Timestamp($0) }, problem: { "\"\($0)\" is not an RFC 3339 time in UTC" })
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension Int64 {
    /// Quotient and non-negative remainder; `divisor` is positive.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
