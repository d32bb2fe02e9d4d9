import Foundation
import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import KioskUSB
import Synchronization
import Testing

@Suite("Sending over the bus", .timeLimit(.minutes(10)))
struct SendingOnUSBBusTests {
    @Test func `10 MB come out byte for byte`() async throws {
        try await onBus(["--serial OUT1 --language none"]) { bench in
            let paper = try await bench.usePaper()
            let document = someBytes(10_000_000)
            let connection = try await bench.open(serial: "OUT1")
            let count = ByteCount()
            try await connection.send(document) { count.add($0) }
            #expect(count.value == document.count)
            #expect(FileManager.default.contents(atPath: paper).map { [UInt8]($0) } == document)
        }
    }

    @Test func `Several sends that are under way at once keep their order`() async throws {
        try await onBus(["--serial OUT2 --language none"]) { bench in
            let paper = try await bench.usePaper()
            let connection = try await bench.open(serial: "OUT2")
            try await bench.control("credit 0")
            let sends = try await queue(50, on: connection, bench)
            try await bench.control("credit off")
            for send in sends { #expect(await send.result.isSuccess) }
            let expected = (0..<50).flatMap { [UInt8](repeating: UInt8($0), count: 500) }
            try await eventually("the paper") {
                FileManager.default.contents(atPath: paper).map { [UInt8]($0) } == expected
            }
        }
    }

    /// Sends one after the other, without waiting for any; each has begun before the next.
    private func queue(
        _ number: Int, on connection: USBConnection, _ bench: BusBench
    ) async throws -> [Task<Void, any Error>] {
        var sends: [Task<Void, any Error>] = []
        for byte in 0..<number {
            // It has begun when this returns.
            sends.append(
                Task.immediate { try await connection.send([UInt8](repeating: UInt8(byte), count: 500)) { _ in } })
            // The first are under way; the others cannot be seen, and are given a moment to queue.
            if byte < 3 {
                try await eventually { try await bench.statistics()["pending"] == "\(byte + 2)" }
            } else {
                for _ in 0..<100 { await Task.yield() }
            }
        }
        return sends
    }

    @Test func `A printer that takes nothing for minutes is waited for`() async throws {
        try await onBus(["--serial OUT3 --language none --buffer 1024 --speed 100"]) { bench in
            let paper = try await bench.usePaper()
            try await bench.emulator.control("bus advance 0")
            let result: Result<Void, any Error>
            do {
                let connection = try await bench.open(serial: "OUT3")
                let document = someBytes(30_000)
                let count = ByteCount()
                let send = Task { try await connection.send(document) { count.add($0) } }
                // It is full, and for ten minutes nothing moves but the clock.
                try await bench.control("cover-open on")
                for _ in 0..<10 { try await bench.emulator.control("bus advance 60000") }
                #expect(count.value < document.count)
                try await bench.control("cover-open off")
                try await eventually("the end of the document") {
                    try await bench.emulator.control("bus advance 10000")
                    return count.value == document.count
                }
                #expect(await send.result.isSuccess)
                try await bench.emulator.control("bus advance 60000")
                #expect(FileManager.default.contents(atPath: paper).map { [UInt8]($0) } == document)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await bench.emulator.control("bus run")
            try result.get()
        }
    }

    @Test(arguments: [(1024, true, "1"), (1025, true, "0"), (1024, false, "0")])
    func `An empty packet follows whole packets where the profile wants it`(
        length: Int, wanted: Bool, packets: String
    ) async throws {
        try await onBus(["--serial OUT4 --language none"]) { bench in
            let connection = try await bench.open(serial: "OUT4", settings: .init(zeroLengthPacket: wanted))
            try await connection.send(someBytes(length)) { _ in }
            #expect(try await bench.statistics()["zero-packets"] == packets)
        }
    }

    @Test(arguments: [0, 512, 4096, 5120, 20_480])
    func `A cancelled send ends soon and knows what was taken`(credit: Int) async throws {
        try await onBus(["--serial OUT5 --language none --buffer 100000 --speed 1"]) { bench in
            let connection = try await bench.open(serial: "OUT5")
            try await bench.control("credit \(credit)")
            let count = ByteCount()
            let send = Task { try await connection.send(someBytes(50_000)) { count.add($0) } }
            try await eventually { try await bench.statistics()["taken"] == "\(credit)" }
            send.cancel()
            let error = await send.result.pipeError
            #expect(error?.kind == .cancelled)
            #expect(error?.accepted == credit)
            #expect(try await bench.statistics()["pending"] == "1")
            // The pipe goes on.
            try await bench.control("credit off")
            try await connection.restore(resetting: false)
            try await connection.send(someBytes(1000)) { _ in }
            #expect(try await bench.statistics()["taken"] == "\(credit + 1000)")
        }
    }

    @Test func `What the device took while it was cancelled counts`() async throws {
        try await onBus(["--serial OUT6 --language none"]) { bench in
            let connection = try await bench.open(serial: "OUT6")
            try await bench.control("delay 600000")
            let send = Task { try await connection.send(someBytes(1500)) { _ in } }
            try await eventually { try await bench.statistics()["taken"] == "1500" }
            send.cancel()
            #expect(await send.result.pipeError?.accepted == 1500)
        }
    }

    @Test func `A send that is cancelled before it began sends nothing, and those behind a cancelled one do not go`()
        async throws
    {
        try await onBus(["--serial OUT7 --language none"]) { bench in
            let connection = try await bench.open(serial: "OUT7")
            let early = Task {
                try? await Task.sleep(for: .seconds(3600))
                try await connection.send(someBytes(10)) { _ in }
            }
            early.cancel()
            #expect(
                await early.result.pipeError
                    == DevicePipeError(.cancelled, operation: "libusb_cancel_transfer", reason: "it was cancelled"))
            try await bench.control("credit 0")
            let sends = try await queue(3, on: connection, bench)
            sends[0].cancel()
            for send in sends { #expect(await send.result.pipeError?.kind == .cancelled) }
            #expect(try await bench.statistics()["taken"] == "0")
        }
    }

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
            #expect(error?.accepted == 0)
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

/// Bytes that repeat at no power of two.
func someBytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(($0 &* 7 &+ $0 / 251) & 0xFF) } }

extension Result {
    var isSuccess: Bool { (try? get()) != nil }
    var pipeError: DevicePipeError? {
        switch self {
        case .success: nil
        case .failure(let error): error as? DevicePipeError
        }
    }
}

/// Adds up the reported bytes of a send.
final class ByteCount: Sendable {
    private let bytes = Mutex(0)
    var value: Int { bytes.withLock(\.self) }
    func add(_ count: Int) { bytes.withLock { $0 += count } }
}
