/// A command of a receipt printer: how many bytes belong to it, and what the printer does.
struct ReceiptCommand: Sendable {
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
    typealias Action = @Sendable (inout ReceiptPrinter, CommandArguments) -> CommandOutcome

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
        "NUL": 0, "SOH": 1, "EOT": 4, "ENQ": 5, "ACK": 6, "BEL": 7, "HT": 9, "LF": 0x0A, "FF": 0x0C, "CR": 0x0D,
        "SO": 0x0E, "SI": 0x0F,
        "DLE": 0x10, "DC2": 0x12, "DC4": 0x14, "ETB": 0x17, "CAN": 0x18, "EM": 0x19, "SUB": 0x1A, "ESC": 0x1B,
        "FS": 0x1C, "GS": 0x1D,
        "RS": 0x1E,
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
struct CommandOutcome: ExpressibleByStringInterpolation {
    var meaning: String
    var isFault = false

    init(stringLiteral meaning: String) { self.meaning = meaning }

    init(_ meaning: String, isFault: Bool = false) {
        self.meaning = meaning
        self.isFault = isFault
    }

    /// The printer skips it, and why.
    static func refused(_ meaning: String) -> CommandOutcome { CommandOutcome(meaning, isFault: true) }
}
