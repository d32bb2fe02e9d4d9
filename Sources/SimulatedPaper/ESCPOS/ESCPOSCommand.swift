/// A command of ESC/POS: how many bytes belong to it, and what the printer does.
struct ESCPOSCommand: Sendable {
    /// Where a command's parameters end.
    enum Extent: Sendable {
        case fixed(Int)
        /// Two bytes say how many follow.
        case block
        /// Four bytes say how many follow.
        case longBlock
        case untilNUL
        /// Takes them itself; nil where bytes are missing.
        case read(@Sendable (inout ByteReader) -> [UInt8]?)
    }

    /// Returns what it did in words; a fault where the printer would not do it.
    typealias Action = @Sendable (inout ESCPOSPrinter, CommandArguments) -> ESCPOSOutcome

    /// As the manual spells it.
    let name: String
    let extent: Extent
    let action: Action

    init(_ name: String, _ extent: Extent, _ action: @escaping Action) {
        self.name = name
        self.extent = extent
        self.action = action
    }

    /// The bytes that it begins with.
    var prefix: [UInt8] {
        name.split(separator: " ").flatMap { word -> [UInt8] in
            if let code = Self.controlCodes[String(word)] { return [code] }
            return word == "SP" ? [0x20] : Array(word.utf8)
        }
    }

    private static let controlCodes: [String: UInt8] = [
        "ESC": 0x1B, "GS": 0x1D, "FS": 0x1C, "DLE": 0x10, "EOT": 4, "ENQ": 5, "DC4": 0x14, "FF": 0x0C, "HT": 9, "LF": 0x0A, "CR": 0x0D,
        "CAN": 0x18, "BEL": 7,
    ]

    /// The parameters; nil where the bytes end before them.
    func parameters(from reader: inout ByteReader) -> [UInt8]? {
        switch extent {
        case .fixed(let count): return reader.take(count)
        case .untilNUL: return reader.take(until: 0)
        case .read(let take): return take(&reader)
        case .block:
            guard let size = reader.take(2) else { return nil }
            return reader.take(Int(size[0]) | Int(size[1]) << 8)
        case .longBlock:
            guard let size = reader.take(4) else { return nil }
            return reader.take(size.reversed().reduce(0) { $0 << 8 | Int($1) })
        }
    }
}

/// What a command came to.
struct ESCPOSOutcome: ExpressibleByStringInterpolation {
    var meaning: String
    var isFault = false

    init(stringLiteral meaning: String) { self.meaning = meaning }

    init(_ meaning: String, isFault: Bool = false) {
        self.meaning = meaning
        self.isFault = isFault
    }

    /// The printer skips it, and why.
    static func refused(_ meaning: String) -> ESCPOSOutcome { ESCPOSOutcome(meaning, isFault: true) }
}
