import KioskPaperPictures
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskReceipts
@testable import KioskSimulatedPaper

/// Pictures that a printer has in its own memory: where there are any, they are printed from there.
@Suite struct StoredLogoTests {
    private static let picture = RandomReceipt.png(width: 96, height: 48)
    private static let paper = ReceiptPaper(columns: 24)

    private static func escPos(
        _ logos: EscPosCapabilities.StoredLogoCommand?, raster: EscPosCapabilities.RasterMethod? = .rows
    ) -> ReceiptTarget {
        var capabilities = EscPosCapabilities(paper: paper, raster: raster)
        capabilities.logos = logos
        return .escPos(capabilities)
    }

    private static func dump(_ receipt: Receipt, for target: ReceiptTarget) throws -> (lines: [String], [String]) {
        let document = try ReceiptDocument(receipt, for: target)
        let dump = try document.dump(with: BitmapRenderer.drawn(document.drawings))
        return (dump.split(separator: "\n").map { String($0) }, document.remarks)
    }

    private static func read(_ markup: String, isStrict: Bool = false) throws -> ReceiptMarkup.Reading {
        try ReceiptMarkup.read(markup, rules: ReceiptMarkup.Rules(isStrict: isStrict))
    }

    @Test(arguments: [
        ("1", StoredLogo.Name.number(1)), ("99", .number(99)), ("G1", .key(0x47, 0x31)), ("x!", .key(0x78, 0x21)),
    ])
    func `a logo is named by its number or its key`(_ name: String, _ expected: StoredLogo.Name) throws {
        #expect(try Self.read("{logo:\(name)}").receipt.elements == [.logo(StoredLogo(expected))])
        #expect(
            try ReceiptJSON.read(Array("{\"elements\": [{\"logo\": \"\(name)\"}]}".utf8)).elements
                == [.logo(StoredLogo(expected))])
        #expect(expected.description == name)
    }

    @Test(arguments: ["", "0", "100", "abc", "ä", "a "])
    func `any other name is an error`(_ name: String) {
        #expect(throws: ReceiptError.self) { try Self.read("{logo:\(name == "a " ? "a b" : name)}") }
        #expect(throws: ReceiptError.self) {
            try ReceiptJSON.read(Array("{\"elements\": [{\"logo\": \"\(name)\"}]}".utf8))
        }
    }

    @Test func `a picture in the same braces is the substitute, and strict mode knows only the picture`() throws {
        let file = Base64.encode(Self.picture)
        let reading = try Self.read("|{logo:G1;image:\(file)}")
        #expect(
            reading.receipt.elements == [
                .logo(
                    StoredLogo(
                        .key(0x47, 0x31), alignment: .left,
                        substitute: ReceiptImage(Self.picture, alignment: .left)))
            ])
        let strict = try Self.read("|{logo:G1;image:\(file)}", isStrict: true)
        #expect(strict.receipt.elements == [.image(ReceiptImage(Self.picture, alignment: .left))])
        #expect(strict.remarks.count == 1)
        #expect(try ReceiptJSON.read(ReceiptJSON.write(reading.receipt)) == reading.receipt)
        #expect(throws: ReceiptError.self) { try Self.read("{logo:G1;image:!}") }
        #expect(throws: ReceiptError.self) {
            try ReceiptJSON.read(Array(#"{"elements": [{"logo": "1", "dither": "ordered"}]}"#.utf8))
        }
        #expect(Receipt { ReceiptElement.logo(.number(1)) }.elements == [.logo(StoredLogo(.number(1)))])
    }

    /// Epson, "ESC/POS Command Reference", GS ( L function 69 and FS p; Star, "Line Mode Command Specifications",
    /// ESC FS p.
    @Test func `each language has its command`() throws {
        func bytes(_ name: StoredLogo.Name, _ target: ReceiptTarget) throws -> [UInt8] {
            try ReceiptDocument(Receipt([.logo(StoredLogo(name, alignment: .left))]), for: target).bytes(with: .nothing)
        }
        #expect(
            try bytes(.key(0x47, 0x31), Self.escPos(.keys))
                == [0x1B, 0x40, 0x1D, 0x28, 0x4C, 6, 0, 0x30, 69, 0x47, 0x31, 1, 1])
        #expect(
            try bytes(.number(7), Self.escPos(.keys))
                == [0x1B, 0x40, 0x1D, 0x28, 0x4C, 6, 0, 0x30, 69, 0x30, 0x37, 1, 1])
        #expect(try bytes(.number(7), Self.escPos(.numbers)) == [0x1B, 0x40, 0x1C, 0x70, 7, 0])
        let star = ReceiptTarget.star(StarCapabilities(paper: Self.paper, hasLogos: true))
        #expect(try bytes(.number(7), star) == [0x1B, 0x40, 0x1B, 0x1C, 0x70, 7, 0])
        let centred = try Self.dump(Receipt([.logo(StoredLogo(.number(7)))]), for: Self.escPos(.numbers))
        #expect(centred.lines == ["ESC @", "ESC a center", "FS p 7"])
        #expect(centred.1 == [])
    }

    @Test func `a printer without it prints the picture, and says so`() throws {
        let logo = StoredLogo(.number(7), substitute: ReceiptImage(Self.picture))
        let (lines, remarks) = try Self.dump(Receipt([.logo(logo)]), for: Self.escPos(nil))
        #expect(lines.contains { $0.hasPrefix("GS v 0") } && !lines.contains { $0.hasPrefix("FS p") })
        #expect(
            remarks == ["logo 7 is none that the printer prints from its memory: its picture was sent instead"])
        // Numbers have no keys.
        let key = try Self.dump(Receipt([.logo(StoredLogo(.key(0x47, 0x31)))]), for: Self.escPos(.numbers))
        #expect(key.lines == ["ESC @"])
        #expect(key.1 == ["logo G1 is none that the printer prints from its memory: it was left out"])
        for target in [
            ReceiptTarget.label(LabelCapabilities(paper: Self.paper, language: .zpl)),
            .raster(RasterCapabilities(paper: Self.paper, format: .pwgBlack, dotsPerInch: 203)),
            .star(StarCapabilities(paper: Self.paper, hasText: false, hasLogos: true)),
        ] {
            let document = try ReceiptDocument(Receipt([.logo(logo)]), for: target)
            #expect(document.remarks.count == 1)
            #expect(document.layout.height == 48 && document.drawings.count == 1)
        }
    }

    @Test func `a printer of text only prints its own logo, too`() throws {
        let logo = StoredLogo(.number(7), substitute: ReceiptImage(Self.picture))
        let receipt = Receipt([.logo(logo), .text("tea")])
        let own = try Self.dump(receipt, for: Self.escPos(.numbers, raster: nil))
        #expect(own.lines.contains("FS p 7") && own.1 == [])
        let none = try Self.dump(receipt, for: .text(PlainTextCapabilities(paper: Self.paper)))
        #expect(none.lines == ["          tea"])
        #expect(none.1.count == 2)
    }

    @Test func `amid turned lines it is its picture`() throws {
        let logo = StoredLogo(.number(7), substitute: ReceiptImage(Self.picture))
        let receipt = Receipt([.set(turn: TurnedLines(.half)), .logo(logo), .set(turn: .upright), .logo(logo)])
        let (lines, remarks) = try Self.dump(receipt, for: Self.escPos(.numbers))
        #expect(lines.filter { $0 == "FS p 7" }.count == 1)
        #expect(lines.contains { $0.hasPrefix("GS v 0") })
        #expect(remarks == ["logo 7 stands amid turned lines: its picture was sent instead"])
    }

    @Test func `previews show its picture, or a frame with its name`() throws {
        let receipt = Receipt([
            .logo(StoredLogo(.key(0x3C, 0x31))), .logo(StoredLogo(.number(2), substitute: ReceiptImage(Self.picture))),
        ])
        let layout = try ReceiptLayout(receipt, on: Self.paper)
        #expect(
            TextPreview.text(of: layout) == """
                  ┌──────────────────┐
                  │logo <1           │
                  │                  │
                  └──────────────────┘
                        ┌──────┐
                        └──────┘

                """)
        let svg = SVGPreview.svg(of: layout)
        #expect(svg.contains(">logo &lt;1</text>") && svg.contains("data:image/png;base64,"))
        let picture = ReceiptPicture(layout)
        let dots = try picture.matrix(with: BitmapRenderer.drawn(picture.drawings))
        #expect(dots.height == 4 * 24 + 48)
        #expect(dots[24, 0] && dots[24 + 239, 95] && !dots[23, 0] && !dots[24 + 240, 95])
        #expect(picture.drawings.count == 2)
        // A frame without room for its name has none.
        let narrow = ReceiptPicture(
            try ReceiptLayout(Receipt([.logo(StoredLogo(.number(2)))]), on: ReceiptPaper(dots: 20)))
        #expect(narrow.drawings == [])
    }

    /// The printer's memory holds a picture of 16 × 8 dots, under a number and under a key.
    @Test(arguments: [EscPosCapabilities.StoredLogoCommand.keys, .numbers])
    func `the simulated printer prints what its memory holds, and marks what it lacks`(
        _ command: EscPosCapabilities.StoredLogoCommand
    ) throws {
        let dots = [UInt8](repeating: 0xF0, count: 16)
        let define: [UInt8] =
            command == .keys
            ? [0x1D, 0x28, 0x4C, 27, 0, 48, 67, 48, 0x30, 0x32, 1, 16, 0, 8, 0, 49] + dots
            : [0x1C, 0x71, 2, 1, 0, 1, 0] + dots.prefix(8) + [2, 0, 1, 0] + dots
        let receipt = Receipt([.logo(StoredLogo(.number(2), alignment: .right)), .text("tea")])
        let bytes = try ReceiptDocument(receipt, for: Self.escPos(command)).bytes(with: .nothing)
        var model = PaperModel()
        model.width = 24 * 12
        var printer = try PaperPrinter(model)
        let missing = printer.print(bytes, as: .escPOS)
        #expect(missing.flatMap(\.events).filter(\.isFault).count == 1)
        _ = printer.print(define, as: .escPOS)
        let paper = try #require(printer.print(bytes, as: .escPOS).first)
        #expect(paper.events.filter(\.isFault).isEmpty)
        let margin = (paper.picture.width - 24 * 12) / 2
        let ink = (0..<paper.picture.width).filter { x in (0..<4).contains { paper.picture[x, $0] } }
        #expect(ink.first.map { $0 >= margin + 24 * 12 - 16 } == true)
    }
}
