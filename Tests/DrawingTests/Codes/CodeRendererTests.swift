import KioskDrawingMessages
import KioskReceiptDrawing
import KioskTestSupport
import Testing

@testable import KioskReceipts

@Suite struct CodeRendererTests {
    static let codes: [(Symbology, String)] = [
        (.upc, "036000291452"), (.upc, "01234565"), (.ean, "4006381333931"), (.ean, "96385074"), (.code39, "KIOSK-7 %"),
        (.itf, "00012345678905"),
        (.codabar, "A40156B"), (.code93, "TEST93"), (.code93, "Small 93!"), (.code128, "Kiosk 2026"),
        (.code128, "123456"), (.code128, "AB12345678cd"),
        (.code128, "a1234567b"), (.qrcode, "https://cafe.example/r/8842"), (.qrcode, "12345678901234567890"),
        (.qrcode, "Größe 谢谢"),
        (.qrcode, "HELLO WORLD 123"), (.pdf417, "Kiosk PDF417, a longer text than before"), (.datamatrix, "Kiosk 42"),
        (.datamatrix, "1234567890"), (.gs1128, "(01)09501101530003(10)AB-123(21)7"), (.gs1128, "(8020)ABC123"),
        (.databar, "0950110153000"), (.databarExpanded, "(01)90614141000015(3202)000150"),
        (.databarExpanded, "(10)Lot 12".split(separator: " ").joined()), (.aztec, "Kiosk 42"),
        (.aztec, "https://cafe.example/r/8842?table=7"), (.aztec, "1234567890123"), (.maxicode, "PARCEL 42, KIOSK"),
        (.databarStacked, "0950110153000"), (.databarStackedOmnidirectional, "0950110153000"),
        (.databarExpandedStacked, "(01)90614141000015(3202)000150"), (.databarExpandedStacked, "(10)ABC"),
        (.databarExpandedStacked, "(01)09501101530003(10)abcdefghijklmnop(21)X"),
        (.maxicodeCarrier, "841706672,840,001,1Z12345677"), (.maxicodeCarrier, "B1050,056,999,PARCEL 42"),
    ]

    /// What readers say of GS1 data: no parentheses, and a character 29 where a value has to be ended.
    private static func read(_ code: CheckedCode) -> [String] {
        switch code.kind {
        case .gs1Code128(_, let elements), .dataBarExpanded(_, let elements),
            .dataBarExpandedStacked(_, let elements):
            [elements.text, elements.parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\u{1D}")]
        case .dataBar, .dataBarStacked: [code.text, "01" + code.text, code.readableText]
        // A short postal code of mode 3 is filled up.
        case .maxiCodeCarrier(let carrier):
            [carrier.postalCode, carrier.postalCode + " "].map {
                "\($0)<GS>\(carrier.country)<GS>\(carrier.service)<GS>\(carrier.message)"
            }
        default: [code.text]
        }
    }

    /// The code in the layout of 80 mm paper.
    private func placed(_ symbology: Symbology, _ text: String, scale: Int) throws -> PlacedCode {
        let receipt = Receipt([.code(ReceiptCode(text, symbology, module: scale, cell: scale + 1, level: .m))])
        let layout = try ReceiptLayout(receipt, on: ReceiptPaper(dots: 576))
        let code = layout.lines.lazy.compactMap { line in if case .code(let code) = line.content { code } else { nil } }
            .first
        return try #require(code)
    }

    private func drawn(_ code: PlacedCode) throws -> DotMatrix {
        try CodeRenderer.draw(DrawnCode(code), width: code.width, height: code.height)
    }

    @Test(arguments: codes, [2, 3, 4]) func `readers read what was drawn, in the size of the layout`(
        _ code: (Symbology, String), _ scale: Int
    ) async throws {
        let placed = try placed(code.0, code.1, scale: scale)
        let dots = try drawn(placed)
        #expect((dots.width, dots.height) == (placed.width, placed.height))
        if !code.0.isTwoDimensional, ![.databar, .databarExpanded].contains(code.0) {
            // The bars fill the place: the first and the last column are black.
            #expect(dots[0, 0] && dots[dots.width - 1, dots.height - 1])
        }
        // zbar takes bytes beyond ASCII for Shift JIS.
        let readByZXing: Set<Symbology> = [
            .pdf417, .datamatrix, .gs1128, .databar, .databarExpanded, .aztec, .maxicode, .maxicodeCarrier,
            .databarStacked, .databarStackedOmnidirectional, .databarExpandedStacked,
        ]
        if readByZXing.contains(code.0) || !code.1.utf8.allSatisfy({ $0 < 0x80 }) {
            if let read = try await Readers.zxing(dots) {
                #expect(read.count == 1 && Self.read(placed.checked).contains(read.first ?? ""), "\(read)")
            }
        } else {
            #expect(try await Readers.zbar(dots) == [placed.checked.text])
        }
    }

    /// The layout reserves the place before anything is drawn: whatever the data is, the code fits in there.
    @Test(arguments: [Symbology.gs1128, .databarExpanded, .databarExpandedStacked, .aztec, .maxicode, .maxicodeCarrier])
    func `a code of any data has room in its place`(_ symbology: Symbology) throws {
        var random = SeededRandom(19)
        let characters = Array("abcxyzABCXYZ0123456789-./%_ ,:;!")
        let digits = Array("0123456789")
        let capitals = Array("ABCXYZ0123456789-./")
        func text(_ count: Int) -> String {
            let set = [characters, digits, capitals].randomElement(using: &random) ?? digits
            return String((0..<count).map { _ in set.randomElement(using: &random) ?? "0" })
        }
        var drawnCodes = 0
        for _ in 0..<rounds(300, long: 20_000) {
            let gs1 = ["(01)0950110153000", ""].randomElement(using: &random) ?? ""
            let data =
                symbology == .maxicodeCarrier
                ? "841706672,840,001," + text(Int.random(in: 1...84, using: &random))
                : [.aztec, .maxicode].contains(symbology)
                    ? text(Int.random(in: 1...90, using: &random))
                    : gs1 + "(10)" + text(Int.random(in: 1...20, using: &random)).filter { $0 != " " } + "(21)X"
            guard let checked = try? CheckedCode(ReceiptCode(data, symbology)) else { continue }
            let layout = try? ReceiptLayout(
                Receipt([.code(ReceiptCode(data, symbology))]), on: ReceiptPaper(dots: 3000))
            guard case .code(let code)? = layout?.lines.first?.content else { continue }
            drawnCodes += 1
            do {
                #expect(try drawn(code).ink > 0)
            } catch {
                Issue.record("\(checked.text): \(error)")
            }
        }
        #expect(drawnCodes > 50)
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
