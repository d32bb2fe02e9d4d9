import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

@Suite struct ZPLTests {
    private func labels(_ text: String) throws -> [PrintedPaper] {
        var printer = try PaperPrinter.forTests()
        return printer.print(Array(text.utf8), as: .zpl)
    }

    private func label(_ text: String) throws -> PrintedPaper {
        let labels = try labels("^XA^PW400^LL300\(text)^XZ")
        #expect(labels.count == 1)
        return try #require(labels.first)
    }

    @Test func `a label is as large as it says, and one for each format`() throws {
        let labels = try labels("^XA^PW400^LL300^FO10,10^GB50,20,20^FS^XZ\n^XA^FO0,0^GB10,10,10^FS^XZ")
        #expect(labels.map(\.picture.width) == [400, 400])
        #expect(labels.map(\.picture.height) == [300, 300])
        #expect(labels[0].picture.inkBounds?.x == 10...59 && labels[0].picture.inkBounds?.y == 10...29)
        #expect(labels.flatMap(\.faults).isEmpty)
    }

    @Test func `text is decoded and drawn at its size`() throws {
        let paper = try label("^CI28^FO20,30^A0N,48,40^FDGröße_^FS")
        #expect(paper.meanings.contains("text \"Größe_\""))
        let ink = try #require(paper.picture.inkBounds)
        #expect(ink.x.lowerBound >= 20 && ink.x.upperBound < 20 + 6 * 20)
        #expect(ink.y.lowerBound >= 30 && ink.y.upperBound < 78)
        #expect(try label("^FO0,0^FH^FDa_C3_A4^FS").meanings.contains("text \"a├ñ\""))
        #expect(try label("^CI28^FO0,0^FH^FDa_C3_A4^FS").meanings.contains("text \"aä\""))
    }

    @Test func `fields turn around their upper left corner`() throws {
        let plain = try #require(try label("^FO100,100^A0N,40^FDL^FS").picture.cutOut)
        for (letter, quarters) in [("R", 1), ("I", 2), ("B", 3)] {
            let paper = try label("^FO100,100^A0\(letter),40^FDL^FS")
            #expect(paper.picture.cutOut == plain.turned(quarters: quarters))
            let ink = try #require(paper.picture.inkBounds)
            #expect(ink.x.lowerBound >= 100 && ink.y.lowerBound >= 100)
        }
    }

    @Test func `^FT is positioned by the baseline`() throws {
        let bars = try label("^FT50,200^BCN,60,N^FD123^FS").picture.inkBounds
        #expect(bars?.y == 140...199)
        let text = try #require(try label("^FT50,200^A0N,48^FDH^FS").picture.inkBounds)
        #expect(abs(text.y.upperBound - 199) <= 8)
    }

