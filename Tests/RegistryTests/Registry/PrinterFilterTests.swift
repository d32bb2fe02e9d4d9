import KioskPrintModel
import KioskPrinterRegistry
import Testing

@Suite struct PrinterFilterTests {
    private func printers() throws -> [PrinterStatus] {
        var overridden = try Sample.printer("overridden")
        overridden.jobTypes = .label
        return try [
            PrinterStatus(
                printer: Sample.printer("receipts"), availability: Availability(.ready),
                description: PrinterDescription(jobTypes: [.receipt, .roll])),
            PrinterStatus(
                printer: overridden, availability: Availability(.attention),
                description: PrinterDescription(jobTypes: .receipt)),
            PrinterStatus(
                printer: Sample.printer("documents"), availability: Availability(.stopped),
                description: PrinterDescription(jobTypes: .document)),
            PrinterStatus(printer: Sample.printer("never-contacted")),
        ]
    }

    @Test func `a printer never contacted is unknown, not unsupported`() throws {
        #expect(try printers().supporting(.receipt).map(\.printer.id.rawValue) == ["receipts", "never-contacted"])
        #expect(try printers().supporting(.receipt, includingUnknown: false).map(\.printer.id.rawValue) == ["receipts"])
        #expect(try printers().map { $0.supports(.receipt) } == [true, false, false, nil])
    }

    @Test func `a printer behind a spooler that tells nothing of it is unknown, too`() throws {
        #expect(
            try PrinterStatus(printer: Sample.printer("raw-queue"), description: PrinterDescription()).supports(
                .receipt) == nil)
    }

    @Test func `the override counts, not what contact reported`() throws {
        #expect(try printers().supporting(.label, includingUnknown: false).map(\.printer.id.rawValue) == ["overridden"])
    }

    @Test func `asks for every job type at once`() throws {
        #expect(try printers().supporting([.receipt, .roll], includingUnknown: false).count == 1)
        #expect(try printers().supporting([.receipt, .label], includingUnknown: false).isEmpty)
        #expect(try printers().supporting([]).count == 4)
    }

    @Test func `keeps the printers that would work now`() throws {
        #expect(try printers().available().map(\.printer.id.rawValue) == ["receipts", "overridden"])
    }

    @Test func `answers a role's printers in its order`() throws {
        let ids = ["documents", "gone", "receipts"]
        let role = Role(name: try Sample.role("any"), printers: try ids.map(Sample.id))
        #expect(try printers().inOrder(of: role).map(\.printer.id.rawValue) == ["documents", "receipts"])
    }
}
