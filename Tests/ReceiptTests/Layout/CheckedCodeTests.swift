import Testing

@testable import KioskReceipts

/// Check digits, and what each code can hold. The numbers are from goods or from the standards.
@Suite struct CheckedCodeTests {
    @Test(arguments: [
        (Symbology.ean, "4006381333931", CheckedCode.Kind.ean13, "4006381333931"),
        (.ean, "400638133393", .ean13, "4006381333931"),
        (.ean, "2012345678903", .ean13, "2012345678903"), (.ean, "73513537", .ean8, "73513537"),
        (.ean, "7351353", .ean8, "73513537"),
        (.upc, "036000291452", .upcA, "036000291452"), (.upc, "03600029145", .upcA, "036000291452"),
        (.upc, "01234565", .upcE, "01234565"), (.upc, "0123456", .upcE, "01234565"),
        (.upc, "123456", .upcE, "01234565"), (.upc, "04252614", .upcE, "04252614"),
        (.upc, "0783491", .upcE, "07834918"), (.upc, "0123453", .upcE, "01234531"),
        (.upc, "0123454", .upcE, "01234543"),
        (.code39, "*AB-12*", .code39, "AB-12"), (.itf, "1234", .itf, "1234"), (.codabar, "a123b", .codabar, "A123B"),
        (.code93, "abC\u{7}", .code93, "abC\u{7}"), (.databar, "0950110153000", .dataBar, "09501101530003"),
        (.databar, "(01)09501101530003", .dataBar, "09501101530003"),
        (.databarStacked, "0950110153000", .dataBarStacked(isHigh: false), "09501101530003"),
        (.databarStackedOmnidirectional, "0950110153000", .dataBarStacked(isHigh: true), "09501101530003"),
    ])
    func `check digits are added`(
        _ symbology: Symbology, _ data: String, _ kind: CheckedCode.Kind, _ text: String
    ) throws {
        let code = try CheckedCode(ReceiptCode(data, symbology))
        #expect(code.kind == kind)
        #expect(code.text == text)
    }

    @Test(
        arguments: [
            (Symbology.ean, "4006381333932"), (.ean, "123456789"), (.ean, "40063813339x1"), (.ean, "73513538"),
            (.upc, "036000291453"), (.upc, "01234566"),
            (.upc, "1234567"), (.upc, "12345"), (.code39, "abc"), (.code39, "A*B"), (.itf, "123"), (.itf, "12a4"),
            (.codabar, "123"), (.codabar, "AB"), (.codabar, "A1EB"),
            (.code93, "ä"), (.code128, "日"), (.code128, String(repeating: "a", count: 260)),
            (.qrcode, String(repeating: "a", count: 2954)),
            (.pdf417, String(repeating: "a", count: 2000)), (.datamatrix, String(repeating: "a", count: 1559)),
            (.databar, "09501101530004"), (.databar, "123"), (.gs1128, "0109501101530003"),
            (.gs1128, "(01)09501101530004"), (.gs1128, "(01)123"), (.gs1128, "(1)123"), (.gs1128, "(10)a(b"),
            (.gs1128, "(10)a b"), (.gs1128, "(17)26113"), (.gs1128, "(10)" + String(repeating: "9", count: 47)),
            (.databarExpanded, "(10)" + String(repeating: "a", count: 40)), (.databarExpanded, "x"),
            (.aztec, String(repeating: "a", count: 2000)), (.maxicode, String(repeating: "a", count: 47)),
            (.maxicode, "ä"), (.databarStacked, "09501101530004"), (.databarStackedOmnidirectional, "(10)A"),
            (.databarExpandedStacked, "(10)" + String(repeating: "a", count: 40)), (.databarExpandedStacked, "x"),
            (.maxicodeCarrier, "841706672,840,001"), (.maxicodeCarrier, "841706672,840,001,"),
            (.maxicodeCarrier, "8417066720,840,001,X"), (.maxicodeCarrier, "1234567,84,001,X"),
            (.maxicodeCarrier, "B105012,840,001,X"), (.maxicodeCarrier, "b1050,840,001,X"),
            (.maxicodeCarrier, ",840,001,X"), (.maxicodeCarrier, "1,840,1A1,X"), (.maxicodeCarrier, "1,840,001,ä"),
            (.maxicodeCarrier, "1,840,001," + String(repeating: "A", count: 85)),
        ] as [(Symbology, String)])
    func `data that a code cannot hold is refused`(_ symbology: Symbology, _ data: String) {
        #expect(throws: ReceiptError.self) { try CheckedCode(ReceiptCode(data, symbology)) }
    }

    /// ISO/IEC 24724: 50 × 13 and 50 × 69 modules; rows of 34 modules, three apart, with 49 for two characters. There is
    /// a row for all characters that the data may need.
    @Test(arguments: [
        (Symbology.databarStacked, "0950110153000", 576, 150, 39, 3),
        (.databarStackedOmnidirectional, "0950110153000", 576, 150, 207, 3),
        (.databarStacked, "0950110153000", 120, 100, 26, 2),
        (.databarExpandedStacked, "(01)90614141000015(3202)000150", 576, 306, 324, 3),
        (.databarExpandedStacked, "(01)90614141000015(3202)000150", 300, 159, 546, 3),
    ])
    func `the size of stacked codes`(
        _ symbology: Symbology, _ data: String, _ dots: Int, _ width: Int, _ height: Int, _ scale: Int
    ) throws {
        let code = ReceiptCode(data, symbology)
        let size = try #require(try CheckedCode(code).size(code, within: dots))
        #expect((size.width, size.height, size.scale) == (width, height, scale))
        #expect(try CheckedCode(code).size(code, within: 90) == nil)
    }

