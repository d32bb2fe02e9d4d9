import Foundation
import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Testing

@Suite("Faults on the bus", .timeLimit(.minutes(10)))
struct FaultsOnUSBBusTests {
    @Test(arguments: [0, 700, 5000, 40_000])
    func `A stall tells what was taken, and nothing goes until it is cleared`(offset: Int) async throws {
        try await onBus(["--serial BAD1 --language none"]) { bench in
            let paper = try await bench.usePaper()
            let document = someBytes(50_000)
            let connection = try await bench.open(serial: "BAD1")
            try await bench.control("stall-out \(offset)")
            let error = await Result { try await connection.send(document) { _ in } }.pipeError
            let accepted = offset / 512 * 512
            #expect(error?.kind == .stalled)
            #expect(error?.accepted == accepted)
            let next = await Result { try await connection.send([1]) { _ in } }.pipeError
            #expect(next?.kind == .stalled)
            #expect(next?.accepted == 0)
            try await connection.restore(resetting: false)
            #expect(try await bench.statistics()["out-halted"] == "0")
            try await connection.send(Array(document[accepted...])) { _ in }
            #expect(FileManager.default.contents(atPath: paper).map { [UInt8]($0) } == document)
        }
    }

    @Test func `Unplugged at every packet of a job, it never took more than is said`() async throws {
        try await onBus(["--serial BAD2 --language none"]) { bench in
            for offset in stride(from: 0, through: 10_240, by: 512) {
                let before = Int(try await bench.statistics()["taken"] ?? "") ?? 0
                let connection = try await eventuallyValue("the printer") { try? await bench.open(serial: "BAD2") }
                try await bench.control("unplug-at \(offset)")
                let error = await Result { try await connection.send(someBytes(11_000)) { _ in } }.pipeError
                let accepted = (Int(try await bench.statistics()["taken"] ?? "") ?? 0) - before
                #expect(error?.kind == .disconnected)
                #expect(accepted == offset)
                #expect(((accepted)...(accepted + 512)).contains(error?.accepted ?? -1))
                #expect(await Result { try await connection.send([1]) { _ in } }.pipeError?.accepted == 0)
                await connection.close()
                try await bench.control("plug")
            }
        }
    }

    @Test func `An idle printer that goes ends what waits for it`() async throws {
        try await onBus(["--serial BAD3"]) { bench in
            let connection = try await bench.open(serial: "BAD3")
            var answers = connection.responses().makeAsyncIterator()
            try await bench.control("unplug")
            #expect(await answers.next() == nil)
            #expect(await Result { try await connection.send([1]) { _ in } }.pipeError?.kind == .disconnected)
            #expect(await Result { _ = try await connection.portStatus() }.pipeError?.kind == .disconnected)
            #expect(await Result { try await connection.restore(resetting: true) }.pipeError?.kind == .disconnected)
            await connection.close()
            try await bench.control("plug")
            let again = try await eventuallyValue("the printer") { try? await bench.open(serial: "BAD3") }
            try await again.send([0x41]) { _ in }
        }
    }

    @Test func `A stall of the back-channel is cleared, and the answers go on`() async throws {
        try await onBus(["--serial BAD4"]) { bench in
            let connection = try await bench.open(serial: "BAD4")
            var answers = connection.responses().makeAsyncIterator()
            try await bench.control("stall-in 0")
            try await eventually { try await bench.statistics()["clear-halts"] == "1" }
            try await connection.send([0x10, 0x04, 0x01]) { _ in }
            #expect(await answers.next()?.count == 1)
        }
    }

    @Test func `A back-channel that says nothing all the time is asked now and then`() async throws {
        try await onBus(["--serial BAD5"]) { bench in
            let connection = try await bench.open(serial: "BAD5")
            var answers = connection.responses().makeAsyncIterator()
            try await bench.control("empty-answers on")
            try await eventually { try await bench.transferCount() >= 6 }
            let (start, before) = (ContinuousClock.now, try await bench.transferCount())
            try await eventually { try await bench.transferCount() >= before + 3 }
            // A tenth of a second each.
            #expect(ContinuousClock.now - start >= .milliseconds(150))
            try await connection.send([0x10, 0x04, 0x01]) { _ in }
            #expect(await answers.next()?.count == 1)
        }
    }

    @Test func `A request that is stalled does not exist; one that is never answered fails`() async throws {
        try await onBus(["--serial BAD6"]) { bench in
            let connection = try await bench.open(serial: "BAD6")
            try await bench.control("ignore-control port-status")
            let error = await Result { _ = try await connection.portStatus() }.pipeError
            #expect(error?.kind == .failed)
            let waiting = Task { _ = try await connection.portStatus() }
            waiting.cancel()
            #expect(await waiting.result.pipeError?.kind == .cancelled)
            try await bench.control("ignore-control off")
            try await bench.control("stall-control port-status")
            #expect(try await connection.portStatus() == nil)
        }
    }

    @Test func `A request that has been answered before exists, although it is stalled now`() async throws {
        try await onBus(["--serial BAD10"]) { bench in
            let connection = try await bench.open(serial: "BAD10")
            try await bench.control("port-status 38")
            #expect(try await connection.portStatus() == PortStatus(0x38))
            try await bench.control("stall-control port-status")
            #expect(try await connection.portStatus() == nil)
            try await bench.control("stall-control off")
            try await bench.control("port-status 18")
            #expect(try await connection.portStatus() == PortStatus(0x18))
        }
    }

    @Test(arguments: ["18", "38", "10", "00"])
    func `The port status is the printer's byte`(byte: String) async throws {
        try await onBus(["--serial BAD7"]) { bench in
            let connection = try await bench.open(serial: "BAD7")
            try await bench.control("port-status \(byte)")
            #expect(try await connection.portStatus() == UInt8(byte, radix: 16).map { PortStatus($0) })
        }
    }

    @Test(arguments: [("off", "1"), ("soft-reset", "1")])
    func `Restoring empties the printer's buffers, by the older request where it does not know the newer`(
        stalled: String, resets: String
    ) async throws {
        try await onBus(["--serial BAD8 --language none"]) { bench in
            let connection = try await bench.open(serial: "BAD8")
            var answers = connection.responses().makeAsyncIterator()
            try await bench.control("stall-control \(stalled)")
            try await bench.control("stall-out 0")
            _ = await Result { try await connection.send([1]) { _ in } }
            try await connection.restore(resetting: true)
            #expect(try await bench.statistics()["soft-resets"] == resets)
            try await connection.send([2]) { _ in }
            try await bench.control("answer 5a")
            #expect(await answers.next() == [0x5A])
        }
    }

    @Test func `The end of the bus ends what is under way and gives the printer back`() async throws {
        try await onBus(["--serial BAD9 --kernel-driver on --language none"]) { bench in
            let connection = try await bench.open(serial: "BAD9")
            var answers = connection.responses().makeAsyncIterator()
            try await bench.control("credit 1024")
            let send = Task { try await connection.send(someBytes(9000)) { _ in } }
            try await eventually { try await bench.statistics()["taken"] == "1024" }
            await bench.bus.shutDown()
            #expect(await send.result.pipeError?.kind == .disconnected)
            #expect(await answers.next() == nil)
            let statistics = try await bench.statistics()
            #expect(statistics["driver"] == "usblp")
            #expect(statistics["pending"] == "0")
        }
    }
}

extension BusBench {
    /// Bulk transfers that have ended.
    func transferCount() async throws -> Int { Int(try await statistics()["transfers"] ?? "") ?? 0 }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
