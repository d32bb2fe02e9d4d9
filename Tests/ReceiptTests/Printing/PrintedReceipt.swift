import PaperPictures
import SimulatedPaper
import TestSupport
import Testing

@testable import Receipts

/// What a printer that shares no code with the encoders makes of a receipt.
struct PrintedReceipt {
    let document: ReceiptDocument
    let bytes: [UInt8]
    let papers: [PrintedPaper]
    let dump: String

    init(
        _ layout: ReceiptLayout, for target: ReceiptTarget, dotsPerInch: Int = 203,
        drawn draw: (Set<Drawing>) throws -> Drawn = { try BitmapArtist.drawn($0) }
    ) throws {
        document = try ReceiptDocument(layout, for: target)
        let drawn = try draw(document.drawings)
        var model = PaperModel()
        // A head has whole bytes, and so have the rows that it is sent.
        model.width = (layout.paper.dots + 7) / 8 * 8
        (model.dotsPerInch, model.horizontalUnits, model.verticalUnits) = (dotsPerInch, dotsPerInch, dotsPerInch)
        var printer = try PaperPrinter(model)
        bytes = try document.bytes(with: drawn)
        papers = printer.print(bytes, as: target.simulated)
        dump = try document.dump(with: drawn)
    }

    /// What the printer could not do, and what it could not print whole.
    var faults: [String] {
        papers.flatMap { paper in paper.events.filter { $0.isFault || $0.line.contains("cut off") }.map(\.line) }
    }

    /// One below the other.
    var picture: Bitmap {
        var picture = Bitmap(
            width: papers.map(\.picture.width).max() ?? 1, height: papers.reduce(0) { $0 + $1.picture.height })
        var top = 0
        for paper in papers {
            picture.draw(paper.picture, x: 0, y: top)
            top += paper.picture.height
        }
        return picture
    }
}

extension ReceiptTarget {
    var simulated: PaperLanguage {
        switch self {
        case .escPos: .escPOS
        case .star: .star
        case .label: .zpl
        case .raster(let printer): printer.format == .urf ? .urf : .pwg
        case .text: .escPOS
        }
    }
}

extension Bitmap {
    init(_ matrix: DotMatrix) { self.init(width: matrix.width, height: matrix.height, rows: matrix.bytes) }
}
