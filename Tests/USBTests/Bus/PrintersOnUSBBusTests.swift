import DevicePrinting
import PrintModel
import TestSupport
import Testing
import USB

@Suite("Printers on the bus", .timeLimit(.minutes(2)))
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
            var answers = connection.answers().makeAsyncIterator()
            try await connection.send([0x10, 0x04, 0x01]) { _ in }
            #expect(await answers.next()?.count == 1)
            await connection.close()
            #expect(await answers.next() == nil)
        }
    }
}
