/// A command of a receipt printer: the bytes that belong to it, and its action.
struct ReceiptCommand: Sendable {
    /// The length of a command's parameters.
    enum Extent: Sendable {
        case fixed(Int)
        /// Two bytes with the number of bytes that follow.
        case block
        /// Four bytes with the number of bytes that follow.
        case longBlock
        case untilNUL
        /// A function that takes them; it returns nil where bytes are missing.
        case read(@Sendable (inout ByteReader) -> [UInt8]?)
    }

    /// Carries out the command, and returns a description; a fault where the printer would ignore it.
    typealias Action = @Sendable (inout ReceiptPrinter, CommandArguments) -> CommandOutcome

    /// The name in the manual.
    let name: String
    let extent: Extent
    let action: Action

    init(_ name: String, _ extent: Extent, _ action: @escaping Action) {
        self.name = name
        self.extent = extent
        self.action = action
    }

    /// The first bytes of the command.
    fileprivate var prefix: [UInt8] {
        name.split(separator: " ").flatMap { word -> [UInt8] in
            if let code = Self.controlCodes[String(word)] { return [code] }
            return word == "SP" ? [0x20] : Array(word.utf8)
        }
    }

    private static let controlCodes: [String: UInt8] = [
        "NUL": 0, "SOH": 1, "ETX": 3, "EOT": 4, "ENQ": 5, "ACK": 6, "BEL": 7, "HT": 9, "LF": 0x0A, "FF": 0x0C,
        "CR": 0x0D,
        "SO": 0x0E, "SI": 0x0F,
        "DLE": 0x10, "DC1": 0x11, "DC2": 0x12, "DC4": 0x14, "ETB": 0x17, "CAN": 0x18, "EM": 0x19, "SUB": 0x1A,
        "ESC": 0x1B,
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

/// The outcome of a command.
struct CommandOutcome: ExpressibleByStringInterpolation {
    var meaning: String
    var isFault = false

    init(stringLiteral meaning: String) { self.meaning = meaning }

    init(_ meaning: String, isFault: Bool = false) {
        self.meaning = meaning
        self.isFault = isFault
    }

    /// The printer ignores the command, for this reason.
    static func refused(_ meaning: String) -> CommandOutcome { CommandOutcome(meaning, isFault: true) }
}

/// The commands of a language, by their first bytes.
struct ReceiptCommandTable: Sendable {
    private let commands: [[UInt8]: ReceiptCommand]
    private let maximumPrefixLength: Int
    /// Whether a command begins with a byte.
    private let isFirstByte: [Bool]

    static let escPOS = ReceiptCommandTable(
        ReceiptPrinter.lineCommands + ReceiptPrinter.positionCommands + ReceiptPrinter.pageCommands
            + ReceiptPrinter.textCommands + ReceiptPrinter.wideTextCommands + ReceiptPrinter.imageCommands
            + ReceiptPrinter.graphicsCommands + ReceiptPrinter.barcodeCommands + ReceiptPrinter.symbolCommands
            + ReceiptPrinter.statusCommands + ReceiptPrinter.deviceCommands + ReceiptPrinter.seikoCommands)

    static let star = ReceiptCommandTable(
        ReceiptPrinter.starTextCommands + ReceiptPrinter.starLineCommands + ReceiptPrinter.starPictureCommands
            + ReceiptPrinter.starCodeCommands + ReceiptPrinter.starPageCommands + ReceiptPrinter.starRasterCommands)

    /// The commands of Star's raster mode.
    static let starRaster = ReceiptCommandTable(ReceiptPrinter.starRasterCommands + ReceiptPrinter.starRasterRows)

    private init(_ list: [ReceiptCommand]) {
        commands = Dictionary(uniqueKeysWithValues: list.map { ($0.prefix, $0) })
        maximumPrefixLength = commands.keys.reduce(0) { max($0, $1.count) }
        var isFirstByte = [Bool](repeating: false, count: 256)
        for prefix in commands.keys { if let first = prefix.first { isFirstByte[Int(first)] = true } }
        self.isFirstByte = isFirstByte
    }

    /// The next command, the one with the longest matching first bytes, which are consumed.
    func next(in reader: inout ByteReader) -> ReceiptCommand? {
        guard let first = reader.peek(), isFirstByte[Int(first)] else { return nil }
        let bytes = (0..<maximumPrefixLength).prefix { reader.peek($0) != nil }.compactMap { reader.peek($0) }
        for count in Swift.stride(from: bytes.count, to: 0, by: -1) {
            guard let command = commands[Array(bytes.prefix(count))] else { continue }
            reader.skip(count)
            return command
        }
        return nil
    }
}
