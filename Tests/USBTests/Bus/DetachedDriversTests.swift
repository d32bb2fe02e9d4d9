import Foundation
import KioskDurableFiles
import KioskTestSupport
import Testing

@testable import KioskUSB

@Suite("The record of detached kernel drivers")
struct DetachedDriversTests {
    private let printer = USBPrinter.sample(port: "1-2.4")
    private var entry: DetachedDrivers.Entry { .init(printer, interface: 0, driver: "usblp") }

    @Test func `holds what an earlier process took and did not give back`() async throws {
        let path = try TemporaryFolder().appending("record")
        #expect(try await DetachedDrivers(path: path).abandoned().get() == [])
        let folder = try TemporaryFolder()
        let file = folder.appending("record")
        let record = DetachedDrivers(path: file)
        var second = entry
        second.interface = 1
        #expect(await record.add(entry) == nil)
        #expect(await record.add(second) == nil)
        #expect(try await DetachedDrivers(path: file).abandoned().get() == [entry, second])
        #expect(await record.remove(entry) == nil)
        #expect(try await DetachedDrivers(path: file).abandoned().get() == [second])
        #expect(await record.remove(second) == nil)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `leaves out lines that make no sense`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "\(entry.line)\n1-2 7\n\u{1B}\n1-x 7 04b8:0e15 0 usblp\n1-2 999 04b8:0e15 0 usblp\n", to: "record")
        #expect(try await DetachedDrivers(path: path).abandoned().get() == [entry])
    }

    @Test func `says so where it cannot be written`() async {
        #expect(await DetachedDrivers(path: "/nowhere/at/all").add(entry)?.errno == ENOENT)
    }

    @Test func `means the same attachment of the same printer, and an interface that nobody has`() {
        #expect(entry.isAbandoned(by: printer))
        var taken = printer
        taken.interfaces[0].owner = .program
        #expect(!entry.isAbandoned(by: taken))
        var replugged = printer
        replugged.address += 1
        #expect(!entry.isAbandoned(by: replugged))
        #expect(!entry.isAbandoned(by: .sample(port: "1-2")))
        var other = printer
        other.product += 1
        #expect(!entry.isAbandoned(by: other))
    }
}
