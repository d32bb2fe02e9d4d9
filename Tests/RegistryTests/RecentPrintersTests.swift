import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

/// The order in which printers are offered again.
@Suite struct RecentPrintersTests {
    private func printer(_ id: String, _ url: String) throws -> SavedPrinter {
        SavedPrinter(id: try #require(PrinterID(rawValue: id)), url: try PrinterURL(url))
    }

    @Test func `what was saved or removed last comes first, each URL once`() throws {
        let (a, b, c) = (
            try printer("a", "ipp://a"), try printer("b", "ipp://b"), try printer("c", "ipp://c")
        )
        // Newest first: c was added last, before that b was removed, before that b was added.
        let list = RecentPrinters.list(saved: [a, c], versions: [[a, c], [a], [a, b], [a]], limit: 10)
        #expect(list.map(\.printer.id.rawValue) == ["c", "b", "a"])
        #expect(list.map(\.isSaved) == [true, false, true])
    }

    @Test func `a printer that was given another id is offered under its last one`() throws {
        let (old, new) = (try printer("old", "ipp://a"), try printer("new", "ipp://a"))
        let list = RecentPrinters.list(saved: [], versions: [[new], [old]], limit: 10)
        #expect(list.map(\.printer.id.rawValue) == ["new"])
    }

    @Test func `there are no more than asked for`() throws {
        let printers = try (1...5).map { try printer("p\($0)", "ipp://host\($0)") }
        #expect(RecentPrinters.list(saved: printers, versions: [], limit: 2).count == 2)
        #expect(RecentPrinters.list(saved: [], versions: [], limit: 2).isEmpty)
    }
}
