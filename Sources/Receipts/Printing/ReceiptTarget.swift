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
}
