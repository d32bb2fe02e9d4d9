import DevicePrinting
import PrintModel
import Testing

@testable import USB

@Suite("The printer of a URL")
struct USBPrinterMatchingTests {
    private func find(_ url: String, _ printers: [USBPrinter]) throws -> String {
        try USBPrinter.find(PrinterURL(url), among: printers).port.description
    }

    private func failure(_ url: String, _ printers: [USBPrinter]) throws -> USBOpenError.Kind? {
        do {
            _ = try USBPrinter.find(PrinterURL(url), among: printers)
            return nil
        } catch let error as USBOpenError {
            return error.kind
        }
    }

    private let two: [USBPrinter] = [.sample(serial: "S1", port: "1-1"), .sample(serial: "S2", port: "1-2")]

    @Test(arguments: [
        ("usb://EPSON/TM-T20II?serial=S1", "1-1"), ("usb://EPSON/TM-T20II?serial=S2", "1-2"),
        ("usb://epson/tm-t20ii?serial=S2", "1-2"),
        ("usb://EPSON/TM-T20II?port=1-2", "1-2"), ("usb://EPSON/TM%2DT20II?serial=S1&interface=0", "1-1"),
    ])
    func `is the one that all parts of the URL fit`(url: String, port: String) throws {
        #expect(try find(url, two) == port)
    }

    @Test(arguments: [
        "usb://EPSON/TM-T20II?serial=S3", "usb://EPSON/TM-T20II?serial=s1", "usb://EPSON/TM-T88V?serial=S1",
        "usb://Star/TM-T20II?serial=S1",
        "usb://EPSON/TM-T20II?port=1-3", "usb://EPSON/TM-T20II?serial=S1&port=1-2",
    ])
    func `is none where a part does not fit`(url: String) throws {
        #expect(try failure(url, two) == .notFound)
    }

    @Test func `needs no serial number while there is one such printer`() throws {
        #expect(try find("usb://EPSON/TM-T20II", [two[1]]) == "1-2")
        #expect(try find("usb://EPSON/TM-T20II", [two[1], .sample(model: "TM-T88V")]) == "1-2")
    }

    @Test func `is not guessed among several, and the error names them`() throws {
        let urls = try ["usb://EPSON/TM-T20II?serial=S1", "usb://EPSON/TM-T20II?serial=S2"].map { try PrinterURL($0) }
        #expect(try failure("usb://EPSON/TM-T20II", two) == .ambiguous(urls))
    }

    @Test
    func `is found by the serial number of its device id, which CUPS prefers, unless a printer has it for its own`()
        throws
    {
        let id = "MFG:EPSON;MDL:TM-T20II;SN:CUPS1;"
        #expect(
            try find("usb://EPSON/TM-T20II?serial=CUPS1", [two[0], .sample(serial: "S9", port: "1-9", id: id)]) == "1-9"
        )
        let own: USBPrinter = .sample(serial: "CUPS1", port: "1-8")
        #expect(
            try find("usb://EPSON/TM-T20II?serial=CUPS1", [own, .sample(serial: "S9", port: "1-9", id: id)]) == "1-8")
    }

    @Test func `is one that may not be opened where it can be that one`() throws {
        let closed: USBPrinter = .sample(
            serial: "S3", port: "2-1.4", maker: "Seiko", model: "Printer", id: "", isAccessible: false)
        let denied = USBOpenError.Kind.accessDenied(node: "/dev/bus/usb/002/002")
        #expect(try failure("usb://EPSON/TM-T20II?serial=S3", two + [closed]) == denied)
        #expect(try failure("usb://EPSON/TM-T20II?serial=S4", two + [closed]) == .notFound)
        #expect(try failure("usb://EPSON/TM-T20II?serial=S3&port=1-1", two + [closed]) == .notFound)
        #expect(try find("usb://EPSON/TM-T20II?serial=S1", two + [closed]) == "1-1")
    }

    @Test func `serial numbers that several have are told apart by port`() throws {
        var printers: [USBPrinter] = [
            .sample(serial: "0001", port: "1-1"), .sample(serial: "0001", port: "1-2.4"),
            .sample(serial: "S3", port: "1-3"),
        ]
        printers.tellApart()
        #expect(
            printers.map { $0.url?.description } == [
                "usb://EPSON/TM-T20II?serial=0001&port=1-1", "usb://EPSON/TM-T20II?serial=0001&port=1-2.4",
                "usb://EPSON/TM-T20II?serial=S3",
            ])
        #expect(printers.map(\.warning) == [.sharedSerialNumber, .sharedSerialNumber, nil])
        #expect(try find("usb://EPSON/TM-T20II?serial=0001&port=1-2.4", printers) == "1-2.4")
        #expect(
            try failure("usb://EPSON/TM-T20II?serial=0001", printers)
                == .ambiguous(printers.prefix(2).compactMap(\.url)))
    }

    @Test func `printers without a serial number have their port in the URL only where there are several`() throws {
        var printers: [USBPrinter] = [.sample(serial: nil, port: "1-1")]
        printers.tellApart()
        #expect(printers[0].url?.description == "usb://EPSON/TM-T20II")
        printers.append(.sample(serial: nil, port: "1-2"))
        printers.tellApart()
        #expect(
            printers.map { $0.url?.description } == ["usb://EPSON/TM-T20II?port=1-1", "usb://EPSON/TM-T20II?port=1-2"])
    }
}
