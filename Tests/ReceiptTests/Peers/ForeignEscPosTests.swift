import KioskPaperPictures
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskReceipts
@testable import KioskSimulatedPaper

/// Two printers that share no code, one of them not ours, print the same from the same bytes. Characters are patterns
/// in both, so that equal dots mean equal characters in equal style at the same place.
@Suite(.enabled(if: PythonPeers.python != nil)) struct ForeignEscPosTests {
    private static func capabilities(
        _ paper: ReceiptPaper, _ method: EscPosCapabilities.RasterMethod = .rows, _ symbologies: Set<Symbology> = []
    ) -> EscPosCapabilities {
        var capabilities = EscPosCapabilities(paper: paper, symbologies: symbologies, raster: method)
        // emupos has no Katakana.
        capabilities.codePages[.katakana] = nil
        return capabilities
    }

    private static func job(_ layout: ReceiptLayout, _ capabilities: EscPosCapabilities) throws -> ForeignPrint.Job {
        let document = try ReceiptDocument(layout, for: .escPos(capabilities))
        return ForeignPrint.Job(
            try document.bytes(with: BitmapRenderer.drawn(document.drawings)), width: layout.paper.dots)
    }

    @Test(arguments: [EscPosCapabilities.RasterMethod.rows, .graphics, .strips])
    func `the corpus comes out dot by dot`(_ method: EscPosCapabilities.RasterMethod) async throws {
        let layouts = try RenderedReceiptTests.names.map { try GoldenReceipts(name: $0).layout() }
        let agreed = layouts.map(AgreedLines.of)
        // Nearly all of them.
        #expect(agreed.reduce(0) { $0 + $1.lines.count } * 20 >= layouts.reduce(0) { $0 + $1.lines.count } * 19)
        let jobs = try agreed.map { try Self.job($0, Self.capabilities($0.paper, method)) }
        let prints = try #require(try await EmuposPrinter.prints(of: jobs))
        for (name, (job, foreign)) in zip(RenderedReceiptTests.names, zip(jobs, prints)) {
            let ours = try PatternPrint(job)
            #expect(foreign.refused == [] && ours.faults == [], "\(name)")
            #expect(ours.words == foreign.words, "\(name)")
            let theirs = foreign.pictures.map(\.bitmap)
            #expect(ours.pieces.count == theirs.count, "\(name)")
            for (piece, their) in zip(ours.pieces, theirs) { #expect(piece.difference(from: their) == nil, "\(name)") }
        }
    }

    /// The names of emupos for the codes that it draws itself.
    private static let names: [Symbology: String] = [
        .upc: "UPC-A", .code39: "CODE39", .itf: "ITF", .code128: "CODE128",
    ]

    private static func name(_ code: PlacedCode) -> String {
        switch code.checked.kind {
        case .qr: "[qr \(code.checked.text)]"
        case .ean13: "EAN-13"
        case .ean8: "EAN-8"
        default: names[code.code.symbology] ?? "?"
        }
    }

    @Test func `its own codes say what was asked for`() async throws {
        // It draws neither the other symbologies nor UPC-E.
        let layouts = try RenderedCodesTests.names.map { name in
            var layout = try GoldenReceipts(name: name).layout()
            layout.lines.removeAll {
                if case .code(let code) = $0.content { code.checked.kind == .upcE } else { false }
            }
            return layout
        }
        let native: Set<Symbology> = [.upc, .ean, .code39, .itf, .code128, .qrcode]
        let jobs = try layouts.map { layout in try Self.job(layout, Self.capabilities(layout.paper, .rows, native)) }
        let prints = try #require(try await EmuposPrinter.prints(of: jobs))
        for (name, (layout, foreign)) in zip(RenderedCodesTests.names, zip(layouts, prints)) {
            #expect(foreign.refused == [], "\(name)")
            let codes = layout.lines.compactMap { line in
                if case .code(let code) = line.content, native.contains(code.code.symbology) { code } else { nil }
            }
            #expect(foreign.codes == codes.map(Self.name), "\(name)")
            var read: [String] = []
            for picture in foreign.pictures { read += try await BarcodeReader.data(in: picture.bitmap.framed) }
            func plain(_ text: String) -> String { String(text.filter { $0.asciiValue.map { $0 >= 0x20 } ?? true }) }
            #expect(read.map(plain).sorted() == BarcodeReader.said(in: layout).map(plain).sorted(), "\(name)")
        }
    }

    @Test(arguments: [("{drawer:1}", "2 120"), ("{drawer:2,200}", "5 200")]) func `drawers open as asked`(
        _ markup: String, _ opened: String
    ) async throws {
        let receipt = try ReceiptMarkup.read(
            markup, rules: ReceiptMarkup.Rules(privileges: Set(ReceiptPrivilege.allCases))
        ).receipt
        let layout = try ReceiptLayout(receipt, on: ReceiptPaper(columns: 48))
        let prints = try #require(
            try await EmuposPrinter.prints(of: [Self.job(layout, Self.capabilities(layout.paper))]))
        #expect(prints.map(\.drawers) == [[opened]])
    }
}

/// Removes the lines of a layout on which Epson's manual can be read in two ways.
private enum AgreedLines {
    static func of(_ layout: ReceiptLayout) -> ReceiptLayout {
        var layout = layout
        layout.lines.removeAll { line in
            guard case .text(let text) = line.content else { return false }
            // emupos takes the manual's "baseline" for the lower edge of the cells, we for that of the letters. It
            // also underlines white on black.
            return Set(text.runs.map(\.style.height)).count > 1
                || text.runs.contains { $0.style.invert && $0.style.underline }
        }
        return layout
    }
}

