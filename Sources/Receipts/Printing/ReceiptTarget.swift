import PrintModel

/// The printer that a receipt is for, as far as its language needs to know it.
package enum ReceiptTarget: Hashable, Sendable {
    case escPos(EscPosPrinter)
    case star(StarPrinter)
    case label(LabelPrinter)
    case raster(RasterPrinter)
    case text(TextPrinter)

    package var paper: ReceiptPaper {
        switch self {
        case .escPos(let printer): printer.paper
        case .star(let printer): printer.paper
        case .label(let printer): printer.paper
        case .raster(let printer): printer.paper
        case .text(let printer): printer.paper
        }
    }

    var hasDrawer: Bool {
        switch self {
        case .escPos, .star: true
        case .label, .raster, .text: false
        }
    }

    /// Whether it can draw what it has no characters and codes for; else a code may become what it says.
    package var canDraw: Bool { plainWriting == nil }

    /// How a receipt is rewritten for a printer that can draw nothing; nil for others.
    var plainWriting: PlainWriting? {
        switch self {
        case .text(let printer): return PlainWriting(symbologies: []) { printer.bytes(of: $0) != nil }
        case .escPos(let printer) where printer.raster == nil:
            let pages = CodePage.allCases.filter { printer.codePages[$0] != nil }
            return PlainWriting(symbologies: printer.symbologies) { character in
                character.asciiValue.map { (0x20..<0x7F).contains($0) }
                    ?? pages.contains { $0.bytes(of: character) != nil }
            }
        default: return nil
        }
    }
}
