import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Testing

@Suite("Printers that come and go", .timeLimit(.minutes(10)))
struct ChangesOnUSBBusTests {
    @Test func `One that is plugged in appears, and leaves when it is pulled`() async throws {
        try await onBus(["--serial HOT1 --port 4 --unplugged"]) { bench in
            let log = ChangeLog(await bench.bus.changes(), of: "HOT1")
            try await bench.control("plug")
            let appeared = try await log.change(0)
            #expect(appeared.isAppearing)
            #expect(appeared.printer.url?.description == "usb://EPSON/TM-T20II?serial=HOT1")
            #expect(appeared.printer.deviceID?.model == "TM-T20II")
            try await bench.control("unplug")
            #expect(try await log.change(1) == .left(appeared.printer))
        }
    }

    @Test func `One that comes back at another port has the same URL`() async throws {
        try await onBus(["--serial HOT2 --port 5"]) { bench in
            let before = try await bench.printer(serial: "HOT2")
            let log = ChangeLog(await bench.bus.changes(), of: "HOT2")
            try await bench.control("unplug")
            try await bench.control("plug 6")
            #expect(try await log.change(0) == .left(before))
            let after = try await log.change(1)
            #expect(after.isAppearing)
            #expect(after.printer.url == before.url)
            #expect(after.printer.port.description == "1-6")
            #expect(after.printer.address != before.address)
        }
    }

    @Test func `A storm ends with what is true then`() async throws {
        try await onBus(["--serial HOT3 --port 7 --unplugged"]) { bench in
            let log = ChangeLog(await bench.bus.changes(), of: "HOT3")
            for _ in 0..<100 {
                try await bench.control("plug")
                try await bench.control("unplug")
            }
            try await bench.control("plug")
            let connection = try await eventuallyValue("the printer") { try? await bench.open(serial: "HOT3") }
            try await eventually("its appearing") {
                log.all.last.map { $0.isAppearing && $0.printer.address == connection.printer.address } ?? false
            }
            try await connection.send([0x41, 0x0A]) { _ in }
            await connection.close()
        }
    }

    @Test func `One that says later who it is appears once more`() async throws {
        let clock = ManualClock()
        try await onBus(["--serial HOT5 --port 9 --unplugged --ignore-control device-id"], clock: clock) { bench in
            let log = ChangeLog(await bench.bus.changes(), of: "HOT5")
            try await bench.control("plug")
            #expect(try await log.change(0).printer.deviceID == nil)
            try await bench.control("ignore-control off")
            try await clock.pass(until: "it appears again") { log.all.count == 2 }
            let again = try await log.change(1)
            #expect(again.isAppearing)
            #expect(again.printer.deviceID?.model == "TM-T20II")
        }
    }

    @Test func `Those that are there are no news, and the end of the bus is the end of the news`() async throws {
        try await onBus(["--serial HOT4 --port 8"]) { bench in
            _ = try await bench.printer(serial: "HOT4")
            let log = ChangeLog(await bench.bus.changes(), of: "HOT4")
            await bench.bus.shutDown()
            try await eventually { log.hasEnded }
            #expect(log.all.isEmpty)
            await #expect(throws: USBOpenError.self) { try await bench.bus.printers() }
        }
    }
}
