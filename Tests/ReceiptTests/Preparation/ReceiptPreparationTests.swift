import KioskPrintModel
import KioskReceipts
import KioskTestSupport
import Testing

@testable import KioskReceiptPrinting

/// What becomes of a receipt and its ticket for one printer.
@Suite struct ReceiptPreparationTests {
    private static let escPOS = PrintingSettings(
        language: .escPOS, dots: 576, codePages: [.cp437: 0], initialCodePage: .cp437, cuts: [.full, .partial])

    private func target(
        _ formats: [DocumentFormat] = [.escPOS], jobTypes: JobTypes? = [.receipt], media: [String] = []
    ) throws -> PreparationTarget {
        let id = try #require(PrinterID(rawValue: "till-1"))
        return PreparationTarget(
            printer: SavedPrinter(id: id, url: try PrinterURL("ipp://192.0.2.1/ipp/print")),
            description: PrinterDescription(formats: formats, mediaReady: media), jobTypes: jobTypes)
    }

    private func prepared(
        _ markup: String, _ settings: PrintingSettings? = escPOS, isCopy: Bool = false,
        _ change: (inout Ticket) -> Void = { _ in }
    ) async throws -> PreparedDocument {
        var ticket = Ticket()
        change(&ticket)
        return try await ReceiptPreparation(settings: { _ in settings }).prepare(
            Array(markup.utf8), nil, as: .receiptLine, with: ticket, isCopy: isCopy, for: target())
    }

    private func bytes(_ document: PreparedDocument) throws -> [UInt8] {
        guard case .bytes(let bytes) = document.document.body else {
            throw DocumentProblem(.invalid, DocumentRemark(message: "no bytes"))
        }
        return bytes
    }

    private func elements(
        _ markup: String, isCopy: Bool = false, _ change: (inout Ticket) -> Void
    ) throws -> [ReceiptElement] {
        var ticket = Ticket()
        change(&ticket)
        return try ReceiptSource(Array(markup.utf8), .receiptLine, rights: .all).receipt.printed(
            with: ticket, isCopy: isCopy
        ).elements
    }

    @Test(
        arguments: [
            ("tea", nil, [.partial]), ("tea\n=", nil, [.partial]), ("tea\n{cut:full}\n{drawer:1}", nil, [.full]),
            ("=\ntea", nil, [.partial, .partial]),
            ("tea\n{cut:feed}", nil, [.feed]), ("tea\n{command:\\x07}", nil, []), ("tea", Ticket.Cut.none, []),
            ("tea\n=", Ticket.Cut.none, []),
            ("=\ntea\n=", .full, [.partial, .full]), ("tea", .full, [.full]),
            ("tea\n{command:\\x07}", .partial, [.partial]), ("{comment:nothing}", nil, []),
        ] as [(String, Ticket.Cut?, [CutMode])])
    func `a receipt is cut at its end as the ticket says, or else at all`(
        markup: String, cut: Ticket.Cut?, cuts: [CutMode]
    ) throws {
        let found = try elements(markup) { $0.cut = cut }.compactMap {
            if case .cut(let mode) = $0 { mode } else { nil }
        }
        #expect(found == cuts)
    }

    @Test(
        arguments: [
            ("tea", nil, 0), ("tea", true, 1), ("tea", false, 0), ("{drawer:2}\ntea", nil, 1),
            ("{drawer:2}\ntea", true, 1), ("{drawer:2}\ntea", false, 0),
        ]
            as [(String, Bool?, Int)])
    func `the drawer is opened as the ticket says, and never by a copy`(
        markup: String, drawer: Bool?, kicks: Int
    ) throws {
        func count(_ elements: [ReceiptElement]) -> Int {
            elements.count { if case .drawer = $0 { true } else { false } }
        }
        #expect(try count(elements(markup) { $0.drawer = drawer }) == kicks)
        #expect(try count(elements(markup, isCopy: true) { $0.drawer = drawer }) == 0)
    }

