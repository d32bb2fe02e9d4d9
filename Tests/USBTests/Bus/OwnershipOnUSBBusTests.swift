import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskUSB

@Suite("Who may have a printer", .timeLimit(.minutes(10)))
struct OwnershipOnUSBBusTests {
    private func failure(
        _ bench: BusBench, _ url: String, for use: USBPrinter.Use = .raw
    ) async throws -> USBOpenError.Kind? {
        do {
            await (try bench.bus.open(PrinterURL(url), for: use)).close()
            return nil
        } catch let error as USBOpenError {
            return error.kind
        }
    }

    @Test func `The kernel's driver gives way, and has the printer back afterwards, also after a replug`() async throws
    {
        try await onBus(["--serial OWN1 --kernel-driver on"]) { bench in
            #expect(try await bench.printer(serial: "OWN1").interfaces.first?.owner == .kernel("usblp"))
            for _ in 0..<2 {
                let connection = try await eventuallyValue("the printer") { try? await bench.open(serial: "OWN1") }
                #expect(try await bench.statistics()["driver"] == "usbfs")
                #expect(try await bench.printer(serial: "OWN1").interfaces.first?.owner == .thisProcess)
                await connection.close()
                #expect(try await bench.statistics()["driver"] == "usblp")
                try await bench.control("unplug")
                try await bench.control("plug")
            }
        }
    }

    @Test func `A profile can keep the printer from the kernel's driver`() async throws {
        try await onBus(["--serial OWN2 --kernel-driver on"]) { bench in
            await (try bench.open(serial: "OWN2", settings: USBSettings(reattach: false))).close()
            #expect(try await bench.statistics()["driver"] == "none")
        }
    }

    @Test func `One that another program has is busy, and free when that lets go`() async throws {
        try await onBus(["--serial OWN3 --busy on"]) { bench in
            #expect(try await bench.printer(serial: "OWN3").interfaces.first?.owner == .program)
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN3") == .busy(owner: nil))
            try await bench.control("busy off")
            #expect(try await bench.printer(serial: "OWN3").interfaces.first?.owner == nil)
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN3") == nil)
        }
    }

    @Test func `One that we have open is not opened twice`() async throws {
        try await onBus(["--serial OWN4"]) { bench in
            let connection = try await bench.open(serial: "OWN4")
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN4") == .alreadyOpen)
            let opens = try await bench.statistics()["opens"]
            _ = try await bench.bus.printers()
            #expect(try await bench.statistics()["opens"] == opens)
            await connection.close()
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN4") == nil)
        }
    }

    @Test func `Without rights it is listed by what the system tells, and the error names its node`() async throws {
        try await onBus(["--serial OWN5 --mode 000"]) { bench in
            let printer = try await bench.printer(serial: "OWN5")
            #expect(!printer.isAccessible)
            #expect(printer.names == ("EPSON", "TM-T20II"))
            let denied = USBOpenError.Kind.accessDenied(node: printer.node)
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN5") == denied)
            #expect(try await failure(bench, "usb://Epson%20Corp/Receipts?serial=OWN5") == denied)
            try await bench.control("mode 666")
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN5") == nil)
        }
    }

    @Test func `The URL from a time without rights finds the printer once they are given`() async throws {
        let printer = "--serial OWN8 --mode 000 --model 'Receipt Printer' --device-id 'MFG:EPSON;MDL:TM-T20III;'"
        try await onBus([printer]) { bench in
            let before = try #require(try await bench.printer(serial: "OWN8").url).description
            #expect(before == "usb://EPSON/Receipt%20Printer?serial=OWN8")
            try await bench.control("mode 666")
            #expect(
                try await bench.printer(serial: "OWN8").url?.description == "usb://EPSON/TM-T20III?serial=OWN8")
            #expect(try await failure(bench, before) == nil)
        }
    }

    @Test func `What was taken from the kernel's driver and not given back is given back by the next run`() async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.appending("record")
        try await onBus(["--serial OWN9 --kernel-driver on"]) { bench in
            // The connection's run is not told of its end, as if it had been killed.
            let printer = try await bench.printer(serial: "OWN9")
            let record = DetachedDrivers(path: path)
            let entry = DetachedDrivers.Entry(printer, interface: 0, driver: "usblp")
            await (try bench.open(serial: "OWN9", settings: USBSettings(reattach: false))).close()
            #expect(try await bench.statistics()["driver"] == "none")
            #expect(await record.add(entry) == nil)
            let next = USBBus(detachedDrivers: DetachedDrivers(path: path))
            await next.giveBackDrivers()
            #expect(try await bench.statistics()["driver"] == "usblp")
            #expect(try await DetachedDrivers(path: path).abandoned().get() == [])
            // While it is open, it stands in the record.
            let connection = try await next.open(try #require(printer.url))
            #expect(try await DetachedDrivers(path: path).abandoned().get() == [entry])
            await connection.close()
            #expect(try await DetachedDrivers(path: path).abandoned().get() == [])
            #expect(try await bench.statistics()["driver"] == "usblp")
            await next.shutDown()
        }
    }

    @Test func `Each interface of a printer is opened for itself, and the alternate setting is chosen by need`()
        async throws
    {
        let printer =
            "--serial OWN6 --interface 7/1/1 --alternate 7/1/2 --alternate 7/1/4 --interface 7/1/4 --interface 255/1/1"
        try await onBus([printer]) { bench in
            let raw = try await bench.open(serial: "OWN6")
            #expect(raw.alternate.kind == .bidirectional)
            #expect(try await bench.emulator.statistics("\(bench.devices[0]).0")["alternate"] == "1")
            let ipp = try await bench.open(serial: "OWN6", for: .ippOverUSB)
            #expect(ipp.interface == 1)
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN6", for: .ippOverUSB) == .alreadyOpen)
            #expect(try await failure(bench, "usb://EPSON/TM-T20II?serial=OWN6&interface=2") == .unsuitable)
            await raw.close()
            #expect(try await bench.emulator.statistics("\(bench.devices[0]).0")["alternate"] == "0")
            let first = try await bench.open(serial: "OWN6", for: .ippOverUSB)
            #expect(first.interface == 0)
            #expect(first.alternate.number == 2)
        }
    }

    @Test func `A printer of the vendor's class is one where its model is known`() async throws {
        let model = USBModel(vendor: 0x04B8, product: 0x0202)
        let printer = "--serial OWN7 --vendor 04b8 --product 0202 --interface 255/0/0 --language none"
        try await onBus([printer], vendorPrinters: [model]) { bench in
            let paper = try await bench.usePaper()
            let connection = try await bench.open(serial: "OWN7")
            #expect(connection.alternate.kind == .vendor)
            #expect(try await connection.portStatus() == nil)
            try await connection.send(Array("till\n".utf8)) { _ in }
            #expect(try fileText(paper) == "till\n")
            let others = USBBus()
            #expect(try await others.printers().allSatisfy { $0.serial != "OWN7" })
            await others.shutDown()
        }
    }
}
