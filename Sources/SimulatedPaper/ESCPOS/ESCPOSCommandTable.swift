/// All commands by the bytes that they begin with.
struct ESCPOSCommandTable: Sendable {
    private let commands: [[UInt8]: ESCPOSCommand]
    private let longest: Int

    static let standard = ESCPOSCommandTable(
        ESCPOSPrinter.feedCommands + ESCPOSPrinter.positionCommands + ESCPOSPrinter.textCommands + ESCPOSPrinter.wideTextCommands
            + ESCPOSPrinter.imageCommands + ESCPOSPrinter.graphicsCommands + ESCPOSPrinter.barcodeCommands + ESCPOSPrinter.symbolCommands
            + ESCPOSPrinter.pageCommands + ESCPOSPrinter.statusCommands + ESCPOSPrinter.deviceCommands)

    private init(_ list: [ESCPOSCommand]) {
        commands = Dictionary(uniqueKeysWithValues: list.map { ($0.prefix, $0) })
        longest = commands.keys.reduce(0) { max($0, $1.count) }
    }

    /// The command that comes next, the longest beginning that fits; its first bytes are taken then.
    func next(in reader: inout ByteReader) -> ESCPOSCommand? {
        let bytes = (0..<longest).prefix { reader.peek($0) != nil }.compactMap { reader.peek($0) }
        for count in Swift.stride(from: bytes.count, to: 0, by: -1) {
            guard let command = commands[Array(bytes.prefix(count))] else { continue }
            reader.skip(count)
            return command
        }
        return nil
    }
}
