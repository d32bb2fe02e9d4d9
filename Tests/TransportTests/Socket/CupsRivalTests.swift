import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import NIOPosix
import Testing

@testable import KioskSocket

/// CUPS prints on the same one-client printer.
@Suite(.enabled(if: CupsBackend.obstacle == nil, "CUPS's backends need root, and `Scripts/bootstrap test`"))
struct CupsRivalTests {
    private static func occurrences(of text: String, in paper: [UInt8]) -> Int {
        String(decoding: paper, as: UTF8.self).split(separator: text, omittingEmptySubsequences: false).count - 1
    }

    @Test func `each waits while the other prints, and all receipts come out once`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        var deadlines = SocketTransport.Deadlines()
        deadlines.idleTimeout = .milliseconds(100)
        let transport = SocketTransport(
            settings: { _ in DeviceSettings(language: .escPOS, completion: .processID) },
            group: .singletonMultiThreadedEventLoopGroup, deadlines: deadlines)
        let target = PrinterTarget(url: try PrinterURL(printer.uri))
        _ = try await transport.contact(target)
        try await eventually("the printer is free") { try await printer.clients == 0 }

        // CUPS's document does not get through before the printer reads again.
        try await printer.perform(.stall(true))
        let long = Array(String(repeating: "CUPS's line\n", count: 5000).utf8)
        let rival = try CupsBackend.socket.print(long, title: "rival", to: printer.uri)
        try await eventually("CUPS has the printer") { try await printer.clients == 1 }
        let error = try await #require(throws: TransportError.self) {
            try await transport.deliver(.receipt("k1", Array("ours, too early".utf8)), to: target) { _ in }
        }
        #expect(error.code == .printerBusy && error.bytesAccepted == 0)
        try await printer.perform(.stall(false))
        #expect(try await rival.wait(deadline: .seconds(120)) == .exited(0))

        try await eventually("our turn") {
            do {
                return try await transport.deliver(.receipt("k2", Array("ours, in turn".utf8)), to: target) { _ in }
                    .evidence == .printed
            } catch let error as TransportError where error.code == .printerBusy {
                return false
            }
        }
        // Our idle connection is closed, so that CUPS gets its turn.
        let second = try CupsBackend.socket.print(Array("CUPS's second\n".utf8), title: "second", to: printer.uri)
        #expect(try await second.wait(deadline: .seconds(120)) == .exited(0))
        await transport.shutDown()
        let paper = try await printer.paper
        #expect(Self.occurrences(of: "CUPS's line\n", in: paper) == 5000)
        #expect(Self.occurrences(of: "CUPS's second\n", in: paper) == 1)
        #expect(Self.occurrences(of: "ours, in turn", in: paper) == 1)
        #expect(Self.occurrences(of: "ours, too early", in: paper) == 0)
        try await printer.stop()
    }
}
