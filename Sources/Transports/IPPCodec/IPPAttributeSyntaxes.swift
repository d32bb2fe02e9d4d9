// The attribute syntaxes of RFC 8011 §5.1 whose values are more than a number: strings, and values of several fields.

/// The octets of a character-string value. They are usually UTF-8, the `attributes-charset` of nearly every printer,
/// but any octets are kept unchanged. Two texts are equal if their octets are equal.
package struct IPPText: Sendable {
    private enum Storage: Sendable {
        case utf8(String)
        /// Only for octets that are not UTF-8.
        case octets([UInt8])
    }
    private let storage: Storage

    package init(_ string: String) {
        storage = .utf8(string)
    }

    package init(bytes: [UInt8]) {
        self.init(span: bytes.span)
    }

    init(span: Span<UInt8>) {
        if let utf8 = try? UTF8Span(validating: span) {
            storage = .utf8(String(copying: utf8))
        } else {
            storage = .octets([UInt8](copying: span))
        }
    }

    /// The text. Octets that are not UTF-8 become U+FFFD.
    package var string: String {
        switch storage {
        case .utf8(let string): string
        case .octets(let octets): String(decoding: octets, as: UTF8.self)
        }
    }

    /// The octets on the wire.
    package var bytes: [UInt8] {
        switch storage {
        case .utf8(let string): Array(string.utf8)
        case .octets(let octets): octets
        }
    }

    /// The number of octets on the wire.
    package var count: Int {
        switch storage {
        case .utf8(let string): string.utf8.count
        case .octets(let octets): octets.count
        }
    }

    /// Whether the octets are UTF-8, so that `string` loses nothing.
    package var isUTF8: Bool {
        switch storage {
        case .utf8: true
        case .octets: false
        }
    }

    @inline(__always)
    func write(to output: inout MutableSpan<UInt8>, at index: inout Int) {
        switch storage {
        case .utf8(let string): output.put(string.utf8.span, at: &index)
        case .octets(let octets): output.put(octets.span, at: &index)
        }
    }
}

extension IPPText: Hashable {
    // Strings are equal if they are canonically equivalent; texts are equal only if their octets are equal.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left.storage, right.storage) {
        case (.utf8(let left), .utf8(let right)): left.utf8.elementsEqual(right.utf8)
        case (.octets(let left), .octets(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch storage {
        case .utf8(let string): hasher.combine(string)
        case .octets(let octets): hasher.combine(octets)
        }
    }
}

extension IPPText: ExpressibleByStringInterpolation, CustomStringConvertible {
    package init(stringLiteral value: String) { self.init(value) }
    package var description: String { string }
}

/// A rangeOfInteger value (RFC 8011 §5.1.14). It is not a `ClosedRange`, since a peer may send the bounds in the wrong
/// order.
package struct IPPRange: Hashable, Sendable, CustomStringConvertible {
    package var lower: Int32
    package var upper: Int32

    package init(_ lower: Int32, _ upper: Int32) {
        self.lower = lower
        self.upper = upper
    }

    package init(_ range: ClosedRange<Int32>) {
        self.init(range.lowerBound, range.upperBound)
    }

    /// The range in Swift; nil if the bounds are in the wrong order.
    package var closed: ClosedRange<Int32>? { lower <= upper ? lower...upper : nil }

    package func contains(_ value: Int32) -> Bool { lower <= value && value <= upper }

    package var description: String { "\(lower)-\(upper)" }
}

/// A resolution value (RFC 8011 §5.1.16): the resolutions in cross-feed and feed direction, and their unit.
package struct IPPResolution: Hashable, Sendable, CustomStringConvertible {
    package var crossFeed: Int32
    package var feed: Int32
    package var units: Units

    package struct Units: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let dotsPerInch = Units(rawValue: 3)
        package static let dotsPerCentimetre = Units(rawValue: 4)
    }

    package init(_ crossFeed: Int32, _ feed: Int32, _ units: Units = .dotsPerInch) {
        self.crossFeed = crossFeed
        self.feed = feed
        self.units = units
    }

    /// Both resolutions in dots per inch; nil if the unit is unknown or a number is not positive.
    package var dotsPerInch: (crossFeed: Double, feed: Double)? {
        guard crossFeed > 0, feed > 0 else { return nil }
        switch units {
        case .dotsPerInch: return (Double(crossFeed), Double(feed))
        case .dotsPerCentimetre: return (Double(crossFeed) * 2.54, Double(feed) * 2.54)
        default: return nil
        }
    }

    package var description: String {
        let unit =
            switch units {
            case .dotsPerInch: "dpi"
            case .dotsPerCentimetre: "dpcm"
            default: " per unit \(units.rawValue)"
            }
        return crossFeed == feed ? "\(feed)\(unit)" : "\(crossFeed)x\(feed)\(unit)"
    }
}

/// A dateTime value: the eleven octets of RFC 2579's DateAndTime (RFC 8011 §5.1.15). It keeps them even if they are
/// not valid.
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

    /// The date in ISO 8601 with tenths of a second.
    package var description: String {
        let sign = directionFromUTC == UInt8(ascii: "-") ? "-" : "+"
        let date = "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))"
        let time = "\(Self.twoDigits(hour)):\(Self.twoDigits(minute)):\(Self.twoDigits(second)).\(deciSecond)"
        return "\(date)T\(time)\(sign)\(Self.twoDigits(hoursFromUTC)):\(Self.twoDigits(minutesFromUTC))"
    }

    private static func twoDigits(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
