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
        #expect(ZPLPicture.read(Array(":Z64:abc".utf8)[...], total: 20, stride: 2) == nil)
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

    @Test func `PDF417 and Data Matrix are read back`() async throws {
        let paper = try label("^PW700^LL700^FO100,100^BY2^B7N,6,3^FDpdf^FS^FO100,400^BXN,6,200^FDmatrix^FS")
        #expect(paper.faults.isEmpty, "\(paper.dump)")
        if let read = try await SymbolReader.zxing(paper.picture) {
            #expect(Set(read.map(\.data)) == ["pdf", "matrix"])
        }
    }

    @Test func `what is unknown or cannot be is listed`() throws {
        #expect(try label("^ZZ^FO0,0^BEN,50^FDabc^FS^GFC,1,1,1,x^FS^XGnone^FS").faults.count == 4)
        let outside = try labels("rubbish^FO1,1^XA^FDx^FS")
        #expect(outside.count == 1 && outside[0].faults.count == 3)
    }

    @Test func `random commands end in bounded labels`() throws {
        let starts = [
            "^XA", "^XZ", "^FO", "^A0", "^FD", "^FS", "^GB", "^GFA,", "^BC", "^BQ", "^PW", "^LL", "~DG", "^FB", "^FH",
            "9999,", ",", "^GC",
        ]
        for seed in 0..<20 {
            let bytes = Noise.bytes(seed, starts: starts.map { Array($0.utf8) })
            var printer = try PaperPrinter.forTests()
            for paper in printer.print(bytes, as: .zpl) { #expect(paper.picture.height <= ZPLPrinter.maximumHeight) }
        }
    }
}
