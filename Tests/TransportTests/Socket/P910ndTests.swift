import Foundation
import KioskPrintModel
import KioskTestSupport
import NIOPosix
import Testing

@testable import KioskSocket

/// Debian's p910nd and ser2net in front of a serial line: raw TCP servers that nobody here wrote, as print servers have
/// them.
@Suite(.serialized) struct P910ndTests {
    private static func makeTransport() -> SocketTransport {
        SocketTransport(
            settings: { _ in DeviceSettings(language: .escPOS, completion: .processID) },
            group: .singletonMultiThreadedEventLoopGroup)
    }

    @Test(arguments: PrintServer.Program.allCases)
    fileprivate func `receipts arrive byte for byte, in order, and are confirmed`(
        program: PrintServer.Program
    ) async throws {
        let server = try await PrintServer(program)
        defer { server.stop() }
        let transport = Self.makeTransport()
        let series = ReceiptSeries()
        try await series.deliver(over: transport, to: try server.target)
        await transport.shutDown()
        #expect(series.isPrinted(on: server.paper))
    }

    @Test func `a receipt is not sent while p910nd serves another, and does not come out later`() async throws {
        let server = try await PrintServer(.p910nd)
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

/// A raw TCP server, and behind its serial line a simulated ESC/POS printer.
private final class PrintServer: Sendable {
    enum Program: String, CaseIterable {
        case p910nd, ser2net
    }

    private let port: Int
    private let address: UInt32
    private let process: ChildProcess
    private let printer: SerialLinePrinter
    private let folder: TemporaryFolder

    var paper: [UInt8] { printer.paper }
    var target: PrinterTarget {
        get throws { PrinterTarget(url: try PrinterURL("socket://\(Self.text(address)):\(port)")) }
    }

    func connect(_ socket: LoopbackSocket) throws { try socket.connect(to: port, host: address) }

    init(_ program: Program) async throws {
        printer = try SerialLinePrinter()
        // An address of its own: whoever answers there is this one.
        address = 0x7F00_0000 | UInt32.random(in: 0x1_0001...0xFF_FFFE)
        (port, folder) = (9100, try TemporaryFolder("print-server"))
        let (text, device) = (Self.text(address), printer.line.device)
        let arguments: [String]
        switch program {
        case .p910nd:
            try FileManager.default.createDirectory(atPath: "/var/lock/p910nd", withIntermediateDirectories: true)
            arguments = ["-d", "-b", "-f", device, "-i", text, "0"]
        case .ser2net:
            let settings = try folder.write(
                """
                connection: &printer
                  accepter: tcp,\(text),\(port)
                  connector: serialdev,\(device),115200n81,local

                """, to: "ser2net.yaml")
            arguments = ["-n", "-d", "-u", "-c", settings, "-P", folder.appending("ser2net.pid")]
        }
        process = try ChildProcess(
            InstalledProgram.path(program.rawValue, package: program.rawValue), arguments)
        // Where another p910nd has the port's lock, it waits for that.
        try await eventually(program.rawValue) {
            guard process.isRunning else { throw TestSupportError("it ended: \(process.standardError)") }
            return (try? LoopbackSocket().connect(to: port, host: address)) != nil
        }
    }

    private static func text(_ address: UInt32) -> String {
        [24, 16, 8, 0].map { String(address >> $0 & 0xFF) }.joined(separator: ".")
    }

    /// Ends it, and the printer behind it.
    func stop() {
        process.kill()
        printer.stop()
    }
}
