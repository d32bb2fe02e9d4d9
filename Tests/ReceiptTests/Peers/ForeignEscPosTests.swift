import PaperPictures
import PrintModel
import SimulatedPaper
import TestSupport
import Testing

@testable import Receipts

/// Two printers that share no code, one of them not ours, make the same paper of what is said to them. Characters are
/// patterns in both, so that equal dots mean equal characters in equal style at the same place.
@Suite(.enabled(if: PythonPeers.python != nil)) struct ForeignEscPosTests {
    private static func printer(
        _ paper: ReceiptPaper, _ method: EscPosPrinter.RasterMethod = .rows, _ symbologies: Set<Symbology> = []
    ) -> EscPosPrinter {
        var printer = EscPosPrinter(paper: paper, symbologies: symbologies, raster: method)
        // emupos has no Katakana.
        printer.codePages[.katakana] = nil
        return printer
    }

    private static func job(_ layout: ReceiptLayout, _ printer: EscPosPrinter) throws -> ForeignPrint.Job {
        let document = try ReceiptDocument(layout, for: .escPos(printer))
        return ForeignPrint.Job(
            try document.bytes(with: BitmapArtist.drawn(document.drawings)), width: layout.paper.dots)
    }

    @Test(arguments: [EscPosPrinter.RasterMethod.rows, .graphics, .strips])
    func `the corpus comes out dot by dot`(_ method: EscPosPrinter.RasterMethod) async throws {
        let layouts = try PaintedReceiptTests.names.map { try GoldenReceipts(name: $0).layout() }
        let agreed = layouts.map(AgreedLines.of)
        // Nearly all of them.
        #expect(agreed.reduce(0) { $0 + $1.lines.count } * 20 >= layouts.reduce(0) { $0 + $1.lines.count } * 19)
        let jobs = try agreed.map { try Self.job($0, Self.printer($0.paper, method)) }
        let prints = try #require(try await ForeignEscPosPrinter.prints(of: jobs))
        for (name, (job, foreign)) in zip(PaintedReceiptTests.names, zip(jobs, prints)) {
            let ours = try PatternPrint(job)
            #expect(foreign.refused == [] && ours.faults == [], "\(name)")
            #expect(ours.words == foreign.words, "\(name)")
            let theirs = foreign.pictures.map(\.bitmap)
            #expect(ours.pieces.count == theirs.count, "\(name)")
            for (piece, their) in zip(ours.pieces, theirs) { #expect(piece.difference(from: their) == nil, "\(name)") }
        }
    }

    /// As emupos names what it draws itself.
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
        let layouts = try PaintedCodesTests.names.map { name in
            var layout = try GoldenReceipts(name: name).layout()
            layout.lines.removeAll {
                if case .code(let code) = $0.content { code.checked.kind == .upcE } else { false }
            }
            return layout
        }
        let native: Set<Symbology> = [.upc, .ean, .code39, .itf, .code128, .qrcode]
        let jobs = try layouts.map { layout in try Self.job(layout, Self.printer(layout.paper, .rows, native)) }
        let prints = try #require(try await ForeignEscPosPrinter.prints(of: jobs))
        for (name, (layout, foreign)) in zip(PaintedCodesTests.names, zip(layouts, prints)) {
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
            try await ForeignEscPosPrinter.prints(of: [Self.job(layout, Self.printer(layout.paper))]))
        #expect(prints.map(\.drawers) == [[opened]])
    }
}
