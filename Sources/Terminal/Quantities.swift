package import KioskPrintModel

/// Formats numbers for people.
package enum Quantities {
    /// `812 B`, `4.2 kB`, `200.0 MB`.
    package static func bytes(_ count: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        guard count >= 1000 else { return "\(count) B" }
        var tenths = count / 100
        var unit = 0
        while tenths >= 10_000, unit < units.count - 1 {
            tenths /= 1000
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// `38 ms`, `2.4 s`, `12 min 5 s`, `3 h 20 min`.
    package static func time(milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1000: return "\(max(0, milliseconds)) ms"
        case ..<60_000: return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
        case ..<3_600_000: return "\(milliseconds / 60_000) min \(milliseconds / 1000 % 60) s"
        default: return "\(milliseconds / 3_600_000) h \(milliseconds / 60_000 % 60) min"
        }
    }

    /// `90 s`, `10 min`, `1 h`, `1 d`: the largest unit that keeps it whole.
    package static func period(seconds: Int) -> String {
        let units = [(86_400, "d"), (3600, "h"), (60, "min")]
        for (length, name) in units where seconds >= length && seconds % length == 0 {
            return "\(seconds / length) \(name)"
        }
        return "\(seconds) s"
    }

    package static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    package static func span(_ from: Timestamp, _ to: Timestamp) -> String {
        let (difference, overflow) = to.millisecondsSince1970.subtractingReportingOverflow(from.millisecondsSince1970)
        return time(milliseconds: overflow ? 0 : difference)
    }
}
