/// Counts of bytes as files and command lines spell them: `200MB`, or bare digits. Units are decimal, as disks are
/// sold.
package enum ByteCounts {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
    ]

    package static func bytes(of text: String) -> Int64? {
        let unit = units.first { text.lowercased().hasSuffix($0.name.lowercased()) }
        let digits = text.dropLast(unit == nil ? 0 : 2)
        guard let count = Int64(digits), digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? nil : bytes
    }

    /// The shortest spelling.
    package static func text(of bytes: Int64) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.bytes) }) else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
