import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Receipts at printers that list a format and do not take it.
@Suite struct FormatFallbackTests {
    private static let description = PrinterDescription(
        makeAndModel: "Test", jobTypes: [.receipt], formats: [.octetStream, .pwgRaster])

    private func markup(_ request: inout JobRequest) { request.format = .receiptLine }

    private func kiosk(_ behaviour: ScriptedTransport.Behaviour) async throws -> TestKiosk {
        let kiosk = try await TestKiosk(preparation: TwoFormPreparation()) {
            $0.describe(Self.description)
            $0.set("till-1", behaviour)
        }
        _ = try await kiosk.engine.contact(.test("till-1"))
        return kiosk
    }

    @Test(arguments: [
        ScriptedTransport.Behaviour.aborts(.escPOS, .format), .refusesFormat(.escPOS),
    ])
    func `a receipt whose format is refused goes to the same printer in the next, and later ones in that at once`(
        behaviour: ScriptedTransport.Behaviour
    ) async throws {
        let kiosk = try await kiosk(behaviour)
        let job = try await kiosk.settled(kiosk.submit("tea", markup))
        #expect(job.state == .completed)
        #expect(job.printer == .test("till-1"))
        #expect(job.remarks == ["the printer aborted it as application/vnd.escpos: it was sent as image/pwg-raster"])
        #expect(try await kiosk.settled(kiosk.submit("tea", markup)).remarks == nil)
        #expect(kiosk.transport.formats == [.escPOS, .pwgRaster, .pwgRaster])
        // A contact, in which the printer says nothing of it, changes nothing; nor does a restart.
        let known = try await kiosk.engine.contact(.test("till-1")).description?.learned
        #expect(known == LearnedBehavior(refusedFormats: [.escPOS]))
        try await kiosk.restart()
        #expect(kiosk.transport.recalled.contains(LearnedBehavior(refusedFormats: [.escPOS])))
        #expect(try await kiosk.settled(kiosk.submit("tea", markup)).state == .completed)
        #expect(kiosk.transport.formats.last == .pwgRaster)
        #expect(kiosk.transport.formats.count == 4)
        try await kiosk.stop()
    }

    @Test func `a receipt that may be on paper in part is not sent again, and the next goes in another format`()
        async throws
    {
        let kiosk = try await kiosk(.aborts(.escPOS, .unknown))
        let job = try await kiosk.settled(kiosk.submit("tea", markup))
        #expect(job.state == .aborted)
        #expect(
            job.remarks == [
                "the printer aborted it as application/vnd.escpos: from now on receipts go there as image/pwg-raster"
            ])
        #expect(try await kiosk.settled(kiosk.submit("tea", markup)).state == .completed)
        #expect(kiosk.transport.formats == [.escPOS, .pwgRaster])
        try await kiosk.stop()
    }

    @Test func `a printer that names the format had another reason, and learns nothing by it`() async throws {
        var description = Self.description
        description.formats = [.escPOS, .pwgRaster]
        let kiosk = try await TestKiosk(preparation: TwoFormPreparation()) {
            $0.describe(description)
            $0.set("till-1", .aborts(.escPOS, .unknown))
        }
        _ = try await kiosk.engine.contact(.test("till-1"))
        for _ in 1...2 { #expect(try await kiosk.settled(kiosk.submit("tea", markup)).state == .aborted) }
        #expect(kiosk.transport.formats == [.escPOS, .escPOS])
        try await kiosk.stop()
    }

    @Test func `the last format that is left is tried each time`() async throws {
        let kiosk = try await kiosk(.aborts(.escPOS, .format))
        _ = try await kiosk.settled(kiosk.submit("tea", markup))
        kiosk.transport.set("till-1", .aborts(.pwgRaster, .format))
        for _ in 1...2 { #expect(try await kiosk.settled(kiosk.submit("tea", markup)).state == .aborted) }
        kiosk.transport.set("till-1", .prints)
        #expect(try await kiosk.settled(kiosk.submit("tea", markup)).state == .completed)
        #expect(kiosk.transport.formats == [.escPOS, .pwgRaster, .pwgRaster, .pwgRaster, .pwgRaster])
        try await kiosk.stop()
    }

    @Test func `what was learned ends when the printer describes itself otherwise, or gets another profile`()
        async throws
    {
        let kiosk = try await kiosk(.refusesFormat(.escPOS))
        _ = try await kiosk.settled(kiosk.submit("tea", markup))
        kiosk.transport.set("till-1", .prints)
        var newer = Self.description
        newer.formats.append(.escPOS)
        kiosk.transport.describe(newer)
        #expect(try await kiosk.engine.contact(.test("till-1")).description?.learned == nil)
        _ = try await kiosk.settled(kiosk.submit("tea", markup))
        #expect(kiosk.transport.formats == [.escPOS, .pwgRaster, .escPOS])
        try await kiosk.stop()
    }
}

/// Makes ESC/POS of receipts, or pages for a printer that refused it.
private struct TwoFormPreparation: DocumentPreparation {
    let formats: Set<DocumentFormat> = [.receiptLine]
    let maximumLengthInMemory = 200
    func maximumLength(of format: DocumentFormat) -> Int64 { 200 }

    @concurrent func check(
        _ document: PrintDocument, with ticket: Ticket, rights: CallerRights, for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument { CheckedDocument() }

    func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat? {
        let forms = [DocumentFormat.escPOS, .pwgRaster]
        let refused = printer.description?.learned?.refusedFormats ?? []
        return forms.first { !refused.contains($0) } ?? forms.last
    }

    @concurrent func prepare(
        _ document: PrintDocument, _ checked: CheckedDocument?, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        let format = preparedFormat(of: document.format, for: printer) ?? document.format
        return PreparedDocument(document: PrintDocument(format: format, body: document.body), ticket: ticket)
    }
}
