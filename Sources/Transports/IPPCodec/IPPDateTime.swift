/// A dateTime value: the eleven octets of RFC 2579's DateAndTime (RFC 8011 §5.1.15), kept as they came, sensible or
/// not.
package struct IPPDateTime: Hashable, Sendable, CustomStringConvertible {
    package var year: UInt16
    package var month: UInt8
    package var day: UInt8
    package var hour: UInt8
    package var minute: UInt8
    /// Up to 60, for a leap second.
    package var second: UInt8
    package var deciSecond: UInt8
    /// ASCII `+` or `-`.
    package var directionFromUTC: UInt8
    package var hoursFromUTC: UInt8
    package var minutesFromUTC: UInt8

    package init(
        year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8, second: UInt8, deciSecond: UInt8 = 0,
        directionFromUTC: UInt8 = UInt8(ascii: "+"), hoursFromUTC: UInt8 = 0, minutesFromUTC: UInt8 = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.deciSecond = deciSecond
        self.directionFromUTC = directionFromUTC
        self.hoursFromUTC = hoursFromUTC
        self.minutesFromUTC = minutesFromUTC
    }

    /// Whether every field lies in the range that RFC 2579 gives it.
    package var isValid: Bool {
        (1...12).contains(month) && (1...31).contains(day) && hour <= 23 && minute <= 59 && second <= 60
            && deciSecond <= 9 && hoursFromUTC <= 13 && minutesFromUTC <= 59
            && (directionFromUTC == UInt8(ascii: "+") || directionFromUTC == UInt8(ascii: "-"))
    }

    /// ISO 8601 with tenths of a second.
    package var description: String {
        let sign = directionFromUTC == UInt8(ascii: "-") ? "-" : "+"
        let date = "\(year)-\(Self.two(month))-\(Self.two(day))"
        let time = "\(Self.two(hour)):\(Self.two(minute)):\(Self.two(second)).\(deciSecond)"
        return "\(date)T\(time)\(sign)\(Self.two(hoursFromUTC)):\(Self.two(minutesFromUTC))"
    }

    private static func two(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
