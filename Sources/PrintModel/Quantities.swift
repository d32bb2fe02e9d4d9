/// Periods as files and command lines write them: `10m`, or bare seconds.
extension Duration {
    /// Largest first.
    private static let fileUnits: [(letter: Character, seconds: Int)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    /// Reads digits, with or without a unit; nil for anything else.
    package static func seconds(of text: String) -> Int? {
        let unit = fileUnits.first { $0.letter == text.last }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let count = Int(digits: digits) else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit?.seconds ?? 1)
        return overflow ? nil : seconds
    }

    /// The shortest spelling: `10m`, or bare seconds where no larger unit fits.
    package static func fileText(ofSeconds seconds: Int) -> String {
        guard seconds > 0, let unit = fileUnits.first(where: { seconds.isMultiple(of: $0.seconds) }), unit.seconds > 1
        else {
            return "\(seconds)"
        }
        return "\(seconds / unit.seconds)\(unit.letter)"
    }
}

/// Counts of bytes as files and command lines write them: `200MB`, or bare digits. Units are decimal, as on disks.
package enum ByteCounts {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
    ]

    /// Reads digits, with or without a unit; nil for anything else.
    package static func bytes(of text: String) -> Int64? {
        let unit = units.first { text.lowercased().hasSuffix($0.name.lowercased()) }
        let digits = text.dropLast(unit == nil ? 0 : 2)
        guard let count = Int64(digits: digits) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? nil : bytes
    }

    /// The shortest spelling.
    package static func text(of bytes: Int64) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.bytes) }) else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
