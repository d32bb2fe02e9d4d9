import Foundation
import KioskPrintModel
import KioskTestSupport
import NIOPosix
import Testing

@testable import KioskSocket

/// Debian's p910nd in front of a serial line: a raw TCP server that nobody here wrote, as print servers have it.
@Suite(.serialized) struct P910ndTests {
    private static func makeTransport() -> SocketTransport {
        SocketTransport(
            settings: { _ in DeviceSettings(language: .escPOS, completion: .processID) },
            group: .singletonMultiThreadedEventLoopGroup)
    }

    @Test func `receipts arrive byte for byte, in order, and are confirmed`() async throws {
        let server = try await P910nd()
        defer { server.stop() }
        let transport = Self.makeTransport()
        let target = try server.target
        // 8-bit data, as in pictures.
        let receipts = (0..<5).map { number in
            Array("receipt \(number) ".utf8) + (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* (number + 1)) | 0x80 }
        }
        for (number, receipt) in receipts.enumerated() {
            let report = try await transport.deliver(.receipt("k\(number)", receipt), to: target) { _ in }
            #expect(report.evidence == .printed)
        }
        await transport.shutDown()
        let paper = server.paper
        var place = paper.startIndex
        for receipt in receipts {
            let found = paper[place...].firstRange(of: receipt)
            place = try #require(found?.upperBound, "it is on the paper, in its order")
        }
    }

    @Test func `a receipt is not sent while p910nd serves another, and does not come out later`() async throws {
        let server = try await P910nd()
        defer { server.stop() }
        let transport = Self.makeTransport()
        let target = try server.target
        transport.recall(LearnedBehavior(respondsToStatusRequests: true), of: target)
        var rival: LoopbackSocket? = try LoopbackSocket()
        try server.connect(#require(rival))
        let error = try await #require(throws: TransportError.self) {
            try await transport.deliver(.receipt("k1", Array("first".utf8)), to: target) { _ in }
        }
        #expect(error.code == .printerBusy && error.bytesAccepted == 0)
        rival = nil
        try await eventually("its turn") {
            do {
                return try await transport.deliver(.receipt("k2", Array("second".utf8)), to: target) { _ in }.evidence
                    == .printed
            } catch let error as TransportError where error.code == .printerBusy {
                return false
            }
        }
        await transport.shutDown()
        #expect(server.paper.firstRange(of: Array("first".utf8)) == nil)
        #expect(rival == nil)
    }
}

/// p910nd, and behind its serial line a simulated ESC/POS printer.
private final class P910nd: Sendable {
    private let port: Int
    private let address: UInt32
    private let process: ChildProcess
    private let printer: SerialLinePrinter

    var paper: [UInt8] { printer.paper }
    var target: PrinterTarget {
        get throws { PrinterTarget(url: try PrinterURL("socket://\(Self.text(address)):\(port)")) }
    }

    func connect(_ socket: LoopbackSocket) throws { try socket.connect(to: port, host: address) }

    init() async throws {
        let program = try InstalledProgram.path("p910nd", package: "p910nd")
        try FileManager.default.createDirectory(atPath: "/var/lock/p910nd", withIntermediateDirectories: true)
        printer = try SerialLinePrinter()
        // An address of its own: whoever answers there is this one.
        address = 0x7F00_0000 | UInt32.random(in: 0x1_0001...0xFF_FFFE)
        (process, port) = try await Self.start(program, printer.line.device, address)
    }

    private static func text(_ address: UInt32) -> String {
        [24, 16, 8, 0].map { String(address >> $0 & 0xFF) }.joined(separator: ".")
    }

    private static func start(
        _ program: String, _ device: String, _ address: UInt32
    ) async throws -> (ChildProcess, Int) {
        // Where another has the port's lock, it waits for that.
        let process = try ChildProcess(program, ["-d", "-b", "-f", device, "-i", text(address), "0"])
        try await eventually("p910nd") {
            guard process.isRunning else { throw TestSupportError("p910nd ended: \(process.standardError)") }
            return (try? LoopbackSocket().connect(to: 9100, host: address)) != nil
        }
        return (process, 9100)
    }

    /// Ends it, and the printer behind it.
    func stop() {
        process.kill()
        printer.stop()
    }
}
