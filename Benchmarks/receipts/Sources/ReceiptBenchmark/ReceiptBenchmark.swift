import Foundation
import KioskReceipts

/// Turns a receipt's markup into an ESC/POS printer's commands again and again, and prints how many nanoseconds each
/// took.
@main struct ReceiptBenchmark {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]), count > 0 else {
            FileHandle.standardError.write(Data("ReceiptBenchmark MARKUP COUNT (see run)\n".utf8))
            exit(64)
        }
        let markup = try [UInt8](Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
        let target = ReceiptTarget.escPos(EscPosCapabilities(paper: ReceiptPaper(dots: 576)))
        // As the engine does: what was drawn for one receipt is kept for the next.
        var drawn = RenderedDrawings.nothing
        for drawing in try document(markup, target).drawings { drawn.matrices[drawing] = pattern(drawing) }
        var (times, length): ([Int64], Int) = ([], 0)
        // Warm: caches, memory, and the processor's speed.
        let warm = ContinuousClock.now + .milliseconds(300)
        while ContinuousClock.now < warm { length = try document(markup, target).bytes(with: drawn).count }
        for _ in 0..<count {
            let start = ContinuousClock.now
            length = try document(markup, target).bytes(with: drawn).count
            times.append(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
        }
        FileHandle.standardError.write(Data("ours: \(length) bytes\n".utf8))
        for time in times { print(time) }
    }

    private static func document(_ markup: [UInt8], _ target: ReceiptTarget) throws -> ReceiptDocument {
        try ReceiptDocument(ReceiptMarkup.read(markup).receipt, for: target)
    }

    /// Dots that are neither all white nor all black.
    private static func pattern(_ drawing: Drawing) -> DotMatrix {
        var matrix = DotMatrix(width: drawing.width, height: drawing.height)
        for y in 0..<drawing.height { for x in 0..<drawing.width where (x + y) % 3 == 0 { matrix[x, y] = true } }
        return matrix
    }
}
