import Foundation
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import KioskSerial

/// Serial lines whose other end is a program that nobody here wrote. It leads on to a simulated printer over TCP.
@Suite(.timeLimit(.minutes(5))) struct SerialPeerTests {
    enum Peer: String, CaseIterable {
        case socat, ser2net
    }

    /// A program that makes a serial port and joins it to a TCP port.
    private struct Line {
        let process: ChildProcess
        let path: String

        init(_ peer: Peer, to port: Int, in folder: TemporaryFolder) async throws {
            path = folder.appending("printer")
            let path = path
            switch peer {
            case .socat:
                process = try Socat.serialPort(path, to: port)
            case .ser2net:
                let settings = try folder.write(
                    """
                    connection: &printer
                      accepter: conacc,pty(link=\(path))
                      connector: tcp,127.0.0.1,\(port)

                    """, to: "ser2net.yaml")
                process = try ChildProcess(
                    InstalledProgram.path("ser2net", package: "ser2net"),
                    ["-n", "-d", "-u", "-c", settings, "-P", folder.appending("ser2net.pid")])
            }
            try await eventually("the port of \(peer.rawValue)") {
                FileManager.default.fileExists(atPath: path)
            }
        }
    }

    private static func makeTransport(_ completion: DeviceSettings.Completion = .processID) -> SerialTransport {
        SerialTransport(settings: { _ in DeviceSettings(language: .escPOS, completion: completion) })
    }

    @Test(arguments: Peer.allCases, [Evidence.printed, .processed])
    func `receipts arrive byte for byte, in order, and are confirmed`(peer: Peer, evidence: Evidence) async throws {
        let printer = try await SimulatedRawPrinter.start()
        let folder = try TemporaryFolder("serial")
        let line = try await Line(peer, to: printer.port, in: folder)
        let transport = Self.makeTransport(evidence == .printed ? .processID : .statusRequest)
        let target = PrinterTarget(url: try PrinterURL("serial:\(line.path)?baud=230400"))
        // ser2net may set its port up anew when it is first opened.
        try await eventually("the printer behind the line") {
            (try? await transport.contact(target))?.availability.state == .ready
        }
        let series = ReceiptSeries()
        try await series.deliver(over: transport, to: target, evidence: evidence)
        await transport.shutDown()
        #expect(series.isPrinted(on: try await printer.paper))
        try await printer.stop()
        line.process.kill()
    }

    @Test func `socat's end is an unplugged adapter, and its return a plugged one`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let folder = try TemporaryFolder("serial")
        let line = try await Line(.socat, to: printer.port, in: folder)
        let transport = Self.makeTransport()
        let target = PrinterTarget(url: try PrinterURL("serial:\(line.path)?baud=115200"))
        _ = try await transport.deliver(.receipt("k1", Array("first\n".utf8)), to: target) { _ in }
        var news = try #require(transport.news()).makeAsyncIterator()
        line.process.signal(SIGTERM)
        var isGone = false
        while !isGone, let next = await news.next() {
            if case .disappeared(let why) = next.kind { isGone = why.contains("plug it in") }
        }
        #expect(isGone)
        try await line.process.wait()
        let again = try await Line(.socat, to: printer.port, in: folder)
        try await eventually("the port to be open again") {
            (try? await transport.contact(target))?.availability.state == .ready
        }
        try await eventually("the second receipt") {
            (try? await transport.deliver(.receipt("k2", Array("second\n".utf8)), to: target) { _ in })?.evidence
                == .printed
        }
        await transport.shutDown()
        try await printer.stop()
        again.process.kill()
    }
}
