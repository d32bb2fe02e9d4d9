import KioskTestSupport

@testable import KioskReceipts

/// Receipts that nobody would write, the same for the same numbers.
struct RandomReceipt {
    var random: SeededRandom

    static let texts = [
        "Coffee", "a", " ", "two words", "trailing  ", "averyveryverylongwordwithoutanyspaceinit", "€12.30",
        "naïve cafe\u{301}", "日本語のレシート", "ﾃｽﾄ", "שלום עולם 123",
        "السعر (12.50)", "ราคาน้ำ", "हिन्दी क्षेत्र", "한국어", "👩‍👩‍👧 👍🏽 ✌️ 1️⃣ 🇩🇪", "line\nbreak", "\n", "Привет", "x-y-z / (a[b]c)",
        "\"quoted\" \\ {back}|slash", "\u{200F}\u{200B}\u{301}",
    ]

    /// In the code pages that printers have.
    static let latin = [
        "Coffee", " ", "two words", "averyveryverylongwordwithoutanyspaceinit", "€12.30", "naïve cafe\u{301}", "Żółw",
        "Привет", "ﾃｽﾄ ｺﾞ", "line\nbreak", "┌─┐", "“x”", "\u{A0}",
    ]

    /// What cells say.
    let texts: [String]

    init(random: SeededRandom, texts: [String] = Self.texts) {
        self.random = random
        self.texts = texts
    }

    mutating func receipt() -> Receipt { Receipt((0..<Int.random(in: 0...14, using: &random)).map { _ in element() }) }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
    private mutating func maybe<Value>(_ make: (inout RandomReceipt) -> Value) -> Value? {
        Bool.random(using: &random) ? make(&self) : nil
    }

    private mutating func element() -> ReceiptElement {
        switch Int.random(in: 0...15, using: &random) {
        case 0...2: .settings(settings())
        case 3...9: .row(ReceiptRow((0..<pick([1, 1, 2, 3, 5, 20])).map { _ in cell() }))
        case 10: .rule(pick(RuleStyle.allCases))
        case 11: .code(code())
        case 12:
            .image(
                ReceiptImage(
                    Self.png(width: pick([1, 8, 200, 576, 3000]), height: pick([1, 40, 800])),
                    alignment: pick(HorizontalAlignment.allCases), dithering: pick([nil, .atkinson])))
        case 13: .feed(lines: Int.random(in: 1...9, using: &random))
        case 14: .cut(pick(CutMode.allCases))
        default:
            pick([
                .drawer(DrawerKick()), .drawer(DrawerKick(connector: 2, milliseconds: 200)),
                .buzzer(BuzzerSignal(count: 3)), .logo(StoredLogo(.number(7), alignment: .right)),
                .logo(StoredLogo(.key(0x47, 0x31), substitute: ReceiptImage(Self.png(width: 700, height: 40)))),
                .command([0x1B, 0x40, 0xFF, 0]),
            ])
        }
    }

    private mutating func settings() -> LineSettings {
        let widths: [ColumnWidth] = [
            .share, .characters(0), .characters(1), .characters(4), .characters(10), .characters(300),
        ]
        return LineSettings(
            widths: maybe { random in
                (0..<Int.random(in: 0...6, using: &random.random)).map { _ in random.pick(widths) }
            },
            border: maybe { $0.pick([.line, .space(0), .space(1), .space(2)]) },
            alignment: maybe { $0.pick(HorizontalAlignment.allCases) },
            wrapping: maybe { $0.pick(TextWrapping.allCases) }, font: maybe { $0.pick(ReceiptFont.allCases) },
            spacing: maybe { $0.pick([.standard, .dots(0), .dots(127)]) },
            turn: pick([nil, nil, nil, .upright, TurnedLines(.half), TurnedLines(.quarter, columns: 30)]),
            color: pick([nil, nil, .black, .red]))
    }

    private mutating func cell() -> ReceiptCell {
        let spans = (0..<pick([0, 1, 1, 1, 2, 4])).map { _ in TextSpan(pick(texts), style()) }
        return ReceiptCell(spans, alignment: pick(HorizontalAlignment.allCases))
    }

    private mutating func style() -> TextStyle {
        let underline = pick([false, false, true])
        return TextStyle(
            underline: underline, emphasis: pick([false, false, true]),
            invert: pick([false, false, true]),
            width: pick([1, 1, 1, 2, 3, 8]), height: pick([1, 1, 1, 2, 3, 8]),
            thickUnderline: underline && pick([false, true]))
    }

    private mutating func code() -> ReceiptCode {
        let data: [Symbology: String] = [
            .upc: "036000291452", .ean: "4006381333931", .code39: "AB-12", .itf: "123456", .codabar: "A123B",
            .code93: "ab1", .code128: "Abc\u{1}123456",
            .qrcode: "https://example.org/äö", .pdf417: "Boarding pass 1234", .datamatrix: "0104006381333931",
            .gs1128: "(01)09501101530003(10)AB-123", .databar: "09501101530003",
            .databarExpanded: "(01)09501101530003(3103)001750", .aztec: "Boarding pass 1234", .maxicode: "PARCEL 42",
            .databarStacked: "09501101530003", .databarStackedOmnidirectional: "09501101530003",
            .databarExpandedStacked: "(01)09501101530003(3103)001750", .maxicodeCarrier: "B1050,276,001,PARCEL 42",
        ]
        let symbology = pick(Symbology.allCases)
        return ReceiptCode(
            data[symbology] ?? "1", symbology, alignment: pick(HorizontalAlignment.allCases), module: pick([2, 3, 4]),
            height: pick([24, 72, 240]),
            readable: Bool.random(using: &random), cell: pick([3, 4, 8]),
            level: pick(ReceiptCode.CorrectionLevel.allCases))
    }

    /// A file's parts, with nothing in them that anybody could unpack: nobody does here. Black and white.
    static func png(width: Int, height: Int, exif: [UInt8] = []) -> [UInt8] {
        func number(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
            let content = Array(name.utf8) + bytes
            return number(bytes.count) + content + number(Int(PNGChecksum.value(content, 0..<content.count)))
        }
        let header = chunk("IHDR", number(width) + number(height) + [1, 0, 0, 0, 0])
        // Deflate makes at most 1,032 bytes of one.
        let data = [UInt8](repeating: 0, count: (width / 8 + 2) * height / 1032 + 1)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + header + (exif.isEmpty ? [] : chunk("eXIf", exif))
            + chunk("IDAT", data) + chunk("IEND", [])
    }
}
