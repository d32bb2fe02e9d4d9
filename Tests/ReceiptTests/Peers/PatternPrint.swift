import PaperPictures

@testable import Receipts
@testable import SimulatedPaper

/// What our own printer makes of a job when its characters are patterns.
struct PatternPrint {
    /// From cut to cut, to the last black dot, without margins.
    let pieces: [Bitmap]
    /// Of each line that has any.
    let words: [[String]]
    let faults: [String]

    init(_ job: ForeignPrint.Job) throws {
        var model = PaperModel()
        // The row of the dashes belongs to no piece.
        (model.width, model.cutterDistance) = (job.width, 1)
        var printer = PaperPrinter(model, glyphs: PatternGlyphs(), symbols: ZintSymbols(), wideText: IconvText())
        let paper = printer.print([UInt8](job.bytes), as: .escPOS)[0]
        faults = paper.faults.map(\.line)
        let ends = paper.cuts.map(\.row) + [paper.picture.height]
        let starts = [0] + paper.cuts.map { $0.row + 1 }
        pieces = zip(starts, ends).compactMap { start, end in
            var piece = Bitmap(width: job.width, height: max(end - start, 0))
            piece.draw(paper.picture, x: -model.margin, y: -start)
            guard let last = piece.lastBlackRow else { return nil }
            piece.resize(height: last + 1)
            return piece
        }
        words = Self.lines(paper.events).map { $0.split(separator: " ").map { String($0) } }.filter { !$0.isEmpty }
    }

    private static func lines(_ events: [PaperEvent]) -> [String] {
        var lines = [""]
        for event in events {
            switch event.kind {
            case .text(let text): lines[lines.count - 1] += text
            case .command("LF", _, _): lines.append("")
            case .command("ESC $", _, _): lines[lines.count - 1] += " "
            default: break
            }
        }
        return lines
    }
}

extension ForeignPrint {
    /// Of each line that has any; of pictures and codes it says what they are, in brackets.
    var words: [[String]] {
        lines.filter { !$0.hasPrefix("[") || !$0.hasSuffix("]") }.map { $0.split(separator: " ").map { String($0) } }
            .filter { !$0.isEmpty }
    }

    /// The barcodes' symbologies, and what QR codes say.
    var codes: [String] {
        lines.compactMap { line in
            if line.hasPrefix("[qr ") {
                line
            } else if line.hasPrefix("[barcode ") {
                line.split(separator: " ").dropFirst().first.map { String($0) }
            } else {
                nil
            }
        }
    }
}

/// Lines of a layout that Epson's manual leaves no doubt about.
enum AgreedLines {
    static func of(_ layout: ReceiptLayout) -> ReceiptLayout {
        var layout = layout
        layout.lines.removeAll { line in
            guard case .text(let text) = line.content else { return false }
            // The manual's "baseline" is the cells' lower edge to emupos, and the letters' to us; and it underlines
            // what is white on black.
            return Set(text.runs.map(\.style.height)).count > 1
                || text.runs.contains { $0.style.invert && $0.style.underline }
        }
        return layout
    }
}
