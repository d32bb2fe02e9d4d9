import KioskDevicePrinting
import KioskPrintModel
import Testing

@testable import KioskUSB

@Suite("The interface for a use")
struct USBPrinterChoiceTests {
    @Test(
        arguments: [([1, 2], 1), ([2, 1], 0), ([1], 0), ([4, 1], 1), ([2, 2], 0), ([4, 4, 2], 2)] as [([UInt8], Int)])
    func `has a back-channel before one that has none`(protocols: [UInt8], number: Int) {
        #expect(USBPrinter.sample(protocols: protocols).choice(for: .raw)?.interface.number == number)
    }

    @Test func `is the one that the URL names, if it is of use`() {
        let printer = USBPrinter.sample(protocols: [2, 1, 4])
        #expect(printer.choice(for: .raw, interface: 1)?.interface.number == 1)
        #expect(printer.choice(for: .raw, interface: 2) == nil)
        #expect(printer.choice(for: .ippOverUSB, interface: 2)?.interface.number == 2)
        #expect(printer.choice(for: .raw, interface: 7) == nil)
    }

    @Test func `may be any of several for IPP over USB`() {
        let printer = USBPrinter.sample(protocols: [4, 2, 4, 4])
        #expect(printer.choices(for: .ippOverUSB).map(\.interface.number) == [0, 2, 3])
        #expect(USBPrinter.sample().choices(for: .ippOverUSB).isEmpty)
    }

    @Test func `has the best of its alternate settings`() {
        var printer = USBPrinter.sample()
        printer.interfaces[0].alternates = [.sample(1, number: 0), .sample(4, number: 1), .sample(2, number: 2)]
        #expect(printer.choice(for: .raw)?.alternate.number == 2)
        #expect(printer.choice(for: .ippOverUSB)?.alternate.number == 1)
    }
}

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

    @Test(arguments: [
        ("usb://EPSON/TM-T20II?serial=S1", "1-1"), ("usb://EPSON/Receipt%20Printer?serial=S1", "1-1"),
        ("usb://seiko/receipt%20printer", "1-1"), ("usb://EPSON/Receipt%20Printer?port=1-1", "1-1"),
    ])
    func `is found by the names of its descriptor too, as it was named without rights`(url: String, port: String) throws
    {
        var printer: USBPrinter = .sample(serial: "S1", port: "1-1", id: "MFG:EPSON;MDL:TM-T20II;")
        (printer.manufacturer, printer.productName) = (
            url.contains("seiko") ? "Seiko" : "EPSON", "Receipt Printer"
        )
        #expect(try find(url, [printer, .sample(serial: "S2", port: "1-2")]) == port)
        #expect(try failure("usb://EPSON/Receipt%20Printer?serial=S2", [printer]) == .notFound)
    }

    @Test func `is the one with that device id, before one whose descriptor has the same names`() throws {
        var other: USBPrinter = .sample(serial: "S1", port: "1-1", id: "MFG:ACME;MDL:POS58;")
        (other.manufacturer, other.productName) = ("EPSON", "TM-T20II")
        #expect(try find("usb://EPSON/TM-T20II", [other, two[1]]) == "1-2")
        #expect(try find("usb://EPSON/TM-T20II?serial=S1", [other, two[1]]) == "1-1")
        let third = {
            var third = other; third.port = USBPort(bus: 1, ports: [3]); return third
        }()
        #expect(
            try failure("usb://EPSON/TM-T20II?serial=S1", [other, third]).map {
                if case .ambiguous = $0 { true } else { false }
            } == true)
    }

    @Test func `without any names it is that of its model's number, with rights and without`() throws {
        var printer: USBPrinter = .sample(serial: nil, port: "1-1", id: "", isAccessible: false)
        (printer.manufacturer, printer.productName) = (nil, nil)
        printer.interfaces[0].deviceID = nil
        let url = try #require(printer.url).description
        #expect(url == "usb://Unknown/04b8:0e15")
        printer.interfaces[0].deviceID = DeviceID("MFG:EPSON;MDL:TM-T20II;")
        printer.isAccessible = true
        #expect(printer.url?.description == "usb://EPSON/TM-T20II")
        #expect(try find(url, [printer, two[1]]) == "1-1")
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
        printers.distinguishByPort()
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
        printers.distinguishByPort()
        #expect(printers[0].url?.description == "usb://EPSON/TM-T20II")
        printers.append(.sample(serial: nil, port: "1-2"))
        printers.distinguishByPort()
        #expect(
            printers.map { $0.url?.description } == ["usb://EPSON/TM-T20II?port=1-1", "usb://EPSON/TM-T20II?port=1-2"])
    }
}

@Suite struct USBPortTests {
    @Test func `a port is named as Linux names it`() {
        #expect(USBPort(bus: 1, ports: [2, 4]).description == "1-2.4")
        #expect(USBPort(bus: 3, ports: [1]).description == "3-1")
        #expect(USBPort("1-2.4") == USBPort(bus: 1, ports: [2, 4]))
        for text in ["", "1", "1-", "1-2.", "x-1", "1-2-3", "1-300"] { #expect(USBPort(text) == nil) }
    }
}

extension USBPrinter {
    /// A typical receipt printer.
    static func sample(
        serial: String? = "S1", port: String = "1-1", maker: String = "EPSON", model: String = "TM-T20II",
        id: String? = nil,
        isAccessible: Bool = true, protocols: [UInt8] = [2]
    ) -> USBPrinter {
        let interfaces = protocols.enumerated().map { number, proto in
            USBPrinterInterface(
                number: number, alternates: [.sample(proto)],
                deviceID: id.map { DeviceID($0) } ?? DeviceID("MFG:\(maker);MDL:\(model);"))
        }
        let parts = port.split(separator: "-")
        return USBPrinter(
            vendor: 0x04B8, product: 0x0E15,
            port: USBPort(bus: UInt8(parts[0]) ?? 0, ports: parts[1].split(separator: ".").compactMap { UInt8($0) }),
            address: 2,
            manufacturer: maker, productName: model, identity: serial.map { .serial($0) }, interfaces: interfaces,
            isAccessible: isAccessible)
    }
}

extension USBAlternate {
    static func sample(_ proto: UInt8, number: Int = 0) -> USBAlternate {
        USBAlternate(
            number: number, class: 7, subclass: 1, protocol: proto, out: USBEndpoint(address: 1, packet: 512),
            in: proto == 1 ? nil : USBEndpoint(address: 0x82, packet: 512))
    }
}
