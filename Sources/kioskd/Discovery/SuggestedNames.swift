import PrintModel

/// Names for printers that nobody has named yet: their model in the letters that a name may have, each once.
struct SuggestedNames {
    private var taken: Set<String>

    init(taken: [PrinterID]) { self.taken = Set(taken.map(\.rawValue)) }

    mutating func next(for model: String) -> PrinterID {
        let words = model.lowercased().utf8.split { !Self.isKept($0) }.map { String(Substring($0)) }
        let base = words.isEmpty ? "printer" : String(words.joined(separator: "-").prefix(Self.longest))
        // A cut may have left a hyphen behind.
        let stem = base.hasSuffix("-") ? String(base.dropLast()) : base
        var number = 1
        while true {
            let name = number == 1 ? stem : "\(stem)-\(number)"
            if taken.insert(name).inserted, let id = PrinterID(rawValue: name) { return id }
            number += 1
        }
    }

    /// Leaves room for a number within the 63 letters of a name.
    private static let longest = 50

    private static func isKept(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
