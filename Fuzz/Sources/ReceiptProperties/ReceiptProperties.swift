package import KioskReceipts

/// What must hold for any receipt that was read.
package enum ReceiptProperties {
    package static let privileges = Set(ReceiptPrivilege.allCases)

    package static func check(_ receipt: Receipt, columns: Int) {
        guard let again = try? ReceiptJSON.read(ReceiptJSON.write(receipt), privileges: privileges), again == receipt
        else {
            fatalError("as JSON, it says something else")
        }
        let paper = ReceiptPaper(columns: columns)
        guard let layout = try? ReceiptLayout(receipt, on: paper) else { return }
        for line in layout.lines { check(line, paper) }
        _ = TextPreview.text(of: layout)
        _ = SVGPreview.svg(of: layout)
        guard let document = try? EscPosDocument(layout, for: EscPosCapabilities(paper: paper)) else { return }
        let kicks = document.commands.filter { if case .pulse = $0 { true } else { false } }
        guard kicks.count <= 2 else { fatalError("a drawer is kicked twice") }
        guard document.bytes.count >= 2 else { fatalError("nothing is said") }
    }

    private static func check(_ line: LayoutLine, _ paper: ReceiptPaper) {
        switch line.content {
        case .text(let text):
            var occupied = Set<Int>()
            let places =
                text.runs.map { $0.column..<$0.column + $0.width }
                + text.strokes.map { $0.column..<$0.column + $0.joints.count }
            for column in places.joined() {
                guard (0..<paper.columns(of: text.font)).contains(column), occupied.insert(column).inserted else {
                    fatalError("something stands beyond the paper, or on something else")
                }
            }
        case .code(let code):
            guard code.left >= 0, code.left + code.width <= paper.dots else {
                fatalError("a code is wider than the paper")
            }
        case .image(let image):
            guard image.left >= 0, image.left + image.width <= paper.dots else {
                fatalError("an image is wider than the paper")
            }
        case .turned(let placed):
            guard placed.left >= 0, placed.left + placed.width <= paper.dots else {
                fatalError("turned lines are wider than the paper")
            }
            for line in placed.lines { check(line, placed.paper) }
        case .feed, .logo, .cut, .drawer, .buzzer, .command: break
        }
    }
}
