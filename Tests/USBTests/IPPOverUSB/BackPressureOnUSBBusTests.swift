import Foundation
import Glibc
import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import Logging
import NIOPosix
import Testing

@testable import KioskUSB

/// Data that arrives over an IPP over USB interface faster than anyone reads it.
@Suite("Back-pressure over IPP over USB, on the bus", .timeLimit(.minutes(10)))
struct BackPressureOnUSBBusTests {
    private static let answer = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }

    /// A server that answers the first byte of each connection with a megabyte.
    private static func server() throws -> Int {
        let (listener, port) = try listenOnLoopback()
        Thread.detachNewThread {
            var byte: UInt8 = 0
            let connection = accept(listener, nil, nil)
            close(listener)
            guard connection >= 0, recv(connection, &byte, 1, 0) == 1 else { return }
            var rest = answer[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { break }
                rest = rest.dropFirst(sent)
            }
            close(connection)
        }
        return port
    }

    private func words(_ serial: String, _ port: String) throws -> String {
        "--serial \(serial) --port \(port) --interface 7/1/4 --http 127.0.0.1:\(try Self.server())"
    }

    /// The device is asked for no more than there is room for. What it is asked meanwhile passes the same thread of
    /// libusb, and the same device: with each question, whoever read on would get a transfer's worth of the answer.
    private func staysUnread(_ bench: BusBench, _ connection: USBConnection) async throws {
        func given() async throws -> Int { Int(try await bench.statistics()["given"] ?? "") ?? 0 }
        try await eventually("the answer's beginning") { try await given() > 0 }
        for _ in 0..<500 { _ = try await connection.portStatus() }
        #expect(try await given() < Self.answer.count)
    }

    @Test func `An answer that nobody hurries to take is kept whole`() async throws {
        try await onBus([words("FULL1", "9.11")]) { bench in
            let connection = try await bench.open(serial: "FULL1", for: .ippOverUSB)
            let answers = connection.responses()
            try await connection.send([1]) { _ in }
            try await staysUnread(bench, connection)
            var got: [UInt8] = []
            for await piece in answers {
                got += piece
                if got.count >= Self.answer.count { break }
            }
            #expect(got == Self.answer)
            await connection.close()
        }
    }

    @Test func `A client that does not read holds the device back`() async throws {
        try await onBus([words("FULL2", "9.12")]) { bench in
            let connection = try await bench.open(serial: "FULL2", for: .ippOverUSB)
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let bridge = InterfaceBridge(pipe: connection, exchange: ExchangeMark(), logger: Logger(label: "test"))
            let run = Task { [far = ends[1]] in await bridge.run(far, on: MultiThreadedEventLoopGroup.singleton) }
            let near = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
            try near.write(contentsOf: [1])
            try await staysUnread(bench, connection)
            let reading = Task.detached { try near.read(upToCount: Self.answer.count) }
            #expect(try await reading.value.map(Array.init) == Self.answer)
            try near.close()
            #expect(await run.value == .betweenExchanges)
            await connection.close()
        }
    }
}
