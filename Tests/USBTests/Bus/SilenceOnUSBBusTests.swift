import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskUSB

/// A bus on which devices come and go without a message, as in a container and where no udevd runs.
@Suite("Printers that come and go without a message", .serialized, .timeLimit(.minutes(10)))
struct SilenceOnUSBBusTests {
    private func inSilence(
        _ printers: [String], clock: ManualClock = ManualClock(), _ test: (BusBench, ManualClock) async throws -> Void
    ) async throws {
        try await onBus(printers, clock: clock) { bench in
            _ = try await bench.bus.printers()
            try await bench.emulator.control("bus messages off")
            let result: Result<Void, any Error>
            do {
                try await test(bench, clock)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await bench.emulator.control("bus messages on")
            try result.get()
        }
    }

    @Test func `One that is plugged in appears, one that is pulled leaves, and the bus knows that it is silent`()
        async throws
    {
        try await inSilence(["--serial QUIET1 --port 4 --unplugged"]) { bench, clock in
            let log = ChangeLog(await bench.bus.changes(), of: "QUIET1")
            #expect(await !bench.bus.isSilent)
            try await bench.control("plug")
            try await clock.pass(until: "it appears") { !log.all.isEmpty }
            #expect(log.all.first?.isAppearing == true)
            #expect(log.all.first?.printer.deviceID?.model == "TM-T20II")
            try await clock.pass(until: "the bus is silent") { await bench.bus.isSilent }
            try await bench.control("unplug")
            try await clock.pass(until: "it leaves") { log.all.count == 2 }
            #expect(log.all.last?.isAppearing == false)
            #expect(try await bench.bus.printers().allSatisfy { $0.serial != "QUIET1" })
        }
    }

    @Test func `One that is replugged at the same port between two looks has left and appeared, and prints`()
        async throws
    {
        try await inSilence(["--serial QUIET2 --port 5"]) { bench, clock in
            let log = ChangeLog(await bench.bus.changes(), of: "QUIET2")
            let before = try await bench.open(serial: "QUIET2")
            try await bench.control("unplug")
            try await bench.control("plug")
            try await clock.pass(until: "both are told") { log.all.count == 2 }
            #expect(log.all.map(\.isAppearing) == [false, true])
            await #expect(throws: (any Error).self) { try await before.send([0x41]) { _ in } }
            await before.close()
            let paper = try await bench.usePaper()
            let connection = try await bench.open(serial: "QUIET2")
            #expect(connection.printer.address != before.printer.address)
            try await connection.send(Array("again\n".utf8)) { _ in }
            try await eventually { try fileText(paper) == "again\n" }
            await connection.close()
        }
    }

    @Test func `A scan finds it at once, and those that are open stay open`() async throws {
        try await inSilence(["--serial QUIET3 --port 6", "--serial QUIET4 --port 7 --unplugged"]) { bench, _ in
            let open = try await bench.open(serial: "QUIET3")
            for _ in 0..<5 {
                try await bench.control("plug", device: 1)
                let found = try await bench.bus.printers().first { $0.serial == "QUIET4" }
                #expect(found?.isAccessible == true)
                let connection = try await bench.open(serial: "QUIET4")
                try await connection.send([0x0A]) { _ in }
                try await open.send([0x0A]) { _ in }
                await connection.close()
                try await bench.control("unplug", device: 1)
                #expect(try await bench.bus.printers().allSatisfy { $0.serial != "QUIET4" })
            }
            #expect(try await bench.statistics()["opens"].flatMap { Int($0) } == 2)
            #expect(try await bench.bus.printers().first { $0.serial == "QUIET3" }?.interfaces[0].owner == .thisProcess)
            await open.close()
        }
    }

    @Test func `The first message that arrives ends the silence`() async throws {
        try await inSilence(["--serial QUIET5 --port 8 --unplugged", "--serial QUIET6 --port 9 --unplugged"]) {
            bench, clock in
            let log = ChangeLog(await bench.bus.changes(), of: "QUIET6")
            try await bench.control("plug")
            try await clock.pass(until: "the bus is silent") { await bench.bus.isSilent }
            try await bench.emulator.control("bus messages on")
            try await bench.control("plug", device: 1)
            #expect(try await log.change(0).isAppearing)
            #expect(await !bench.bus.isSilent)
            // The device that no message told of is still there.
            await (try bench.open(serial: "QUIET5")).close()
        }
    }
}
