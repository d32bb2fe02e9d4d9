import KioskDrawingMessages
import KioskReceipts
import Synchronization
import Testing

@testable import KioskReceiptDrawing

/// A line of text, drawn in this process, one at a time.
struct DrawnLine {
    private static let turn = Mutex(())
    // Only used in turn.
    nonisolated(unsafe) private static let drawer = Result { try TextRenderer() }

    var dots: DotMatrix
    var withoutGlyph: [Unicode.Scalar]

    init(
        _ text: String, isRightToLeft: Bool = false, emphasis: Bool = false, cell: (width: Int, height: Int) = (12, 24),
        scale: (width: Int, height: Int) = (1, 1), cells: Int? = nil
    ) throws {
        let cells = cells ?? text.reduce(0) { $0 + $1.cells }
        let drawn = DrawnText(
            text, isRightToLeft: isRightToLeft, emphasis: emphasis, cellWidth: cell.width, cellHeight: cell.height,
            scaleWidth: scale.width,
            scaleHeight: scale.height)
        (dots, withoutGlyph) = try Self.turn.withLock { _ in
            try Self.drawer.get().draw(
                drawn, width: cells * cell.width * scale.width, height: cell.height * scale.height)
        }
    }
}