    @Test func `blocks wrap, break and justify`() throws {
        func rows(_ text: String) throws -> Int { try #require(try label(text).picture.inkBounds).y.count }
        let one = try rows("^FO0,0^A0N,30^FDHH HH^FS")
        #expect(try rows("^FO0,0^FB40,3^A0N,30^FDHH HH HH^FS") == one + 60)
        #expect(try rows("^FO0,0^FB200,2^A0N,30^FDHH\\&HH\\&HH^FS") == one + 30)
        let right = try #require(try label("^FO0,0^FB300,1,0,R^A0N,30^FDHH^FS").picture.inkBounds)
        #expect(right.x.upperBound > 290)
    }

    @Test func `boxes, circles, lines, white and reversed fields`() throws {
        #expect(try label("^FO10,10^GB100,50,3^FS").picture.inkBounds.map { [$0.x.count, $0.y.count] } == [100, 50])
        let frame = try label("^FO0,0^GB20,20,2^FS").picture
        #expect(frame[1, 10] && !frame[2, 10] && frame[18, 10])
        #expect(try label("^FO0,0^GB50,50,50^FS^FO0,0^GB50,25,25,W^FS").picture.inkBounds?.y == 25...49)
        #expect(try label("^FO0,0^GB50,50,50^FS^FO25,0^FR^GB50,50,50^FS").picture.inkBounds?.x.count == 75)
        let circle = try label("^FO0,0^GC40,2^FS").picture
        #expect(circle.inkBounds.map { [$0.x.count, $0.y.count] } == [40, 40])
        #expect(!circle[20, 20] && circle[20, 0] && circle[0, 20])
        #expect(try label("^FO5,5^GD30,40,3^FS").picture.inkBounds.map { [$0.x.count, $0.y.count] } == [30, 40])
    }

    @Test(arguments: [
        "^GFA,8,8,1,FF81B1A1818D81FF", "^GFA,8,8,1,!81B1A1818D81!",
        "^GFA,99,8,1,HFJ81B1A1818D81FF".replacing("J81", with: "81"),
    ])
    func `pictures in hexadecimal digits, counted or not`(_ command: String) throws {
        let paper = try label("^FO10,10\(command)^FS")
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        #expect(paper.picture.cutOut == ESCPOSImageTests.dots)
    }

    @Test func `counts, commas, colons and exclamation marks`() throws {
        // 2 bytes a row: 4 digits. H is 2, g 20.
        let picture = try #require(ZPLPicture.read(Array("HF,:!8,gF".utf8)[...], total: 20, stride: 2))
        #expect(picture.drawing.map { $0.replacing(".", with: "").count } == [8, 8, 16, 1, 16, 16, 16, 16, 16, 0])
    }

    @Test func `pictures as bytes, and stored ones`() throws {
        var printer = try PaperPrinter.forTests()
        let binary = Array("^XA^FO0,0^GFB,8,8,1,".utf8) + ESCPOSImageTests.dots.bytes + Array("^FS^XZ".utf8)
        #expect(printer.print(binary, as: .zpl).first?.picture.cutOut == ESCPOSImageTests.dots)
        let stored = printer.print(
            Array("~DGR:LOGO.GRF,8,1,FF81B1A1818D81FF^XA^FO9,9^XGR:LOGO.GRF,2,2^FS^XZ".utf8), as: .zpl)
        #expect(stored.first?.picture.cutOut == ESCPOSImageTests.dots.scaled(2, 2))
        #expect(stored.flatMap(\.faults).isEmpty)
    }

    @Test(arguments: [
        ("^BCN,80,Y,N,N^FDKiosk 7>0", "CODE-128", "Kiosk 7>"), ("^BCN,80^FD>;123456>6ab", "CODE-128", "123456ab"),
        ("^BCN,80,Y,N,N,A^FDAuto 123456", "CODE-128", "Auto 123456"),
        ("^BCN,80,Y,N,N,D^FD(01)09501101020917", "CODE-128", "0109501101020917"),
        ("^B3N,N,80^FDKIOSK 39", "CODE-39", "KIOSK 39"), ("^BEN,80^FD400638133393", "EAN-13", "4006381333931"),
        ("^B8N,80^FD9638507", "EAN-8", "96385074"), ("^BUN,80^FD01234567890", "UPC-A", "012345678905"),
        ("^B9N,80^FD123456", "UPC-E", "01234565"),
        ("^B2N,80^FD12345678", "I2/5", "12345678"), ("^BAN,80^FDCODE 93", "CODE-93", "CODE 93"),
        ("^BKN,N,80^FDA40156B", "Codabar", "A40156B"),
        ("^BCN,80,Y,N,N,U^FD0012345123451234512", "CODE-128", "00123451234512345120"),
        ("^BCN,80,Y,N,N,D^FD(01)09501101020910>8(10)AB", "CODE-128", "0109501101020917\u{1D}10AB"),
        ("^BCN,80,Y,N,Y,N^FD>;>80012345123451234512", "CODE-128", "00123451234512345120"),
        ("^BCN,80^FD>;12>63456>512", "CODE-128", "12345612"), ("^BCN,80^FD>9334042>7", "CODE-128", "AHJ"),
        ("^BCN,80^FDa>734", "CODE-128", "aB"), ("^BCN,80^FD>:A>0>=", "CODE-128", "A>~"),
        ("^B3N,Y,80^FDKIOSK 39", "CODE-39", "KIOSK 39V"), ("^B2N,80,Y,N,Y^FD1234567", "I2/5", "12345670"),
        ("^BRN,1,2^FD0950110153000", "DataBar", "0109501101530003"),
        ("^BRN,6,2^FD(01)09501101530003(10)AB", "DataBar-Exp", "010950110153000310AB"),
        ("^BQN,2,5^FDQA,https://example.org", "QR-Code", "https://example.org"),
        ("^BQN,2,5^FDHM,AKIOSK 7", "QR-Code", "KIOSK 7"),
    ]) func `zbar reads a barcode back`(_ field: String, _ kind: String, _ read: String) async throws {
        for orientation in ["N", "R"] {
            let turned = field.replacing("N,", with: "\(orientation),", maxReplacements: 1)
            let paper = try label("^PW700^LL700^FO100,100^BY2\(turned)^FS")
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            #expect(
                try await SymbolReader.zbar(paper.picture) == [DecodedSymbol(kind: kind, data: read)],
                "\(orientation)")
        }
    }

