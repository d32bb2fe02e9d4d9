@testable import KioskSimulatedPaper

/// Jobs whose paper is kept as a picture.
enum PaperSamples {
    static let escPOS: [(name: String, bytes: [UInt8])] = [
        ("escpos-receipt", receipt), ("escpos-styles", styles), ("escpos-codes", codes), ("escpos-pages", codePages),
        ("escpos-page-mode", pageMode),
    ]

    private static func line(_ left: String, _ right: String) -> Part {
        Part(Array((left + String(repeating: " ", count: 48 - left.count - right.count) + right).utf8) + [0x0A])
    }

    private static let receipt = job(
        .esc, "@", .esc, "t", 19, .esc, "a", 1, .gs, "!", 0x11, "Corner Kiosk\n", .gs, "!", 0, "Station Street 7\n\n",
        .esc, "a", 0,
        line("2 Coffee", "5.00 A"), line("1 Sandwich", "4.50 A"), line("1 Newspaper", "2.80 B"), .esc, "3", 24,
        [UInt8](repeating: 0xC4, count: 48).part, "\n", .esc, "2", .esc, "E", 1, "TOTAL", .esc, "$", [0xA4, 1],
        "12.30 ", [0xD5], "\n",
        .esc, "E", 0, .esc, "M", 1, "Thank you, and good journey!\n", .esc, "M", 0, .esc, "a", 1, .gs, "h", 60, .gs,
        "w", 2, .gs, "H", 2, .gs, "k",
        67, 12, "400638133393", "\n", .gs, "(k", .block("1C", 5), .gs, "(k", .block("1P0https://example.org/r/1"), .gs,
        "(k", .block("1Q0"),
        .esc, "p", [0, 50, 250], .gs, "V", 66, 0)

    static let zpl = """
        ^XA^CI28^PW812^LL609^LH0,0
        ^FO20,20^GB772,569,4^FS
        ^FO40,40^A0N,60,50^FDBaggage Größe L^FS
        ^FO40,110^FB400,2,4,L^AEN^FDFragile: this side up, please, and dry^FS
        ^FO500,40^GB270,120,120^FS^FO520,60^FR^A0N,80,90^FDVIE^FS
        ^FO40,200^GB732,3,3^FS
        ^FO60,230^BY3^BCN,100,Y,N,N^FDBAG1234567^FS
        ^FO600,370^BQN,2,6^FDQA,https://example.org/bag/1234567^FS
        ^FO60,400^BXN,6,200^FDBAG1234567^FS
        ^FO200,400^BY2^B7N,5,3,4^FDBAG1234567 VIE^FS
        ^FO60,540^ADN,18,10^FDFont D ^FS^FO300,540^ABN^FDFont B ^FS
        ^FO770,250^A0R,30^FDturned^FS^FO520,560^A0I,24^FDupside down^FS
        ^FO480,420^GC80,6^FS^FO480,510^GD80,40,3,B,L^FS
        ^FO400,500^GFA,16,16,2,!FFFF80018001BFFDBFFD80018001FFFF^FS
        ^PQ2^XZ
        """

    static let star = job(
        .esc, "@", .esc, .gs, "t", 4, .esc, .gs, "a", 1, .esc, "i", "11", "Corner Kiosk\n", .esc, "i", "00", .esc, .gs,
        "a", 0,
        line("2 Coffee", "5.00 A"), line("1 Sandwich", "4.50 A"), .esc, "E", "TOTAL", .esc, .gs, "A", [0xA4, 1],
        "9.50 ", [0xD5], "\n", .esc,
        "F", .esc, [0x1E], "F", 1, "Font B is as high as A\n", .esc, [0x1E], "F", 0, .esc, "4", " white on black ",
        .esc, "5", "\n", .esc, .gs,
        "a", 1, .esc, "b", "3", "2", "2", 60, "400638133393", [0x1E], .esc, .gs, "yS2", 5, .esc, .gs, "yD1", 0,
        [21, 0], "https://example.org/1",
        .esc, .gs, "yP", 0x07, .esc, "d", 3)

