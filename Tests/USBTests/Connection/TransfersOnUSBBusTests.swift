import DevicePrinting
import Foundation
import PrintModel
import TestSupport
import Testing
import USB

@Suite("Transfers on the bus", .timeLimit(.minutes(2)))
struct TransfersOnUSBBusTests {
    @Test func `Of a document in several pieces only the last is followed by an empty packet`() async throws {
        try await onBus(["--serial OUT8 --language none"]) { bench in
            let connection = try await bench.open(serial: "OUT8", settings: .init(zeroLengthPacket: true))
            for isLast in [false, false, true] {
                try await connection.send(someBytes(1024)[...], isLast: isLast) { _ in }
            }
            #expect(try await bench.statistics()["zero-packets"] == "1")
        }
    }

    /// 1 MB of the document is enough for the largest transfers.
    @Test(arguments: [512, 5000, 100_000, 300_000])
    func `Where the kernel lends little memory, a document goes in fewer and smaller transfers`(
        memory: Int
    ) async throws {
        try await onBus(["--serial OUT9 --language none"]) { bench in
            let paper = try await bench.usePaper()
            let connection = try await bench.open(serial: "OUT9")
            try await bench.control("memory \(memory)")
            let document = someBytes(memory < 1000 ? 20_000 : 1_000_000)
            try await connection.send(document) { _ in }
            #expect(FileManager.default.contents(atPath: paper).map { [UInt8]($0) } == document)
            #expect(try await bench.statistics()["refused"] != "0")
        }
    }

    @Test func `Without memory for a single packet a send fails, and the next goes when there is some`() async throws {
        try await onBus(["--serial OUT10 --language none"]) { bench in
            let connection = try await bench.open(serial: "OUT10")
            try await bench.control("memory 511")
            let error = await Result { try await connection.send(someBytes(5000)) { _ in } }.pipeError
            #expect(error?.kind == .failed)
            #expect(error?.taken == 0)
            try await bench.control("memory off")
            try await connection.restore(resetting: false)
            try await connection.send(someBytes(5000)) { _ in }
            #expect(try await bench.statistics()["taken"] == "5000")
        }
    }

    @Test func `A send that found no place behind a cancelled one goes when that has ended`() async throws {
        try await onBus(["--serial OUT11 --language none"]) { bench in
            let connection = try await bench.open(serial: "OUT11")
            try await bench.control("credit 0")
            let cancelled = Task { try await connection.send(someBytes(50_000)) { _ in } }
            try await eventually { try await bench.statistics()["pending"] == "4" }
            cancelled.cancel()
            let next = Task { try await connection.send(someBytes(1000)) { _ in } }
            #expect(await cancelled.result.pipeError?.kind == .cancelled)
            try await bench.control("credit off")
            #expect(await next.result.isSuccess)
            #expect(try await bench.statistics()["taken"] == "1000")
        }
    }
}
