/// All commands of a language by the bytes that they begin with.
struct ReceiptCommandTable: Sendable {
    private let commands: [[UInt8]: ReceiptCommand]
    private let longest: Int
    /// Whether a command begins with the byte.
    private let begins: [Bool]

    static let escPOS = ReceiptCommandTable(
        ReceiptPrinter.feedCommands + ReceiptPrinter.positionCommands + ReceiptPrinter.textCommands
            + ReceiptPrinter.wideTextCommands
            + ReceiptPrinter.imageCommands + ReceiptPrinter.graphicsCommands + ReceiptPrinter.barcodeCommands
            + ReceiptPrinter.symbolCommands
            + ReceiptPrinter.pageCommands + ReceiptPrinter.statusCommands + ReceiptPrinter.deviceCommands)

    static let star = ReceiptCommandTable(
        ReceiptPrinter.starTextCommands + ReceiptPrinter.starLineCommands + ReceiptPrinter.starPictureCommands
            + ReceiptPrinter.starRasterCommands)

    /// While Star's raster mode lasts.
    static let starRaster = ReceiptCommandTable(ReceiptPrinter.starRasterCommands + ReceiptPrinter.starRasterRows)

    private init(_ list: [ReceiptCommand]) {
        commands = Dictionary(uniqueKeysWithValues: list.map { ($0.prefix, $0) })
        longest = commands.keys.reduce(0) { max($0, $1.count) }
        var begins = [Bool](repeating: false, count: 256)
        for prefix in commands.keys { if let first = prefix.first { begins[Int(first)] = true } }
        self.begins = begins
    }

    /// The command that comes next, the longest beginning that fits; its first bytes are taken then.
    func next(in reader: inout ByteReader) -> ReceiptCommand? {
        guard let first = reader.peek(), begins[Int(first)] else { return nil }
        let bytes = (0..<longest).prefix { reader.peek($0) != nil }.compactMap { reader.peek($0) }
        for count in Swift.stride(from: bytes.count, to: 0, by: -1) {
            guard let command = commands[Array(bytes.prefix(count))] else { continue }
            reader.skip(count)
            return command
        }
        return nil
    }
}
