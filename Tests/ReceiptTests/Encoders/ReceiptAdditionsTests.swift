import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskReceipts

/// What receipts have beyond ReceiptLine: rules, thick underlines, turned lines, red, the buzzer, dithering by picture.
@Suite struct ReceiptAdditionsTests {
    private static let all = ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))

    private static func receipt(_ markup: String) throws -> Receipt {
        try ReceiptMarkup.read(markup, rules: all).receipt
    }

    private static func dump(
        _ markup: String, _ change: (inout EscPosCapabilities) -> Void = { _ in }
    ) throws -> (lines: [String], remarks: [String]) {
        var capabilities = EscPosCapabilities(paper: ReceiptPaper(columns: 24))
        change(&capabilities)
        let document = try ReceiptDocument(receipt(markup), for: .escPos(capabilities))
        let dump = try document.dump(with: BitmapRenderer.drawn(document.drawings))
        return (dump.split(separator: "\n").map { String($0) }, document.remarks)
    }

    @Test(arguments: [
        "{rule:double}", "{underline:thick}", "{dither:atkinson}", "{color:red}", "{rotate:90}", "{buzzer:1}",
        "{logo:1}",
    ])
    func `strict mode knows none of them`(_ markup: String) throws {
        let rules = ReceiptMarkup.Rules(isStrict: true, privileges: Set(ReceiptPrivilege.allCases))
        let reading = try ReceiptMarkup.read(markup, rules: rules)
        #expect(reading.receipt.elements == [])
        #expect(reading.remarks.count == 1)
        #expect(try ReceiptMarkup.read(markup, rules: Self.all).remarks == [])
    }

    @Test(arguments: [
        "{rule:wavy}", "{underline:none}", "{dither:noise}", "{color:green}", "{rotate:45}", "{rotate:180,20}",
        "{rotate:90,0}", "{rotate:}", "{buzzer:0}", "{buzzer:1,10}", "{buzzer:1,100,1}",
    ])
    func `a value that means nothing is an error`(_ markup: String) {
        #expect(throws: ReceiptError.self) { try Self.receipt(markup) }
    }

    @Test func `the buzzer is for those who may open the drawer`() throws {
        let error = #expect(throws: ReceiptError.self) { try ReceiptMarkup.read("{buzzer:1}") }
        #expect(error?.code == .forbidden)
        let json = Array(#"{"elements": [{"buzzer": 2, "milliseconds": 200}]}"#.utf8)
        #expect(#expect(throws: ReceiptError.self) { try ReceiptJSON.read(json) }?.code == .forbidden)
        let receipt = try ReceiptJSON.read(json, privileges: [.drawer])
        #expect(receipt.elements == [.buzzer(BuzzerSignal(count: 2, milliseconds: 200))])
        #expect(receipt.privileges == [.drawer])
    }

    @Test func `the buzzer sounds once, and its lack is remarked`() throws {
        let (lines, remarks) = try Self.dump("{buzzer:3,200}\ntea\n{buzzer:3}") { $0.hasBuzzer = true }
        #expect(lines.filter { $0.hasPrefix("ESC B") } == ["ESC B 3 × 200 ms"])
        #expect(remarks == [])
        #expect(EscPosCommand.beep(count: 3, units: 4).bytesForTest == [0x1B, 0x42, 3, 4])
        let without = try Self.dump("{buzzer:3}\ntea")
        #expect(!without.lines.contains { $0.hasPrefix("ESC B") })
        #expect(without.remarks == ["the printer has no buzzer: none was sounded"])
    }

    @Test func `lines are red where the printer has red, and black elsewhere with a remark`() throws {
        let markup = "a\n{color:red}\n|b\n{color:black}\n|c"
        let (lines, remarks) = try Self.dump(markup) { $0.hasRed = true }
        #expect(
            lines.filter { $0.hasPrefix("ESC r") || $0.hasPrefix("\"") }
                == ["\"a\"", "ESC r red", "\"b\"", "ESC r black", "\"c\""])
        #expect(remarks == [])
        #expect(EscPosCommand.color(.red).bytesForTest == [0x1B, 0x72, 1])
        let black = try Self.dump(markup)
        #expect(!black.lines.contains { $0.hasPrefix("ESC r") })
        #expect(black.remarks == ["the printer prints this in black only: not all of it is red"])
        // What is drawn is black.
        #expect(try Self.dump("{color:red}\n日本") { $0.hasRed = true }.remarks.count == 1)
        let zpl = try ReceiptDocument(
            Self.receipt(markup), for: .label(LabelCapabilities(paper: ReceiptPaper(columns: 24), language: .zpl)))
        #expect(zpl.remarks.count == 1)
        #expect(
            try SVGPreview.svg(of: ReceiptLayout(Self.receipt(markup), on: ReceiptPaper(columns: 24))).contains("#c00"))
    }

    @Test func `thick underlines are the printer's own where it has them`() throws {
        let markup = "{underline:thick}\n|_a_\n{underline:thin}\n|_b_"
        #expect(
            try Self.dump(markup).lines.filter { $0.hasPrefix("ESC -") } == ["ESC - thick", "ESC - on"])
        #expect(EscPosCommand.underline(2).bytesForTest == [0x1B, 0x2D, 2])
        // Star has no command for it: the line is drawn.
        let star = try ReceiptDocument(
            Self.receipt(markup), for: .star(StarCapabilities(paper: ReceiptPaper(columns: 24))))
        #expect(star.drawings.count == 1)
        let matrix = try ReceiptPicture(ReceiptLayout(Self.receipt(markup), on: ReceiptPaper(columns: 24))).matrix(
            with: BitmapRenderer.drawn(
                ReceiptPicture(ReceiptLayout(Self.receipt(markup), on: ReceiptPaper(columns: 24))).drawings))
        #expect((20..<24).allSatisfy { matrix[0, $0] && matrix[11, $0] })
        #expect(!matrix[0, 51] && matrix[0, 52] && matrix[0, 53])
    }

    @Test(arguments: [
        (RuleStyle.single, "────", "ESC @,ESC 3 30,\"────\",LF"), (.double, "════", "ESC @,ESC 3 30,\"════\",LF"),
        (.dotted, "····", "ESC @,ESC 3 30,\"····\",LF"), (.thick, "━━━━", ""), (.dashed, "╌╌╌╌", ""),
    ])
    func `rules of every style`(_ style: RuleStyle, _ text: String, _ commands: String) throws {
        let receipt = Receipt([.rule(style)])
        let layout = try ReceiptLayout(receipt, on: ReceiptPaper(columns: 4))
        #expect(TextPreview.text(of: layout) == text + "\n")
        let document = try ReceiptDocument(receipt, for: .escPos(EscPosCapabilities(paper: ReceiptPaper(columns: 4))))
        let dump = try document.dump(with: .nothing).split(separator: "\n").joined(separator: ",")
        if commands.isEmpty { #expect(dump.contains("GS v 0")) } else { #expect(dump == commands) }
        // Text that has no such line has a single one.
        let plain = try ReceiptDocument(receipt, for: .text(PlainTextCapabilities(paper: ReceiptPaper(columns: 4))))
        #expect(String(decoding: try plain.bytes(with: .nothing), as: UTF8.self) == "----\r\n")
        #expect(plain.remarks.isEmpty == (style == .single))
    }

    @Test func `turned lines are the same dots, turned`() throws {
        func dots(_ markup: String) throws -> DotMatrix {
            let picture = ReceiptPicture(try ReceiptLayout(Self.receipt(markup), on: ReceiptPaper(columns: 24)))
            return try picture.matrix(with: BitmapRenderer.drawn(picture.drawings))
        }
        let lines = "|Tea\nTOTAL|2.50\n{code:4006381333931;option:ean}\n-\n"
        let upright = try dots(lines)
        #expect(try dots("{rotate:180}\n" + lines) == upright.turned(.half))
        // They take more than the paper's width.
        #expect(throws: ReceiptError.self) {
            try dots("{rotate:90}\n" + String(repeating: "a\n", count: 10))
        }
        let sideways = try dots("{rotate:270,20;align:left}\n|Tea\nTOTAL|2.50\n")
        let narrow = ReceiptPicture(
            try ReceiptLayout(Self.receipt("|Tea\nTOTAL|2.50\n"), on: ReceiptPaper(columns: 20)))
        let expected = try narrow.matrix(with: BitmapRenderer.drawn(narrow.drawings)).turned(.threeQuarters)
        #expect(sideways.height == 240 && expected.width == 60)
        for y in 0..<240 { for x in 0..<60 { #expect(sideways[x, y] == expected[x, y]) } }
        #expect(upright.turned(.quarter).turned(.threeQuarters) == upright)
        #expect(upright.turned(.quarter).turned(.quarter) == upright.turned(.half))
    }

    @Test func `drawers and commands amid turned lines are done before them, and a cut ends them`() throws {
        let lines = try Self.dump("{rotate:180}\na\n{drawer:1}\nb\n=\n{command:\\x07}\nc").lines
        let kinds = lines.compactMap { line in
            ["ESC p", "GS v 0", "GS V", "raw"].first { line.hasPrefix($0) }
        }
        #expect(kinds == ["ESC p", "GS v 0", "GS V", "raw", "GS v 0"])
    }

    @Test func `a printer that turns nothing prints upright, with a remark`() throws {
        let document = try ReceiptDocument(
            Self.receipt("{rotate:90}\n|tea"), for: .text(PlainTextCapabilities(paper: ReceiptPaper(columns: 8))))
        #expect(String(decoding: try document.bytes(with: .nothing), as: UTF8.self) == "tea\r\n")
        #expect(document.remarks == ["the printer turns no lines: they were printed upright"])
    }

    @Test func `each picture is dithered as it says`() throws {
        let image = ReceiptImage(RandomReceipt.png(width: 16, height: 8))
        let receipt = Receipt([
            .image(image), .image(ReceiptImage(image.file, dithering: .ordered)),
        ])
        let picture = ReceiptPicture(try ReceiptLayout(receipt, on: ReceiptPaper(columns: 4)), dithering: .atkinson)
        let ditherings = picture.drawings.compactMap { drawing in
            if case .picture(let picture) = drawing.content { picture.dithering } else { nil }
        }
        #expect(Set(ditherings) == [.atkinson, .ordered])
        let file = Base64.encode(image.file)
        #expect(
            try Self.receipt("{dither:ordered}\n{image:\(file)}\n{dither:threshold;image:\(file)}").elements == [
                .image(ReceiptImage(image.file, dithering: .ordered)),
                .image(ReceiptImage(image.file, dithering: .threshold)),
            ])
    }

    @Test(
        arguments: [
            (Symbology.gs1128, "(01)09501101530003(10)A*B(21)7", [Symbology.code128], ["GS k 73"]),
            (.gs1128, "(01)09501101530003(10)A*B(21)7", [.gs1128], ["GS k 74 \"(01)09501101530003(10)A{*B{1(21)7\""]),
            (.databar, "0950110153000", [.databar], ["GS k 75 \"0950110153000\""]),
            (
                .databarExpanded, "(01)90614141000015(3202)000150", [.databarExpanded],
                ["GS k 78 \"(01)90614141000015(3202)000150\""]
            ),
            (
                .aztec, "Kiosk", [.aztec],
                ["GS ( k 53 66 1 2", "GS ( k 53 67 3", "GS ( k 53 69 23", "GS ( k 53 80 \"Kiosk\"", "GS ( k 53 81 48"]
            ),
            (
                .maxicodeCarrier, "841706672,840,001,1Z12345677", [.maxicode],
                [
                    "GS ( k 50 65 50", "GS ( k 50 80 \"841706672<29>840<29>001<29>1Z12345677\"",
                    "GS ( k 50 81 48",
                ]
            ),
            (
                .maxicodeCarrier, "B1050,056,999,[)>\u{1E}01\u{1D}961Z", [.maxicode],
                [
                    "GS ( k 50 65 51",
                    "GS ( k 50 80 \"[)><30>01<29>96B1050<29>056<29>999<29>1Z\"", "GS ( k 50 81 48",
                ]
            ),
            (.maxicodeCarrier, "B1050,056,999,1Z", [.qrcode], ["GS v 0"]),
            (.databarStacked, "0950110153000", [.databar], ["GS v 0"]),
            (.databarStackedOmnidirectional, "0950110153000", [.databar], ["GS v 0"]),
            (.databarExpandedStacked, "(01)90614141000015(10)ABC", [.databarExpanded], ["GS v 0"]),
            (.maxicode, "KIOSK", [.maxicode], ["GS ( k 50 65 52", "GS ( k 50 80 \"KIOSK\"", "GS ( k 50 81 48"]),
            (.aztec, "Kiosk", [], ["GS v 0"]), (.maxicode, "KIOSK", [.qrcode], ["GS v 0"]),
        ] as [(Symbology, String, [Symbology], [String])])
    func `codes are the printer's own where its profile says so`(
        _ symbology: Symbology, _ data: String, _ own: [Symbology], _ commands: [String]
    ) throws {
        var capabilities = EscPosCapabilities(paper: ReceiptPaper(columns: 48))
        capabilities.symbologies = Set(own)
        let document = try ReceiptDocument(
            Receipt([.code(ReceiptCode(data, symbology))]), for: .escPos(capabilities))
        let lines = try document.dump(with: BitmapRenderer.drawn(document.drawings)).split(separator: "\n").filter {
            $0.hasPrefix("GS k") || $0.hasPrefix("GS ( k") || $0.hasPrefix("GS v")
        }
        // A picture comes in several bands.
        if commands == ["GS v 0"] {
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("GS v 0") })
            return
        }
        #expect(lines.count == commands.count)
        for (line, command) in zip(lines, commands) { #expect(line.hasPrefix(command), "\(line)") }
    }
}

extension EscPosCommand {
    fileprivate var bytesForTest: [UInt8] { [self].bytes }
}