    @Test func `the postal code of a carrier's MaxiCode chooses the mode`() throws {
        func carrier(_ data: String) throws -> MaxiCodeCarrier? {
            guard case .maxiCodeCarrier(let carrier) = try CheckedCode(ReceiptCode(data, .maxicodeCarrier)).kind else {
                return nil
            }
            return carrier
        }
        #expect(try carrier("841706672,840,001,1Z, with a comma")?.mode == 2)
        #expect(try carrier("841706672,840,001,1Z, with a comma")?.message == "1Z, with a comma")
        #expect(try carrier("B1050,056,999,X")?.mode == 3)
        #expect(try carrier("1,840,001," + String(repeating: "A", count: 84)) != nil)
    }

    @Test(arguments: Symbology.allCases)
    func `so is none`(_ symbology: Symbology) {
        #expect(throws: ReceiptError.self) { try CheckedCode(ReceiptCode("", symbology)) }
    }

    /// ISO/IEC 18004:2015, table 7.
    @Test(arguments: [
        (1, ReceiptCode.CorrectionLevel.l, 19), (1, .h, 9), (5, .q, 62), (7, .l, 156), (10, .m, 216), (20, .h, 385),
        (25, .q, 718), (32, .m, 1541), (40, .l, 2956), (40, .m, 2334),
        (40, .q, 1666), (40, .h, 1276),
    ])
    func `capacity of QR codes`(_ version: Int, _ level: ReceiptCode.CorrectionLevel, _ codewords: Int) {
        #expect(QRCapacity.dataCodewords(version: version, level) == codewords)
    }

    @Test(arguments: [
        (String(repeating: "1", count: 41), ReceiptCode.CorrectionLevel.l, 1),
        (String(repeating: "1", count: 42), .l, 2), (String(repeating: "A", count: 25), .l, 1),
        (String(repeating: "A", count: 26), .l, 2), (String(repeating: "a", count: 17), .l, 1),
        (String(repeating: "a", count: 18), .l, 2), (String(repeating: "a", count: 7), .h, 1),
        (String(repeating: "1", count: 7089), .l, 40), (String(repeating: "a", count: 2953), .l, 40),
        ("äääääääää", .l, 2),
    ])
    func `the smallest QR version that holds the data is chosen`(
        _ data: String, _ level: ReceiptCode.CorrectionLevel, _ version: Int
    ) throws {
        #expect(try QRCapacity.version(for: data, level) == version)
    }

    /// GS1 General Specifications §5.4.3: function 1 comes first, and ends what has no fixed length.
    @Test(arguments: [
        ("(01)0950110153000", "(01)09501101530003", "{C{1\u{1}\u{9}\u{32}\u{B}\u{1}\u{35}\u{0}\u{3}"),
        ("(10)12(21)34", "(10)12(21)34", "{C{1\u{A}\u{C}{1\u{15}\u{22}"),
        ("(10)AB(17)261130", "(10)AB(17)261130", "{C{1\u{A}{BAB{1{C\u{11}\u{1A}\u{B}\u{1E}"),
        ("(17)261130(10)AB", "(17)261130(10)AB", "{C{1\u{11}\u{1A}\u{B}\u{1E}\u{A}{BAB"),
    ])
    func `GS1-128 marks the ends of values without a fixed length`(
        _ data: String, _ text: String, _ expected: String
    ) throws {
        let code = try CheckedCode(ReceiptCode(data, .gs1128))
        #expect(code.text == text)
        guard case .gs1Code128(let codewords, _) = code.kind else { Issue.record("\(code.kind)"); return }
        #expect(Code128.escPos(codewords) == Array(expected.utf8))
    }

    /// ISO/IEC 24778, table 1.
    @Test(arguments: [
        ("A", 15), (String(repeating: "A", count: 11), 15), (String(repeating: "A", count: 12), 19),
        ("https://cafe.example/r/8842", 23),
    ])
    func `the size of Aztec codes`(_ data: String, _ side: Int) throws {
        let size = try AztecSize(for: data)
        #expect(size.side == side, "\(size)")
    }

    @Test(arguments: [
        ("ABC", "{BABC"), ("1234", "{C\u{C}\u{22}"), ("12", "{C\u{C}"), ("123", "{B123"), ("A1234", "{BA{C\u{C}\u{22}"),
        ("12345", "{C\u{C}\u{22}{B5"), ("A12345", "{BA1{C\u{17}\u{2D}"),
        ("A1234B", "{BA1234B"), ("A123456B", "{BA{C\u{C}\u{22}\u{38}{BB"), ("a\u{1}", "{Ba{A\u{1}"),
        ("A\u{1}", "{AA\u{1}"), ("{", "{B{{"),
    ])
    func `Code 128 is kept short`(_ data: String, _ expected: String) {
        #expect(Code128.escPos(Code128.codewords(data.utf8)) == Array(expected.utf8))
    }
}
