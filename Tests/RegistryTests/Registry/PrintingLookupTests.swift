import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

/// Profiles that are looked up once for each printer.
@Suite struct PrintingLookupTests {
    private static func lookup() throws -> PrintingLookup {
        let folder = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/profiles"
        return PrintingLookup(try ProfileLibrary.load(folder))
    }

    @Test func `the answer is the library's, first and again, also where no profile knows`() throws {
        let lookup = try Self.lookup()
        for _ in 0..<2 {
            #expect(lookup.settings(for: PrinterIdentity(profile: "generic-58mm"))?.dots == 384)
            #expect(lookup.settings(for: PrinterIdentity(makeAndModel: "EPSON TM-T20II"))?.dots == 576)
            #expect(lookup.settings(for: PrinterIdentity(makeAndModel: "Acme Typewriter")) == nil)
        }
        #expect(lookup.knownCount == 3)
        #expect(PrintingLookup(nil).settings(for: PrinterIdentity(profile: "generic-58mm")) == nil)
    }

    @Test func `a printer that calls itself otherwise each time fills no memory`() throws {
        let lookup = try Self.lookup()
        for number in 0..<1000 { _ = lookup.settings(for: PrinterIdentity(makeAndModel: "Acme \(number)")) }
        #expect(lookup.knownCount <= PrintingLookup.maximumCount)
        #expect(lookup.settings(for: PrinterIdentity(profile: "generic-58mm"))?.dots == 384)
    }
}
