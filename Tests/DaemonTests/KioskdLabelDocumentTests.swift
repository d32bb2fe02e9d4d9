import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// PDF files on their way through the daemon to printers of labels and receipts.
@Suite struct KioskdLabelDocumentTests {
    private func daemon(_ uri: String, profile: String?, role: String) async throws -> KioskdFixture {
        let profile = profile.map { ", profile: \($0)" } ?? ""
        return try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "\(uri)"\(profile) }
                roles:
                  \(role):
                    printers: [till-1]

                """, arguments: ["--profiles", ShippedProfiles.folder])
    }

    private func submit(
        _ document: [UInt8], to daemon: KioskdFixture, role: String, _ query: String = ""
    ) async throws -> CurlResponse {
        let folder = try TemporaryFolder("document")
        let path = try folder.write(document, to: "document.pdf")
        return try await daemon.curl(
            "/v1/jobs?role=\(role)&wait=300\(query)",
            ["-H", "Content-Type: application/pdf", "--data-binary", "@\(path)"], deadline: .seconds(600))
    }

    private func labels(_ bytes: [UInt8], dots: Int = 812) throws -> [PrintedPaper] {
        var model = PaperModel()
        model.width = dots
        var printer = try PaperPrinter(model)
        return printer.print(bytes, as: .zpl)
    }

    private func zpl() async throws -> SimulatedRawPrinter {
        var options = SimulatedRawPrinter.Options()
        options.language = .zpl
        return try await SimulatedRawPrinter.start(options)
    }

    // MARK: Labels

    @Test func `a label of 4 by 6 inches comes out dot for dot on a ZPL printer, and its barcode is read`() async throws
    {
        let printer = try await zpl()
        let daemon = try await daemon(printer.uri, profile: "generic-zpl", role: "label")
        let rectangles = [(x: 100, y: 700, width: 300, height: 7), (x: 333, y: 900, width: 1, height: 200)]
        let document = LabelPages.document(
            width: 812, height: 1218, isFramed: true, codeAt: (120, 200), rectangles: rectangles)
        let job = try await submit(document, to: daemon, role: "label").json(Job.self)
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        #expect(job.pages == 1 && job.remarks == nil, "\(job.remarks ?? [])")
        let papers = try labels(try await printer.paper)
        #expect(papers.count == 1 && papers.flatMap(\.faults).isEmpty)
        let meant = LabelPages.dots(
            width: 812, height: 1218, isFramed: true, codeAt: (120, 200), rectangles: rectangles)
        #expect(papers[0].picture.differentDots(from: meant) == 0)
        let read = try await Zbar.read(PNGFile.bytes(papers[0].picture, dotsPerInch: 203))
        #expect(read.map(\.data) == [LabelPages.code])
        try await printer.stop()
    }

    @Test func `kioskctl simulate draws the label that came`() async throws {
        let folder = try TemporaryFolder("drawn")
        let simulation = try ChildProcess(
            try BuiltProducts.path("kioskctl"),
            ["simulate", "--raw", "0", "--language", "zpl", "--paper", folder.appending("paper")])
        let uri = try await eventuallyValue("its URL") {
            simulation.standardOutput.contains("\n") ? simulation.standardOutput.split(separator: "\n").first : nil
        }
        let daemon = try await daemon(String(uri), profile: "generic-zpl", role: "label")
        let document = LabelPages.document(width: 812, height: 1218, isFramed: true, codeAt: (120, 200))
        let job = try await submit(document, to: daemon, role: "label").json(Job.self)
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        // It draws what a client sent once the client has gone.
        try await daemon.terminate()
        let picture = try await eventuallyValue("the picture") {
            try? readFile(folder.appending("paper/job-1.png"))
        }
        #expect(picture[16..<24].elementsEqual([0, 0, 0x03, 0x2C, 0, 0, 0x04, 0xC2]))
        #expect(try await Zbar.read(picture).map(\.data) == [LabelPages.code])
        try await simulation.terminate()
    }

    @Test func `labels come in their order, as often as asked, and those that lie across are turned`() async throws {
        let printer = try await zpl()
        let daemon = try await daemon(printer.uri, profile: "generic-zpl", role: "label")
        var file = PDFWriter()
        LabelPages.add(
            to: &file, width: 812, height: 1218, codeAt: nil, rectangles: [(x: 10, y: 10, width: 40, height: 40)])
        LabelPages.add(
            to: &file, width: 1218, height: 812, codeAt: nil, rectangles: [(x: 10, y: 10, width: 40, height: 40)])
        LabelPages.add(
            to: &file, width: 400, height: 200, codeAt: nil, rectangles: [(x: 0, y: 0, width: 400, height: 200)])
        let job = try await submit(file.bytes, to: daemon, role: "label", "&copies=3").json(Job.self)
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        #expect(job.pages == 9)
        let pictures = try labels(try await printer.paper).map(\.picture)
        #expect(pictures.count == 9)
        let meant = [
            LabelPages.dots(
                width: 812, height: 1218, codeAt: nil, rectangles: [(x: 10, y: 10, width: 40, height: 40)]),
            // Turned anti-clockwise: its upper left corner is below at the left.
            LabelPages.dots(
                width: 812, height: 1218, codeAt: nil, rectangles: [(x: 10, y: 1218 - 50, width: 40, height: 40)]),
            // Not enlarged, in the middle.
            LabelPages.dots(
                width: 812, height: 1218, codeAt: nil, rectangles: [(x: 206, y: 509, width: 400, height: 200)]),
        ]
        for (index, picture) in pictures.enumerated() {
            #expect(picture.differentDots(from: meant[index % 3]) == 0, "label \(index)")
        }
        try await printer.stop()
    }

    @Test func `what a label printer cannot do is refused before there is a job`() async throws {
        let printer = try await zpl()
        let daemon = try await daemon(printer.uri, profile: "generic-zpl", role: "label")
        // What it takes is known once it was contacted.
        _ = try await daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"])
        var file = PDFWriter()
        for _ in 0..<2 { LabelPages.add(to: &file, width: 812, height: 1218, codeAt: (100, 100)) }
        for (query, word) in [
            ("&sides=two-sided-long-edge", "sides"), ("&printer-resolution=600", "printer-resolution"),
            ("&media=labels", "media"), ("&page-ranges=7", "page-ranges"),
        ] {
            let response = try await submit(file.bytes, to: daemon, role: "label", query)
            #expect(response.status == 422, "\(query): \(response.text)")
            #expect(response.text.contains(word), "\(response.text)")
        }
        #expect(try await daemon.client().jobs().jobs.isEmpty)
        #expect(try await printer.paper.isEmpty)
        try await printer.stop()
    }

    @Test func `a page that is larger than the label is made smaller, with a remark`() async throws {
        let printer = try await zpl()
        let daemon = try await daemon(printer.uri, profile: "generic-zpl", role: "label")
        let document = LabelPages.document(width: 1678, height: 2373, isFramed: true, codeAt: nil)
        let job = try await submit(document, to: daemon, role: "label").json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.remarks?.contains { $0.contains("is scaled to") } == true, "\(job.remarks ?? [])")
        let picture = try #require(try labels(try await printer.paper).first).picture
        // The frame is there on all sides.
        let columns = (0..<picture.width).filter { x in (0..<picture.height).contains { picture[x, $0] } }
        #expect(columns.count > 780)
        try await printer.stop()
    }

    /// In ZPL, which it lists, or as pixels where the profile says so.
    @Test(arguments: [(nil, "label"), ("generic-ipp-80mm", "receipt")] as [(String?, String)])
    func `LPrint prints a label, and its barcode is read`(profile: String?, role: String) async throws {
        let server = try await LPrintServer()
        let daemon = try await daemon(server.uri, profile: profile, role: role)
        let document = LabelPages.document(width: 812, height: 1218, codeAt: (120, 200))
        let job = try await submit(document, to: daemon, role: role).json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.pages == 1 && job.remarks == nil, "\(job.remarks ?? [])")
        let picture = try await eventuallyValue("the label") {
            // LPrint leaves the length of labels to the printer.
            try labels(Array("^XA^LL4000^XZ".utf8) + server.output).map(\.picture).first { !$0.isBlank }
        }
        let read = try await Zbar.read(PNGFile.bytes(picture, dotsPerInch: 203))
        #expect(read.map(\.data) == [LabelPages.code])
    }

    // MARK: Receipts

    private static let ticket = LabelPages.document(
        width: 639, height: 1200, codeAt: (60, 300), rectangles: [(x: 40, y: 700, width: 500, height: 3)])

    /// What of it is on paper: as wide as the head, without the white above and below.
    private static let inked: Bitmap = {
        let whole = LabelPages.dots(
            width: 639, height: 1200, codeAt: (60, 300), rectangles: [(x: 40, y: 700, width: 500, height: 3)])
        var inked = Bitmap(width: 576, height: 403)
        for y in 0..<403 { for x in 0..<576 { inked[x, y] = whole[x + 32, y + 300] } }
        return inked
    }()

    /// The rows of a receipt that are as long as the ticket's content, without the paper's margins.
    private func ink(of paper: PrintedPaper, from top: Int = 0) -> Bitmap {
        let model = PaperModel()
        var ink = Bitmap(width: 576, height: Self.inked.height)
        for y in 0..<ink.height { for x in 0..<576 { ink[x, y] = paper.picture[x + model.margin, y + top] } }
        return ink
    }

    @Test func `a ticket comes out dot for dot on an ESC POS printer, and is cut where its content ends`() async throws
    {
        let printer = try await SimulatedRawPrinter.start()
        let daemon = try await daemon("\(printer.uri)/?waiteof=false", profile: "epson-tm", role: "receipt")
        let job = try await submit(Self.ticket, to: daemon, role: "receipt", "&drawer=true").json(Job.self)
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        #expect(job.remarks?.count == 1 && job.remarks?[0].contains("drawer") == true, "\(job.remarks ?? [])")
        var reader = try PaperPrinter(PaperModel())
        let paper = try #require(reader.print(try await printer.paper, as: .escPOS).first)
        #expect(paper.faults.map(\.line) == [])
        #expect(paper.cuts.map(\.isPartial) == [true])
        #expect(ink(of: paper).differentDots(from: Self.inked) == 0)
        // Nothing of the page's white: the cut is as far behind the content as behind a receipt's last line.
        #expect(paper.picture.height < Self.inked.height + 300)
        #expect(paper.count("ESC p") == 0)
        let read = try await Zbar.read(PNGFile.bytes(paper.picture, dotsPerInch: 203))
        #expect(read.map(\.data) == [LabelPages.code])
        try await printer.stop()
    }

    @Test func `a printer of receipts that only says ESC POS itself prints a PDF over IPP`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer.uri, profile: nil, role: "receipt")
        let job = try await submit(Self.ticket, to: daemon, role: "receipt", "&copies=2&cut=full").json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.remarks == nil, "\(job.remarks ?? [])")
        let papers = try await PrintedReceipt.all(of: printer)
        #expect(papers.count == 1)
        #expect(papers[0].faults.map(\.line) == [])
        #expect(papers[0].cuts.map(\.isPartial) == [false, false])
        #expect(ink(of: papers[0]).differentDots(from: Self.inked) == 0)
        try await printer.stop()
    }

    @Test func `a PDF without any ink is no receipt, and one with ink beside the head is made narrower`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let daemon = try await daemon("\(printer.uri)/?waiteof=false", profile: "generic-80mm", role: "receipt")
        let white = LabelPages.document(width: 639, height: 400, codeAt: nil)
        let nothing = try await submit(white, to: daemon, role: "receipt").json(Job.self)
        #expect(nothing.state == .aborted, "\(nothing.state)")
        #expect(nothing.message?.contains("white") == true, "\(nothing.message ?? "")")
        #expect(try await printer.paper.isEmpty)
        let wide = LabelPages.document(
            width: 639, height: 400, codeAt: nil, rectangles: [(x: 2, y: 50, width: 630, height: 9)])
        let narrowed = try await submit(wide, to: daemon, role: "receipt").json(Job.self)
        #expect(narrowed.state == .completed)
        #expect(narrowed.remarks?.contains { $0.contains("is made narrower") } == true)
        var reader = try PaperPrinter(PaperModel())
        let paper = try #require(reader.print(try await printer.paper, as: .escPOS).first)
        let margin = PaperModel().margin
        let columns = (0..<paper.picture.width).filter { paper.picture[$0, 3] }
        #expect(columns.count > 560 && columns.allSatisfy { (margin..<margin + 576).contains($0) })
        let cut = try await submit(wide, to: daemon, role: "receipt", "&print-scaling=none").json(Job.self)
        #expect(cut.state == .completed)
        #expect(cut.remarks?.contains { $0.contains("is cut off") } == true, "\(cut.remarks ?? [])")
        try await printer.stop()
    }

    @Test func `a printer of text alone gets no PDF`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let daemon = try await daemon("\(printer.uri)/?waiteof=false", profile: "generic-text", role: "receipt")
        _ = try await daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"])
        let response = try await submit(Self.ticket, to: daemon, role: "receipt")
        #expect(response.status >= 400, "\(response.text)")
        #expect(try await printer.paper.isEmpty)
        try await printer.stop()
    }
}
