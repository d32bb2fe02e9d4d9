extension Duration {
    /// The units of the file, largest first.
    package static let fileUnits: [(letter: Character, seconds: Int)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    package static func seconds(of text: String) -> Int? {
        let unit = fileUnits.first { $0.letter == text.last }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let count = Int(digits), digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
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