    private static let styles = job(
        "plain ", .esc, "E", 1, "bold", .esc, "E", 0, " ", .esc, "-", 1, "one", .esc, "-", 2, "two", .esc, "-", 0, " ",
        .gs, "B", 1,
        " white ", .gs, "B", 0, " ", .esc, "V", 1, "side", .esc, "V", 0, "\n", .gs, "!", 0x10, "wide ", .gs, "!", 0x01,
        "tall ", .gs, "!",
        0x22, "3x3", .gs, "!", 0, "small\n", .esc, "M", 1, "Font B ", .esc, "!", 0x31, "2x2\n", .esc, "!", 0, .esc, " ",
        6,
        "spaced\n", .esc, " ", 0, .esc, "{", 1, "upside down\n", .esc, "{", 0, .esc, "a", 1, "centre\n", .esc, "a", 2,
        "right\n", .esc,
        "a", 0, "\ttab\ttab\n", .esc, "R", 2, "[\\]{|}~\n", .esc, "R", 0, .fs, "&",
        [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA], .fs, ".", "\n",
        .esc, "*", 33, [24, 0], (0..<24).flatMap { [0xFF, UInt8($0 * 10), 0x0F] as [UInt8] }.part, " beside\n", .gs,
        "v0", 3, [2, 0, 8, 0],
        [0xFF, 0xFF, 0x80, 1, 0x80, 1, 0x9F, 0xF9, 0x9F, 0xF9, 0x80, 1, 0x80, 1, 0xFF, 0xFF], .gs, "V", 1,
        "too early a cut\n", .esc, "~",
        "unknown", "\n\n\n", .gs, "V", 65, 10)

    private static let codes: [UInt8] = {
        let data: [(UInt8, String)] = [
            (65, "01234567890"), (66, "01234565"), (67, "4006381333931"), (68, "96385074"), (69, "KIOSK 39"),
            (70, "12345678"), (71, "A40156B"),
            (72, "Code 93"), (73, "{BCode 128"), (74, "(01)09501101020917"), (75, "0950110153000"),
            (77, "0950110153000"),
            (78, "(01)09501101530003"), (79, "Auto 123456"),
        ]
        let bars = data.flatMap { symbology, text in
            job(.gs, "k", [symbology, UInt8(text.utf8.count)].part, .text(text), "\n")
        }
        return job(.gs, "h", 40, .gs, "w", 2, .gs, "H", 2) + bars
            + job(
                .gs, "(k", .block("0P0PDF417 of the kiosk"), .gs, "(k", .block("0Q0"), "\n", .gs, "(k",
                .block("6P0Data Matrix"), .gs, "(k",
                .block("6Q0"), "\n", .gs, "(k", .block("5P0Aztec"), .gs, "(k", .block("5Q0"), "\n", .gs, "(k",
                .block("1P0QR"), .gs, "(k",
                .block("1Q0"), "\n", .gs, "(k", .block("3P0", 72, "0950110153000"), .gs, "(k", .block("3Q0"), "\n")
    }()

    /// The upper half of each code page.
    private static let codePages: [UInt8] = (0...60).flatMap { number -> [UInt8] in
        guard let page = CodePage.numbered(number) else { return [] }
        let title = job(.esc, "t", [UInt8(number)].part, .text("ESC t \(number) \(page.name)\n"))
        return title
            + stride(from: 0x80, to: 0x100, by: 32).flatMap { start in (start..<start + 32).map { UInt8($0) } + [0x0A] }
    }

    private static let pageMode: [UInt8] = {
        let corners = (0...3).flatMap { direction in
            job(.esc, "T", [UInt8(direction)].part, .text("direction \(direction)\nsecond line\n"))
        }
        return job(.esc, "L", .esc, "W", [20, 0, 10, 0, 0x90, 1, 0x90, 1]) + corners
            + job(
                .esc, "T", 0, .gs, "$", [220, 0], .esc, "$", [120, 0], .gs, "h", 60, .gs, "w", 2, .gs, "k", 4, "AB", 0,
                0x0C)
    }()
}