    @Test func `the same job is the same bytes, and what is in them is not asked of the transport`() async throws {
        let first = try await prepared("tea|2.50") {
            $0.copies = 2; $0.cut = .full; $0.drawer = true; $0.priority = 7
        }
        let second = try await prepared("tea|2.50") {
            $0.copies = 2; $0.cut = .full; $0.drawer = true; $0.priority = 7
        }
        #expect(try bytes(first) == bytes(second))
        #expect(first.document.format == .escPOS)
        #expect(
            [
                first.ticket.copies == nil, first.ticket.cut == nil, first.ticket.drawer == nil,
                first.ticket.priority == 7,
            ] == [true, true, true, true])
    }

    @Test func `a copy says so above all`() async throws {
        let text = String(decoding: try bytes(await prepared("tea", isCopy: true)), as: UTF8.self)
        let mark = try #require(text.firstRange(of: "*** COPY ***"))
        #expect(mark.upperBound < (try #require(text.firstRange(of: "tea")).lowerBound))
    }

    @Test func `what has to be drawn is refused where nothing draws`() async throws {
        await #expect(throws: DocumentProblem.self) { try await prepared("日本") }
    }

    @Test func `as many copies as fill a library are refused`() async throws {
        let long = String(repeating: "a line that is rather long, as such lines are\n", count: 2000)
        do {
            _ = try await prepared(long) { $0.copies = 999 }
            Issue.record("they were prepared")
        } catch let problem as DocumentProblem {
            #expect(problem.kind == .unprintable)
            #expect(problem.description.contains("999 copies"))
        }
    }

    @Test func `a document that was checked is not read again`() async throws {
        let preparation = ReceiptPreparation(settings: { _ in Self.escPOS })
        let markup = Array("^tea |2.50\n-\n".utf8)
        let checked = try await preparation.check(markup, as: .receiptLine, with: Ticket(), rights: [], for: [])
        func prepare(_ document: [UInt8], _ checked: CheckedDocument?) async throws -> [UInt8] {
            try bytes(
                try await preparation.prepare(
                    document, checked, as: .receiptLine, with: Ticket(), isCopy: false, for: target()))
        }
        #expect(try await prepare([], checked) == prepare(markup, nil))
    }

    @Test func `a document is checked for what its caller may`() async throws {
        let preparation = ReceiptPreparation(settings: { _ in nil })
        func kind(_ markup: String, _ rights: CallerRights, drawer: Bool? = nil) async -> DocumentProblem.Kind? {
            var ticket = Ticket()
            ticket.drawer = drawer
            do {
                _ = try await preparation.check(
                    Array(markup.utf8), as: .receiptLine, with: ticket, rights: rights, for: [])
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(await kind("tea", []) == nil)
        #expect(await kind("tea", [], drawer: true) == .forbidden)
        #expect(await kind("tea", .rawCommands, drawer: true) == nil)
        #expect(await kind("{drawer:1}", []) == .forbidden)
        #expect(await kind("{drawer:1}", .drawer) == nil)
        #expect(await kind("{drawer:1}", .rawCommands) == nil)
        #expect(await kind("{command:\\x07}", .drawer) == .forbidden)
        #expect(await kind("Milk { 0.80", .all) == .invalid)
        // Nothing would come of it; the second opens the drawer.
        #expect(await kind("{comment:nothing}\n{align:left}", .all) == .invalid)
        #expect(await kind("{comment:nothing}", .all, drawer: true) == nil)
        #expect(await kind(String(repeating: "a", count: 5 << 20), .all) == .tooLarge)
    }

    /// Of 384 dots, where a Code 128 of so many letters takes 22 for each of them, at two dots a module.
    private static let narrow = PrintingSettings(language: .escPOS, dots: 384)
    private static let text = PrintingSettings(language: .text, dots: 384)

    @Test(
        arguments: [
            // Each printer's settings; nil is one that no profile knows. Whether it was contacted; the code's length;
            // whether it is refused.
            ([narrow], true, 14, false), ([narrow], true, 15, true), ([narrow], false, 15, true),
            ([narrow, escPOS], true, 15, false), ([escPOS, narrow], true, 15, false),
            ([escPOS, narrow], true, 23, false), ([escPOS, narrow], true, 24, true),
            // It may turn out to be wide; or is not a receipt printer; or prints the code as what it says; or nothing
            // is known of any.
            ([narrow, nil], false, 15, false), ([narrow, nil], true, 15, true), ([text], true, 24, false),
            ([narrow, text], true, 24, false), ([], true, 24, false),
        ] as [([PrintingSettings?], Bool, Int, Bool)])
    func `a code that none of the printers has room for is refused at once, and where it stands is told`(
        settings: [PrintingSettings?], isContacted: Bool, length: Int, isRefused: Bool
    ) async throws {
        let preparation = ReceiptPreparation(settings: { identity in
            identity.profile.flatMap(Int.init).flatMap { settings[$0] }
        })
        let printers = try settings.indices.map { index in
            // What printers.yaml says of its jobs is known before it was contacted.
            var target = try target(
                [.escPOS, .octetStream], jobTypes: settings[index] == nil && isContacted ? [.document] : [.receipt])
            target.printer.profile = "\(index)"
            if !isContacted { target.description = nil }
            return target
        }
        let data = String(repeating: "a", count: length)
        for (document, format, column) in [
            ("tea\n{code:\(data)}", DocumentFormat.receiptLine, 7),
            (#"{"elements":[{"row":["tea"]},\#n{"code":"\#(data)"}]}"#, .receiptJSON, 9),
        ] {
            do {
                _ = try await preparation.check(
                    Array(document.utf8), as: format, with: Ticket(), rights: [], for: printers)
                #expect(!isRefused)
            } catch {
                #expect(isRefused, "\(error)")
                #expect([error.remark.line, error.remark.column] == [2, column])
                #expect(error.remark.message == "the code is wider than the paper, even at its smallest")
            }
        }
    }

    @Test(
        arguments: [
            // Of the printer; what the receipt says, and the ticket; pulses, and the remark.
            (0, "{drawer:1}\ntea", nil, 0, "the printer has no drawer: none was opened"),
            (0, "tea", true, 0, "the printer has no drawer: none was opened"),
            (0, "{drawer:1}\ntea", false, 0, nil), (0, "tea", nil, 0, nil), (1, "{drawer:1}\ntea", nil, 1, nil),
            (1, "{drawer:1}\n{drawer:2}\ntea", nil, 1, "the printer has one drawer only: the second was not opened"),
            (2, "{drawer:1}\n{drawer:2}\ntea", nil, 2, nil),
            (0, "{drawer:1}", nil, 0, "the printer has no drawer: none was opened"),
        ] as [(Int, String, Bool?, Int, String?)])
    func `a drawer that the printer has not is left out, and the job says so`(
        drawers: Int, markup: String, ticket: Bool?, kicks: Int, remark: String?
    ) async throws {
        var settings = Self.escPOS
        settings.drawers = drawers
        let document = try await prepared(markup, settings) { $0.drawer = ticket }
        let bytes = try bytes(document)
        // ESC p.
        #expect(bytes.indices.count { bytes[$0...].starts(with: [0x1B, 0x70]) } == kicks)
        #expect(document.remarks == [remark].compactMap(\.self))
    }

    @Test func `who kicks a printer that no profile knows opens its drawer`() async throws {
        let bytes = try bytes(await prepared("{drawer:1}\ntea", nil))
        #expect(bytes.indices.contains { bytes[$0...].starts(with: [0x1B, 0x70]) })
    }

    @Test(
        arguments: [
            ("tea\n=", nil, true), ("tea", Ticket.Cut.full, true), ("=\ntea", nil, true), ("tea", nil, false),
            ("tea\n{cut:feed}", nil, false),
            ("tea\n=", Ticket.Cut.none, false),
        ] as [(String, Ticket.Cut?, Bool)])
    func `a cut that the printer cannot make is remarked where somebody asked for it`(
        markup: String, cut: Ticket.Cut?, isRemarked: Bool
    ) async throws {
        let document = try await prepared(markup, PrintingSettings(language: .escPOS, dots: 384)) { $0.cut = cut }
        #expect(
            document.remarks
                == (isRemarked ? ["the printer has no cutter: the paper is fed to where it is torn off"] : []))
        let bytes = try bytes(document)
        // GS V.
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: [0x1D, 0x56]) })
        #expect(try await prepared(markup) { $0.cut = cut }.remarks == [])
        // Labels are parted already.
        let receipt = try ReceiptSource(Array(markup.utf8), .receiptLine, rights: .all).receipt
        var ticket = Ticket()
        ticket.cut = cut
        #expect(
            receipt.printed(
                with: ticket, isCopy: false, on: ReceiptOutputFormat(PrintingSettings(language: .zpl, dots: 384))
            )
            .remarks == [])
    }

    @Test func `a printer gets what its profile and its own word agree on`() throws {
        func format(
            _ settings: PrintingSettings?, _ formats: [DocumentFormat], _ jobTypes: JobTypes? = [.receipt]
        ) throws -> DocumentFormat? {
            try ReceiptPreparation(settings: { _ in settings }).preparedFormat(
                of: .receiptLine, for: target(formats, jobTypes: jobTypes))
        }
        #expect(try format(Self.escPOS, [.escPOS]) == .escPOS)
        #expect(try format(Self.escPOS, [.octetStream, .pdf]) == .escPOS)
        #expect(try format(Self.escPOS, []) == .escPOS)
        #expect(try format(Self.escPOS, [.pdf]) == nil)
        #expect(try format(Self.escPOS, [.pdf, .pwgRaster]) == .pwgRaster)
        #expect(
            try format(PrintingSettings(language: .raster, dots: 576), [.octetStream, .appleRaster]) == .appleRaster)
        #expect(try format(PrintingSettings(language: .zpl, dots: 832), [.zpl]) == .zpl)
        #expect(try format(PrintingSettings(language: .starPRNT, dots: 576), [.octetStream]) == .starPRNT)
        #expect(try format(PrintingSettings(language: .text, dots: 576), [.octetStream]) == .octetStream)
        #expect(try format(nil, [.octetStream]) == nil)
        #expect(try format(nil, [.octetStream], [.document]) == nil)
        #expect(try format(nil, [.octetStream], nil) == nil)
    }

    /// PAPPL, and with it LPrint and most printer applications, list it and take raster alone.
    @Test func `octet-stream alone is no word for ESC/POS where a printer lists raster`() throws {
        func formats(
            _ listed: [DocumentFormat], profile: PrintingSettings? = nil, isNamed: Bool = false,
            deviceID: String? = nil, url: String = "ipp://192.0.2.1/ipp/print", refused: Set<DocumentFormat> = []
        ) throws -> [DocumentFormat] {
            var target = try target(listed)
            target.printer.url = try PrinterURL(url)
            target.printer.profile = isNamed ? "epson-tm" : nil
            target.description?.deviceID = deviceID
            return ReceiptOutputFormat.forms(for: target, profile).map(\.format)
        }
        let pappl: [DocumentFormat] = [.octetStream, .pwgRaster, .appleRaster, .jpeg, .png]
        #expect(try formats(pappl) == [.pwgRaster, .appleRaster])
        let papplID = "MFG:Test;MDL:PAPPL;CMD:PWGRaster,URF,JPEG,PNG;"
        #expect(try formats(pappl, deviceID: papplID) == [.pwgRaster, .appleRaster])
        // Its device id says it, or a type that it lists, by any of its names.
        let epsonID = "MFG:EPSON;MDL:TM-m30III; CMD:ESC/POS, PWGRaster;"
        #expect(try formats(pappl, deviceID: epsonID) == [.escPOS, .pwgRaster, .appleRaster])
        for name in ["application/vnd.escpos", "application/vnd.epson-escpos"] {
            let listed = pappl + [try #require(DocumentFormat(name))]
            #expect(try formats(listed) == [.escPOS, .pwgRaster, .appleRaster])
        }
        // A profile that an administrator names says it too; one that only matches the model is less than raster.
        #expect(try formats(pappl, profile: Self.escPOS, isNamed: true) == [.escPOS, .pwgRaster, .appleRaster])
        #expect(try formats(pappl, profile: Self.escPOS) == [.pwgRaster, .appleRaster, .escPOS])
        #expect(try formats([.octetStream], profile: Self.escPOS) == [.escPOS])
        // Of USB printers the transport lists it, for whoever knows the language better.
        #expect(try formats([.octetStream], url: "usb://Test/Printer") == [.escPOS])
    }

    @Test func `a format that the printer gave up gives way to the next, and the last of them stays`() throws {
        var target = try target([.octetStream, .pwgRaster])
        target.printer.profile = "epson-tm"
        let preparation = ReceiptPreparation(settings: { _ in Self.escPOS })
        func format(_ refused: Set<DocumentFormat>) -> DocumentFormat? {
            target.description?.learned = LearnedBehavior(refusedFormats: refused)
            return preparation.preparedFormat(of: .receiptLine, for: target)
        }
        #expect(format([]) == .escPOS)
        #expect(format([.escPOS]) == .pwgRaster)
        #expect(format([.escPOS, .pwgRaster]) == .pwgRaster)
    }

    @Test func `the several names of ESC/POS are announced as the printer lists them`() throws {
        let epson = try #require(DocumentFormat("application/vnd.epson-escpos"))
        let description = PrinterDescription(formats: [.octetStream, epson])
        #expect(description.announcedFormat(for: .escPOS) == epson)
        #expect(description.announcedFormat(for: epson) == epson)
        #expect(PrinterDescription(formats: [.octetStream]).announcedFormat(for: epson) == .octetStream)
    }

    private static let pages = PrintingSettings(language: .raster, dots: 576, paperWidth: 80, cuts: [.full])

    /// The width in dots, the greatest length of a page in dots, and the remark.
    private static let papers: [(ready: [String], listed: [String], dots: Int, length: Int?, remark: String?)] = [
        ([], [], 576, nil, nil),
        // A range that the loaded width lies in: as long as it allows.
        (["om_receipt-80_80x297mm"], ["roll_min_48x10mm", "roll_max_80x1000mm"], 576, 7992, nil),
        (["na_index-4x6_4x6in"], ["na_index-4x6_4x6in", "roll_max_4x39.6in", "roll_min_0.75x0.25in"], 576, 8038, nil),
        // Labels and sheets: a page of what is loaded.
        (["na_index-4x6_4x6in"], ["na_index-4x6_4x6in", "oe_4x13-label_4x13in"], 576, 1218, nil),
        (["iso_a4_210x297mm"], ["iso_a4_210x297mm"], 576, 2373, nil),
        // What is listed of the roll's width can be asked for.
        (["om_receipt-80_80x297mm"], ["om_receipt-80_80x297mm", "om_long_80x600mm"], 576, 4795, nil),
        ([], ["om_receipt-80_80x297mm", "iso_a4_210x297mm"], 576, 2373, nil),
        // Narrower paper than the profile says.
        (["oe_2x4-label_2x4in"], ["oe_2x4-label_2x4in"], 336, 812, "the loaded paper is 50 mm wide"),
    ]

    @Test(arguments: papers.indices) func `pages are no wider and no longer than the paper`(index: Int) throws {
        let (ready, listed, dots, length, remark) = Self.papers[index]
        var target = try target([.pwgRaster], media: ready)
        target.description?.media = listed
        let output = try #require(ReceiptOutputFormat(target, Self.pages))
        guard case .raster(let capabilities) = output.target else {
            Issue.record("\(output.target)")
            return
        }
        #expect(capabilities.paper.dots == dots)
        #expect(capabilities.maximumPageLength == length)
        #expect(
            remark.map { output.remarkOnPaper?.contains($0) == true } ?? (output.remarkOnPaper == nil),
            "\(output.remarkOnPaper ?? "no remark")")
    }

    @Test func `a receipt that is longer than its label is on several, none of which is longer, and says so`()
        async throws
    {
        var target = try target([.pwgRaster], media: ["na_index-4x6_4x6in"])
        target.description?.media = ["na_index-4x6_4x6in"]
        // Lines of 30 dots, of which 40 fit on 1218.
        let markup = Array(String(repeating: "\n", count: 100).utf8)
        let prepared = try await ReceiptPreparation(settings: { _ in Self.pages }).prepare(
            markup, nil, as: .receiptLine, with: Ticket(), isCopy: false, for: target)
        #expect(
            prepared.remarks == ["the receipt is longer than the printer's paper of 152.4 mm: it is on 3 pages"])
        #expect(prepared.document.rollPage == RollPage(width: 8000, length: 15_015))
        guard case .bytes(let bytes) = prepared.document.body else { return }
        // TotalPageCount of the first header.
        #expect(Array(bytes[4 + 452..<4 + 456]) == [0, 0, 0, 3])
    }

    @Test func `a printer that says that its paper is narrow gets narrow receipts`() throws {
        func dots(_ media: [String]) throws -> Int? {
            ReceiptOutputFormat(try target(media: media), nil)?.target.paper.dots
        }
        #expect(try dots([]) == 576)
        #expect(try dots(["om_receipt-80_80x297mm"]) == 576)
        #expect(try dots(["roll_58mm_58x210mm"]) == 384)
        #expect(try dots(["na_index-4x6_4x6in", "custom_50.5x100mm"]) == 384)
    }

    @Test(
        arguments: [
            ([], 8000, 639), (["om_receipt-80_80x297mm"], 8000, 639), (["roll_58mm_58x210mm"], 5800, 464),
            (["iso_a4_210x297mm"], 8000, 639),
        ] as [([String], Int, Int)])
    func `a printer of pixels that no profile knows is asked for its whole roll`(
        media: [String], width: Int, dots: Int
    ) async throws {
        let document = try await ReceiptPreparation(settings: { _ in nil }).prepare(
            Array("-".utf8), nil, as: .receiptLine, with: Ticket(), isCopy: false,
            for: target([.pwgRaster], media: media))
        #expect(document.document.rollPage == RollPage(width: width, length: 376))
        // cupsWidth.
        #expect(try Array(bytes(document)[4 + 372..<4 + 376]) == [0, 0, UInt8(dots >> 8), UInt8(dots & 0xFF)])
    }
}