    @Test func `Aztec and MaxiCode are read back`() async throws {
        for error in ["0", "36", "104", "202"] {
            let paper = try label("^FO20,20^BON,6,N,\(error)^FDAztec 7^FS^FO20,20^FS")
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            guard let read = try await SymbolReader.zxing(paper.picture) else { return }
            #expect(read.map(\.data) == ["Aztec 7"], "\(error)")
        }
        #expect(try label("^FO0,0^BON,6,N,104^FDx^FS").picture.inkBounds?.x.count == 27 * 6)
        #expect(try label("^FO0,0^BON,6,N,202^FDx^FS").picture.inkBounds?.x.count == 23 * 6)
        let message = "001840152382802[)>_1E01_1D961Z00004951_1DUPSN_1E_04"
        for (data, mode, text) in [(message, 2, "152382802"), ("plain text 4", 4, "plain text 4")] {
            let paper = try label("^FO10,10^BD\(mode)^FH^FD\(data)^FS")
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            // 28.14 and 26.91 mm with the quiet zone, whose width is one hexagon.
            let ink = try #require(paper.picture.inkBounds)
            #expect((205...215).contains(ink.x.count) && (195...207).contains(ink.y.count))
            guard let read = try await SymbolReader.zxing(try #require(paper.picture.cutOut)) else { return }
            #expect(read.count == 1 && read.allSatisfy { $0.data.contains(text) }, "\(read)")
        }
    }

    @Test func `PDF417 and Data Matrix are read back`() async throws {
        let paper = try label("^PW700^LL700^FO100,100^BY2^B7N,6,3^FDpdf^FS^FO100,400^BXN,6,200^FDmatrix^FS")
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        if let read = try await SymbolReader.zxing(paper.picture) {
            #expect(Set(read.map(\.data)) == ["pdf", "matrix"])
        }
    }

    @Test(arguments: [
        ("^FO10.5,10", "10"), ("^FO10 mm,10", "10"), ("^FO10,10^FX^PW400.7", "400"), ("^FO10,10^BY2.9", "2"),
        ("^FO10,10^BY2,2.5x", "2.5"),
    ])
    func `a number is its digits, and what follows them is flagged`(_ command: String, _ taken: String) throws {
        let paper = try label("\(command)^GB20,20,20^FS")
        #expect(paper.faults.count == 1)
        #expect(paper.faults.first?.line.contains("is taken as \(taken)") == true)
        #expect(paper.picture.inkBounds?.x == 10...29)
        #expect(try label("^FOten,10^GB9,9,9^FS").faults.first?.line.contains("\"ten\" is no number") == true)
        #expect(try label("^FO 10 , 10 ^GB 9,9,9\n^FS").faults.isEmpty)
    }

    @Test func `boxes have round corners`() throws {
        let picture = try label("^FO0,0^GB80,40,4,B,8^FS").picture
        #expect(picture.inkBounds.map { [$0.x.count, $0.y.count] } == [80, 40])
        // Eight eighths of half the shorter side: the ends are half circles.
        #expect(!picture[3, 3] && picture[20, 0] && picture[0, 20] && !picture[20, 20] && picture[2, 15])
        #expect(try label("^FO0,0^GB80,40,4,B,1^FS").picture[1, 1])
        #expect(try label("^FO0,0^GB80,40,40,B,8^FS").picture[40, 20])
        let ellipse = try label("^FO0,0^GE80,40,4^FS").picture
        #expect(ellipse.inkBounds.map { [$0.x.count, $0.y.count] } == [80, 40])
        #expect(ellipse[40, 1] && ellipse[1, 20] && !ellipse[40, 20] && !ellipse[4, 4])
    }

    @Test func `without a place, typeset text goes on after the text before it`() throws {
        let paper = try label("^FT10,100^A0N,40,40^FDHH^FS^FT^A0N,20,20^FDH^FS^FT,200^A0N,20,20^FDH^FS")
        #expect(paper.faults.isEmpty)
        #expect(paper.meanings.contains("field at 50, 100 by its baseline, after the last text"))
        #expect(paper.meanings.contains("field at 60, 200 by its baseline, after the last text"))
        #expect(try label("^FO10,20^A0B,40,40^FDHH^FS^FT^FDH^FS").meanings.contains { $0.contains("field at 45, 20") })
        #expect(try label("^FT^FDH^FS").faults.count == 1)
    }

    @Test func `stored formats are merged with data`() throws {
        var printer = try PaperPrinter.forTests()
        let stored = printer.print(
            Array(
                """
                ^XA^DFR:TAG.ZPL^FS^PW400^LL300^FO10,10^A0N,40^FN1^FS^FO10,60^BCN,50,N^FN2"code"^FS
                ^FO10,150^A0N,40^FN3^FDusual^FS^XZ
                ^XA^XFR:TAG.ZPL^FS^FN1^FDfirst^FS^FN2^FH^FDAB_30^FS^XZ
                ^XA^XFTAG^FS^FN3^FDother^FS^FN1^FDsecond^FS^XZ
                """.utf8), as: .zpl)
        #expect(stored.count == 2)
        #expect(stored.flatMap(\.faults).isEmpty, "\(stored.map(\.dump))")
        let plain = printer.print(
            Array(
                """
                ^XA^PW400^LL300^FO10,10^A0N,40^FDfirst^FS^FO10,60^BCN,50,N^FDAB0^FS^FO10,150^A0N,40^FDusual^FS^XZ
                ^XA^PW400^LL300^FO10,10^A0N,40^FDsecond^FS^FO10,150^A0N,40^FDother^FS^XZ
                """.utf8), as: .zpl)
        #expect(stored.map(\.picture) == plain.map(\.picture))
        // It lasts until the printer is switched off, or it is deleted.
        #expect(printer.print(Array("^XA^XFTAG^FS^XZ".utf8), as: .zpl).flatMap(\.faults).isEmpty)
        #expect(printer.print(Array("^XA^IDR:TAG.ZPL^FS^XFTAG^FS^XZ".utf8), as: .zpl).flatMap(\.faults).count == 1)
        #expect(try label("^FO0,0^A0N,30^FN7^FS^FN7^FDH^FS").picture == label("^FO0,0^A0N,30^FDH^FS").picture)
    }

    @Test func `a stored format that recalls itself ends`() throws {
        let paper = try labels("^XA^DFA^FS^XFA^FS^XFA^FS^XZ^XA^XFA^FS^XZ")
        #expect(paper.flatMap(\.faults).count == 1, "\(paper.map(\.dump))")
    }

    @Test func `compressed pictures are drawn where their checksum fits`() throws {
        // By zlib and CRC-16/XMODEM of Python.
        let data = ":Z64:eJz7v7Fx48Lm+t//AQgBgNzc=:0000"
        let packed = Self.z64
        for picture in [packed, Self.b64] {
            let paper = try label("^FO10,10^GFA,8,8,1,\(picture)^FS")
            #expect(paper.faults.isEmpty, "\(paper.dump)")
            #expect(paper.picture.cutOut == ESCPOSImageTests.dots)
        }
        var printer = try PaperPrinter.forTests()
        let stored = printer.print(Array("~DGLOGO,8,1,\(packed)^XA^FO9,9^XGLOGO^FS^XZ".utf8), as: .zpl)
        #expect(stored.first?.picture.cutOut == ESCPOSImageTests.dots)
        for damaged in [data, packed.replacing(":Z64:", with: ":Z65:"), String(packed.dropLast()), ":Z64:", ":Z64:::"] {
            let paper = try label("^FO10,10^GFA,8,8,1,\(damaged)^FS")
            #expect(paper.faults.count == 1 && paper.picture.isBlank, "\(damaged)")
        }
    }

    static let z64 = ":Z64:eNr737hxYWNv438AGH4FYQ==:4B17", b64 = ":B64:/4GxoYGNgf8=:9CC1"

    @Test func `symbols, serial numbers and assigned fonts`() throws {
        #expect(try label("^FO0,0^GSN,40,40^FDABC^FS").meanings.contains("symbols \"®©™\""))
        #expect(try label("^FO0,0^GSN,40,40^FDABC^FS").faults.isEmpty)
        #expect(try label("^FO0,0^GSN,40,40^FDD^FS").faults.count == 1)
        #expect(try label("^FO0,0^A0N,30^SN007,1,Y^FS").picture == label("^FO0,0^A0N,30^FD007^FS").picture)
        let assigned = try label("^CWK,E:HOUSE.TTF^FO0,0^AKN,30^FDH^FS")
        #expect(assigned.faults.map(\.line).allSatisfy { $0.contains("E:HOUSE.TTF\" is drawn as the scalable font") })
        #expect(assigned.faults.count == 1)
        #expect(try label("^FO0,0^AKN,30^FDH^FS").faults.count == 1)
        #expect(try label("^FO0,0^APN,20,18^FDH^FS").faults.isEmpty)
    }

    @Test func `extensions of two and five digits`() async throws {
        let paper = try label("^PW700^LL700^BY3^FO60,60^BUN,100,N^FD07567816412^FS^FO420,60^BSN,100,N^FD51999^FS")
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        #expect(paper.picture.inkBounds?.x.upperBound == 420 + 3 * 47 - 1)
        #expect(try label("^FO0,0^BSN,50,N^FD12^FS").picture.inkBounds?.x.count == 40)
        #expect(try label("^FO0,0^BSN,50,N^FD123^FS").faults.count == 1)
    }

    @Test func `the caret, the tilde and the comma are other characters where that was chosen`() throws {
        let plain = try labels("^XA^PW100^LL50^FO10,10^GB20,20,20^FS^XZ")
        let changed = try labels("^XA^PW100^LL50^CC//CD;/FO10;10/GB20;20;20/FS/XZ~CC^^CD,^XA^FO0,0^GB9,9,9^FS^XZ")
        #expect(changed.count == 2 && changed.flatMap(\.faults).isEmpty, "\(changed.map(\.dump))")
        #expect(changed.first?.picture == plain.first?.picture)
        #expect(try labels("^XA^CT#^XZ#HS").flatMap(\.meanings).contains("asks for its status"))
    }

    @Test func `the whole label is mirrored, reversed or shifted`() throws {
        #expect(try label("^PMY^FO10,10^GB20,20,20^FS").picture.inkBounds?.x == 370...389)
        #expect(
            try label("^LS-5^LT7^FO10,10^GB20,20,20^FS").picture.inkBounds.map { [$0.x, $0.y] } == [15...34, 17...36])
        #expect(
            try label("^LRY^FO0,0^GB50,50,50^FS^FO25,0^GB50,50,50^FS").picture
                == label("^FO0,0^GB50,50,50^FS^FO25,0^FR^GB50,50,50^FS").picture)
        #expect(try label("^FO100,10,1^GB20,20,20^FS").picture.inkBounds?.x == 80...99)
    }

    @Test(arguments: [
        "^BXN,6,100^FDx", "^BQN,1,3^FDQA,x", "^BON,3,N,80^FDx", "^BON,3,N,300^FDx", "^MUM^FO0,0^FDx", "^JMB^FO0,0^FDx",
        "^BCN,50^FD>;123", "^BCN,50,N,N,N,U^FD12", "^FB100,1,0,J^FDx", "^BCN,50^FD>;1A2", "^A0N,30^FD\u{E0001}",
    ])
    func `what is drawn otherwise than it was asked for is flagged`(_ field: String) throws {
        let paper = try label("^CI28^FO10,10\(field)^FS")
        #expect(paper.faults.count == 1, "\(paper.dump)")
    }

    @Test func `what is unknown or cannot be is listed`() throws {
        #expect(try label("^ZZ^FO0,0^BEN,50^FDabc^FS^GFC,1,1,1,x^FS^XGnone^FS").faults.count == 4)
        let outside = try labels("rubbish^FO1,1^XA^FDx^FS")
        #expect(outside.count == 1 && outside[0].faults.count == 3)
    }

    @Test func `no name in a label reaches the terminal unescaped`() throws {
        for byte in Array(0..<0x20) + Array(0x7F..<0xA0) {
            let character = String(Unicode.Scalar(UInt8(byte)))
            let paper = try label(
                "^CF\(character),20^FO0,0^FDx^FS^CW\(character),E:X.TTF~DGR:A\(character)B.GRF,1,1,FF^DFR:A\(character)B"
            )
            #expect(
                paper.dump.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control },
                "\(byte)")
        }
        #expect(try label("~DGR:A\u{9B}B.GRF,1,1,FF").dump.contains("as A\\u{9B}B"))
    }

    @Test func `random commands end in bounded labels`() throws {
        let starts = [
            "^XA", "^XZ", "^FO", "^A0", "^FD", "^FS", "^GB", "^GFA,", "^BC", "^BQ", "^PW", "^LL", "~DG", "^FB", "^FH",
            "9999,", ",", "^GC", "^DF", "^XF", "^FN1", "^BO", "^BD", "^BR", "^BS", "^GE", "^GS", "^CC", "^CD", ":Z64:",
            "^FT", "^CW", "^GB9,9,1,B,",
        ]
        for seed in 0..<20 {
            let bytes = Noise.bytes(seed, starts: starts.map { Array($0.utf8) })
            var printer = try PaperPrinter.forTests()
            for paper in printer.print(bytes, as: .zpl) { #expect(paper.picture.height <= ZPLPrinter.maximumHeight) }
        }
    }
}
