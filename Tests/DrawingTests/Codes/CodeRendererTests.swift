import KioskDrawingMessages
import KioskReceiptDrawing
import KioskReceipts
import Testing

@Suite struct CodeRendererTests {
    static let codes: [(Symbology, String)] = [
        (.upc, "036000291452"), (.upc, "01234565"), (.ean, "4006381333931"), (.ean, "96385074"), (.code39, "KIOSK-7 %"),
        (.itf, "00012345678905"),
        (.codabar, "A40156B"), (.code93, "TEST93"), (.code93, "Small 93!"), (.code128, "Kiosk 2026"),
        (.code128, "123456"), (.code128, "AB12345678cd"),
        (.code128, "a1234567b"), (.qrcode, "https://cafe.example/r/8842"), (.qrcode, "12345678901234567890"),
        (.qrcode, "Größe 谢谢"),
        (.qrcode, "HELLO WORLD 123"), (.pdf417, "Kiosk PDF417, a longer text than before"), (.datamatrix, "Kiosk 42"),
        (.datamatrix, "1234567890"),
    ]

    /// The code in the layout of 80 mm paper.
    private func placed(_ symbology: Symbology, _ text: String, scale: Int) throws -> PlacedCode {
        let receipt = Receipt([.code(ReceiptCode(text, symbology, module: scale, cell: scale + 1, level: .m))])
        let layout = try ReceiptLayout(receipt, on: ReceiptPaper(dots: 576))
        let code = layout.lines.lazy.compactMap { line in if case .code(let code) = line.content { code } else { nil } }
            .first
        return try #require(code)
    }

    private func drawn(_ code: PlacedCode) throws -> DotMatrix {
        let drawn = DrawnCode(
            code.code.symbology, code.checked.text, scale: code.scale, level: code.code.level, columns: code.columns)
        return try CodeRenderer.draw(drawn, width: code.width, height: code.height)
    }

    @Test(arguments: codes, [2, 3, 4]) func `readers read what was drawn, in the size of the layout`(
        _ code: (Symbology, String), _ scale: Int
    ) async throws {
        let placed = try placed(code.0, code.1, scale: scale)
        let dots = try drawn(placed)
        #expect((dots.width, dots.height) == (placed.width, placed.height))
        if !code.0.isTwoDimensional {
            // The bars fill the place: the first and the last column are black.
            #expect(dots[0, 0] && dots[dots.width - 1, dots.height - 1])
        }
        // zbar takes bytes beyond ASCII for Shift JIS.
        if [.pdf417, .datamatrix].contains(code.0) || !code.1.utf8.allSatisfy({ $0 < 0x80 }) {
            if let read = try await Readers.zxing(dots) { #expect(read == [placed.checked.text]) }
        } else {
            #expect(try await Readers.zbar(dots) == [placed.checked.text])
        }
    }

    @Test func `modules are exactly so many dots wide`() throws {
        let dots = try drawn(placed(.ean, "4006381333931", scale: 3))
        // The guard: bar, space, bar.
        #expect(
            (0..<12).map { dots[$0, 0] } == [
                true, true, true, false, false, false, true, true, true, false, false, false,
            ])
    }

    @Test func `a code without room is refused`() {
        let error = #expect(throws: DrawingRefusal.self) {
            try CodeRenderer.draw(DrawnCode(.code128, "Kiosk", scale: 2), width: 40, height: 60)
        }
        #expect(error?.code == .code)
        #expect(error?.message.contains("has room for 40 × 60") == true)
    }

    @Test(arguments: [(Symbology.ean, "12"), (.ean, "4006381333932"), (.itf, "abc"), (.qrcode, ""), (.upc, "x")])
    func `data that does not fit is refused`(
        _ symbology: Symbology, _ text: String
    ) {
        let error = #expect(throws: DrawingRefusal.self) {
            try CodeRenderer.draw(DrawnCode(symbology, text, scale: 2), width: 500, height: 500)
        }
        #expect(error?.code == .code)
    }
}
