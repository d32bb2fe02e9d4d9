import FuzzLoop
import KioskReceipts
import KioskTextLayout

@main enum FuzzTextLayout {
    static func main() { fuzz(check) }

    /// On pages whose size follows from the input's length.
    static func check(_ bytes: [UInt8]) {
        let (columns, rows) = (2 + bytes.count % 90, 1 + bytes.count % 7)
        let text = PlainText(bytes, maximumLines: 1_000)
        guard text.lines.joined().allSatisfy({ $0 >= 0x20 || $0 == 0x09 }) else { fatalError("a control character") }
        guard zip(text.pageStarts, text.pageStarts.dropFirst()).allSatisfy({ $0 <= $1 }) else {
            fatalError("pages that go back")
        }
        guard let layout = try? TextLayout(text, columns: columns, rows: rows, maximumPages: 500) else { return }
        guard (1...500).contains(layout.pages.count) else { fatalError("a number of pages") }
        for page in layout.pages {
            guard page.count <= rows else { fatalError("a page that is too long") }
            for row in page {
                guard row.text.reduce(0, { $0 + $1.cells }) <= columns else { fatalError("a row that is too long") }
                guard row.text.unicodeScalars.count <= 33 * columns + 32 else { fatalError("a row of marks") }
                guard row.text.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
                    fatalError("a control character")
                }
            }
        }
    }
}
