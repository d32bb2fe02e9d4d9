import TestSupport
import Testing

@testable import Receipts

/// Whatever a receipt says, nothing of its layout is beyond the paper or stands on something else.
@Suite struct LayoutBoundsTests {
    @Test func `random receipts on papers of all widths`() {
        var generator = RandomReceipt(random: SeededRandom(23))
        for round in 0..<rounds(400, long: 100_000) {
            let paper = ReceiptPaper(columns: round.isMultiple(of: 50) ? 1 + round / 50 % 11 : 12 + round % 85)
            let receipt = generator.receipt()
            do throws(ReceiptError) {
                let layout = try ReceiptLayout(receipt, on: paper)
                check(layout, receipt)
            } catch {
                #expect(error.code == .doesNotFit, "\(error)")
            }
        }
    }

    private func check(_ layout: ReceiptLayout, _ receipt: Receipt) {
        var top = 0
        for line in layout.lines {
            #expect(line.top == top && line.height >= 0)
            top += line.height
            switch line.content {
            case .text(let text): check(text, line.height, layout.paper)
            case .code(let code):
                #expect(code.left >= 0 && code.left + code.width <= layout.paper.dots && code.width > 0)
                #expect(code.area.lowerBound <= code.left && code.left + code.width <= code.area.upperBound)
                #expect(line.height >= code.offset + code.height + code.textHeight)
            case .image(let image):
                #expect(
                    image.left >= 0 && image.left + image.width <= layout.paper.dots && image.width > 0
                        && image.height == line.height)
            case .feed, .cut, .drawer, .command: break
            }
        }
        let columns = max(layout.paper.columns(of: .b), layout.paper.columns(of: .a), 2)
        for row in TextPreview.text(of: layout).split(separator: "\n")
        where !row.hasPrefix("╌") && !row.hasPrefix(" drawer") && !row.hasSuffix("printer ") {
            #expect(row.reduce(0) { $0 + TextCluster.cells(of: $1) } <= columns || row.contains("cut:"), "\(row)")
        }
        // Every kick and command is there once.
        #expect(
            layout.lines.filter { if case .drawer = $0.content { true } else { false } }.count
                == receipt.elements.filter { if case .drawer = $0 { true } else { false } }.count)
    }

    private func check(_ line: TextLine, _ height: Int, _ paper: ReceiptPaper) {
        let columns = paper.columns(of: line.font)
        var taken = Set<Int>()
        for run in line.runs {
            #expect(run.column >= 0 && run.column + run.width <= columns)
            #expect(run.width == run.text.reduce(0) { $0 + TextCluster.cells(of: $1) } * run.style.width, "\(run)")
            #expect(TextStyle.scales.contains(run.style.width) && run.style.height <= line.scale)
            for column in run.column..<run.column + run.width { #expect(taken.insert(column).inserted) }
        }
        for stroke in line.strokes {
            #expect(stroke.column >= 0 && stroke.column + stroke.joints.count <= columns)
            for column in stroke.column..<stroke.column + stroke.joints.count { #expect(taken.insert(column).inserted) }
        }
        #expect(height >= line.scale * paper.cell(of: line.font).height)
    }
}