/// The print of our own printer, with patterns for its characters.
private struct PatternPrint {
    /// The pictures between cuts, to the last black dot, without margins.
    let pieces: [Bitmap]
    /// The words of each line that has any.
    let words: [[String]]
    let faults: [String]

    init(_ job: ForeignPrint.Job) throws {
        var model = PaperModel()
        // The row of dashes belongs to no piece.
        (model.width, model.cutterDistance) = (job.width, 1)
        var printer = PaperPrinter(
            model, glyphs: PatternGlyphs(), symbols: ZintSymbols(), wideText: IconvText(), unpacker: ZLibData())
        let paper = printer.print([UInt8](job.bytes), as: .escPOS)[0]
        faults = paper.faults.map(\.line)
        let ends = paper.cuts.map(\.row) + [paper.picture.height]
        let starts = [0] + paper.cuts.map { $0.row + 1 }
        pieces = zip(starts, ends).compactMap { start, end in
            var piece = Bitmap(width: job.width, height: max(end - start, 0))
            piece.draw(paper.picture, x: -model.margin, y: -start)
            guard let last = piece.lastBlackRow else { return nil }
            piece.resize(height: last + 1)
            return piece
        }
        words = Self.lines(paper.events).map { $0.split(separator: " ").map { String($0) } }.filter { !$0.isEmpty }
    }

    private static func lines(_ events: [PaperEvent]) -> [String] {
        var lines = [""]
        for event in events {
            switch event.kind {
            case .text(let text): lines[lines.count - 1] += text
            case .command("LF", _, _): lines.append("")
            case .command("ESC $", _, _): lines[lines.count - 1] += " "
            default: break
            }
        }
        return lines
    }
}

/// emupos (PyPI), a simulated receipt printer that others wrote from Epson's manual. It gets the same patterns for
/// characters as our own.
private enum EmuposPrinter {
    /// With the code pages of its TM-T20III: all of ours but Katakana.
    static func prints(of jobs: [ForeignPrint.Job]) async throws -> [ForeignPrint]? {
        try await ForeignPrint.prints(of: jobs, by: script)
    }

    private static let script = """
        import base64, io, json, sys, types
        from importlib import resources
        import yaml
        from PIL import Image, ImageOps
        # Its checker of settings is not needed, and wants a newer Python than Debian's.
        config = types.ModuleType("emupos.config")
        config.Level = config.PrinterId = config.PrinterProfile = object
        sys.modules["emupos.config"] = config
        from emupos.printer.escpos import glyphs
        from emupos.printer.printer import Printer

        class Patterns:
            def __init__(self, font): self.width, self.height = (12, 24) if font == "A" else (9, 17)
            def get(self, number):
                rows, state = b"", number
                for _ in range(self.height):
                    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
                    row = 0 if number in (0x20, 0xA0) else state >> 8 & (1 << self.width) - 1
                    rows += (row << 16 - self.width).to_bytes(2, "big")
                return rows

        glyphs._glyph_table = Patterns
        settings = yaml.safe_load((resources.files("emupos") / "profiles/printers/epson-tm-t20iii.yaml").read_text())
        cell = lambda size: types.SimpleNamespace(**size)
        prints = []
        for job in json.load(open(sys.argv[2])):
            profile = types.SimpleNamespace(**settings)
            profile.font_a, profile.font_b, profile.width_dots = cell(settings["font_a"]), cell(settings["font_b"]), job["width"]
            printer = Printer("printer", profile, sensor_open_level="high", job_idle_timeout_ms=1000)
            output = printer.open_connection("tcp", 0) + printer.receive("tcp", base64.b64decode(job["bytes"]), 0) + printer.close_connection("tcp", 0)
            made = {"pictures": [], "lines": [], "refused": [], "drawers": []}
            for receipt in output.receipts:
                made["lines"] += receipt.text.splitlines()
                picture = ImageOps.invert(Image.open(io.BytesIO(receipt.png)).convert("L"))
                box = picture.getbbox()
                picture = picture.crop((0, 0, picture.width, box[3] if box else 0)).convert("1")
                made["pictures"].append({"width": picture.width, "height": picture.height, "rows": base64.b64encode(picture.tobytes()).decode()})
            for event in output.events:
                if event.type == "drawer.opened": made["drawers"].append("%(pin)d %(on_time_ms)d" % event.data)
                else: made["refused"].append(str(event.type) + " " + json.dumps(dict(event.data)))
            prints.append(made)
        json.dump(prints, open(sys.argv[1], "w"))
        """
}

/// A unique pattern of dots for each character instead of a letter: the same dots are the same character. Spaces are
/// white.
private struct PatternGlyphs: GlyphSource {
    func glyph(_ scalar: Unicode.Scalar, width: Int, height: Int) -> Bitmap? {
        var picture = Bitmap(width: width, height: height)
        guard scalar != " ", scalar != "\u{A0}" else { return picture }
        var state = Int(scalar.value)
        for y in 0..<height {
            state = (state * 1_103_515_245 + 12345) & 0x7FFF_FFFF
            for x in 0..<width where state >> (7 + width - x) & 1 == 1 { picture[x, y] = true }
        }
        return picture
    }
}
