import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Testing

@Suite("Printers on the bus", .timeLimit(.minutes(10)))
struct PrintersOnUSBBusTests {
    @Test func `A printer is found with its names, its device id and its URL`() async throws {
        try await onBus(["--serial FIND1 --port 1 --model TM-T20II"]) { bench in
            let printer = try await bench.printer(serial: "FIND1")
            #expect(printer.url?.description == "usb://EPSON/TM-T20II?serial=FIND1")
            #expect(printer.deviceID?.commandSets == ["ESC/POS"])
            #expect(printer.isAccessible)
            #expect(printer.warning == nil)
            #expect(printer.choice(for: .raw)?.alternate.kind == .bidirectional)
        }
    }

    @Test func `A document goes to the printer byte for byte`() async throws {
        try await onBus(["--serial SEND1 --port 2"]) { bench in
            let paper = try await bench.usePaper()
            let connection = try await bench.open(serial: "SEND1")
            try await connection.send(Array("Hello\n".utf8)) { _ in }
            try await eventually { try fileText(paper) == "Hello\n" }
            #expect(try await connection.portStatus() == PortStatus(0x18))
            await connection.close()
            #expect(try await bench.statistics()["claims"] == "1")
        }
    }

    @Test func `What the printer says comes back`() async throws {
        try await onBus(["--serial READ1 --port 3"]) { bench in
            let connection = try await bench.open(serial: "READ1")
            var answers = connection.responses().makeAsyncIterator()
            try await connection.send([0x10, 0x04, 0x01]) { _ in }
            #expect(await answers.next()?.count == 1)
            await connection.close()
            #expect(await answers.next() == nil)
        }
    }

    @Test(arguments: ["standard", "little-endian", "exclusive", "oversize", "zero"])
    func `Its device id is read however its length is written`(length: String) async throws {
        try await onBus([
            "--serial ID1 --device-id-length \(length) --device-id 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T88V;CLS:PRINTER;'"
        ]) { bench in
            let printer = try await bench.printer(serial: "ID1")
            #expect(printer.deviceID?.model == "TM-T88V")
            #expect(printer.url?.description == "usb://EPSON/TM-T88V?serial=ID1")
        }
    }

    @Test(arguments: [
        ("MFG:Caf\\xE9;MDL:K\\xFCche;MDL:Bar\\xC3\\xA9;", "usb://Caf%C3%A9/Bar%C3%A9?serial=ID2"),
        ("MDL:TM-T88V;", "usb://EPSON/TM-T88V?serial=ID2"), (";;;:::", "usb://EPSON/TM-T20II?serial=ID2"),
        ("", "usb://EPSON/TM-T20II?serial=ID2"),
        ("MANUFACTURER:Star;MODEL:TSP650;MFG:x;MDL:y;", "usb://Star/TSP650?serial=ID2"),
    ])
    func `Its URL is made of what makes sense`(id: String, url: String) async throws {
        try await onBus(["--serial ID2 --device-id '\(id)'"]) { bench in
            #expect(try await bench.printer(serial: "ID2").url?.description == url)
            await (try bench.open(serial: "ID2")).close()
        }
    }

    @Test(arguments: ["stall-control", "ignore-control"])
    func `One that does not tell its device id has the names of its descriptor`(fault: String) async throws {
        try await onBus(["--serial ID3 --\(fault) device-id"]) { bench in
            let printer = try await bench.printer(serial: "ID3")
            #expect(printer.deviceID == nil)
            #expect(printer.url?.description == "usb://EPSON/TM-T20II?serial=ID3")
        }
    }

    @Test func `Two with the same serial number are told apart by their ports`() async throws {
        try await onBus(["--serial SAME --port 2", "--serial SAME --port 3"]) { bench in
            let printers = try await bench.bus.printers().filter { $0.serial == "SAME" }
            #expect(
                printers.map { $0.url?.description } == [2, 3].map { "usb://EPSON/TM-T20II?serial=SAME&port=1-\($0)" })
            #expect(printers.allSatisfy { $0.warning == .sharedSerialNumber })
            let paper = try await bench.usePaper(device: 1)
            let connection = try await bench.bus.open(PrinterURL("usb://EPSON/TM-T20II?serial=SAME&port=1-3"))
            try await connection.send(Array("second\n".utf8)) { _ in }
            #expect(try fileText(paper) == "second\n")
            await #expect(throws: USBOpenError.self) {
                try await bench.bus.open(PrinterURL("usb://EPSON/TM-T20II?serial=SAME"))
            }
        }
    }

    @Test(
        arguments: [
            ("--no-serial on", "usb://EPSON/TM-T20II", .noSerialNumber),
            ("--serial 000000", "usb://EPSON/TM-T20II", .noSerialNumber),
            ("--serial x --serial-descriptor 0041ff", "usb://EPSON/TM-T20II?serial=0041ff", .malformedSerialNumber),
        ] as [(String, String, USBPrinter.Warning)])
    func `One without a serial number of use says so`(
        options: String, url: String, warning: USBPrinter.Warning
    ) async throws {
        try await onBus(["--port 4 \(options)"]) { bench in
            let printer = try await eventuallyValue {
                try await bench.bus.printers().first { $0.port.description == "1-4" }
            }
            #expect(printer.url?.description == url)
            #expect(printer.warning == warning)
            await (try bench.bus.open(PrinterURL(url))).close()
        }
    }
}
