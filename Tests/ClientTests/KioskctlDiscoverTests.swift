import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import kioskctl

@Suite struct KioskctlDiscoverTests {
    private static func printer(_ change: (inout DiscoveredPrinter) -> Void = { _ in }) throws -> DiscoveredPrinter {
        var printer = DiscoveredPrinter(
            url: try PrinterURL("usb://EPSON/TM-T20II?serial=X1"), makeAndModel: "EPSON TM-T20II", port: "1-2.4",
            jobTypes: [.receipt, .roll], suggestedID: try Samples.printer("tm-t20ii"))
        change(&printer)
        return printer
    }

    @Test func `shows each printer with the command that saves it`() async throws {
        let list = DiscoveredPrinterList(printers: [
            try Self.printer(),
            try Self.printer { printer in
                printer.makeAndModel = "HP LaserJet\u{1B}[31m"
                printer.url = try! PrinterURL("usb://HP/LaserJet?serial=it's")
                printer.hasIPPOverUSB = true
                printer.jobTypes = nil
                printer.owner = .kernelDriver
                printer.driver = "usblp"
                printer.suggestedID = try! Samples.printer("laserjet")
                printer.warnings = ["another printer has the same serial number"]
            },
        ])
        let server = try KioskctlProgram.server([Samples.json(list)])
        let result = try await KioskctlProgram.run(["discover", "--usb"], server)
        #expect(result.end == .exited(0))
        #expect(server.received.map(\.path) == ["/v1/discovered-printers?scheme=usb"])
        #expect(
            result.standardOutput == #"""
                EPSON TM-T20II
                  url        usb://EPSON/TM-T20II?serial=X1
                  port       1-2.4
                  job types  receipt, roll
                  state      free
                  add it     kioskctl printers add tm-t20ii 'usb://EPSON/TM-T20II?serial=X1'

                HP LaserJet\u{1b}[31m
                  url        usb://HP/LaserJet?serial=it's
                  port       1-2.4
                  job types  unknown
                  speaks     IPP over USB
                  state      the kernel's driver usblp has it, and gives way
                  warning    another printer has the same serial number
                  add it     kioskctl printers add laserjet 'usb://HP/LaserJet?serial=it'\''s'

                """#)
    }

    @Test func `says who has a printer, and who may not open it`() throws {
        #expect(try DiscoveryText.state(Self.printer { $0.savedAs = $0.suggestedID }) == "saved as tm-t20ii")
        #expect(
            try DiscoveryText.state(Self.printer { $0.owner = .program })
                == "another program has it open; end that first")
        #expect(try DiscoveryText.state(Self.printer { $0.owner = .daemon }) == "open in kioskd")
        #expect(
            try DiscoveryText.state(
                Self.printer { ($0.savedAs, $0.owner, $0.isAccessible) = ($0.suggestedID, .daemon, false) })
                == "saved as tm-t20ii; kioskd may not open it")
    }

    @Test func `a saved printer is not offered again`() throws {
        #expect(try DiscoveryText.details(Self.printer()).contains("add it"))
        #expect(try !DiscoveryText.details(Self.printer { $0.savedAs = $0.suggestedID }).contains("add it"))
    }

    @Test func `writes JSON as the API has it`() async throws {
        let list = DiscoveredPrinterList(printers: [try Self.printer { $0.savedAs = $0.suggestedID }])
        let server = try KioskctlProgram.server([Samples.json(list)])
        let result = try await KioskctlProgram.run(["discover", "--usb", "--json"], server)
        #expect(try APIJSON.decode(DiscoveredPrinterList.self, from: Array(result.standardOutput.utf8)) == list)
    }

    @Test func `says so where nothing is there, and where nobody can look`() async throws {
        let server = try KioskctlProgram.server([Samples.json(DiscoveredPrinterList(printers: []))])
        let none = try await KioskctlProgram.run(["discover", "--usb"], server)
        #expect(none.end == .exited(0))
        #expect(none.standardOutput.isEmpty)
        #expect(none.standardError.contains("kioskd sees no printer"))
        let away = try await KioskctlProgram.run(["discover", "--usb"])
        #expect(away.end == .exited(69))
        #expect(away.standardError.contains("kioskd"))
    }

    // MARK: The stream

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// A daemon that sends these events and ends the response, or breaks off.
    private static func server(_ events: [DiscoveryEvent], breaksOff: Bool = false) throws -> ScriptedServer {
        let text = try events.map { event in
            let bytes = try event.serverSentEvent().encoded
            return "\(String(bytes.count, radix: 16))\r\n\(String(decoding: bytes, as: UTF8.self))\r\n"
        }.joined()
        return try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(head + text)
            if breaksOff { return }
            try peer.write("0\r\n\r\n")
            _ = peer.waitForEnd()
        }
    }

    private static func networkPrinter() throws -> DiscoveredPrinter {
        DiscoveredPrinter(
            url: try PrinterURL("socket://192.0.2.12"), otherURLs: [try PrinterURL("lpd://192.0.2.12/auto")],
            makeAndModel: "EPSON TM-m30", address: "192.0.2.12", location: "Kitchen\u{1B}[2J", formats: [],
            foundBy: ["dns-sd", "enpc"], suggestedID: try Samples.printer("tm-m30"), suggestedProfile: "epson-tm-m30")
    }

    private static func events() throws -> [DiscoveryEvent] {
        [
            .printer(try printer { $0.savedAs = $0.suggestedID }, number: 1), .note("look there, too"),
            .printer(try networkPrinter(), number: 2), .end,
        ]
    }

    @Test func `shows what is found on the bus and the network as it comes`() async throws {
        let server = try Self.server(Self.events())
        let result = try await KioskctlProgram.run(["discover"], server)
        #expect(result.end == .exited(0))
        #expect(server.received.map(\.path) == ["/v1/discovery"])
        #expect(result.standardError == "kioskctl: look there, too\n")
        #expect(
            result.standardOutput == #"""
                EPSON TM-T20II
                  url        usb://EPSON/TM-T20II?serial=X1
                  port       1-2.4
                  job types  receipt, roll
                  state      saved as tm-t20ii

                EPSON TM-m30
                  url       socket://192.0.2.12
                  also      lpd://192.0.2.12/auto
                  address   192.0.2.12
                  location  Kitchen\u{1b}[2J
                  found by  dns-sd, enpc
                  state     not saved
                  add it    kioskctl printers add tm-m30 'socket://192.0.2.12' --profile epson-tm-m30

                """#)
    }

    @Test func `a printer of which more is known stands once in the list`() async throws {
        var better = try Self.networkPrinter()
        better.location = "Bar"
        let more: [DiscoveryEvent] = [
            .printer(better, number: 2), .printer(try Self.networkPrinter(), number: 3), .removed(number: 3), .end,
        ]
        let server = try Self.server(Self.events().dropLast() + more)
        let result = try await KioskctlProgram.run(["discover", "--network", "--for", "10s", "--json"], server)
        #expect(server.received.map(\.path) == ["/v1/discovery?connection=network&for=10"])
        let list = try APIJSON.decode(DiscoveredPrinterList.self, from: Array(result.standardOutput.utf8))
        #expect(list.printers.map(\.location) == [nil, "Bar"])
        #expect(list.notes == ["look there, too"])
    }

    @Test func `a daemon that stops amid the search is told, and is no success`() async throws {
        let server = try Self.server(Array(Self.events().prefix(1)), breaksOff: true)
        let result = try await KioskctlProgram.run(["discover", "--usb", "--network"], server)
        #expect(result.end == .exited(69))
        #expect(result.standardOutput.contains("saved as tm-t20ii"))
        #expect(result.standardError.contains("kioskd stopped, and the search with it"))
    }

    @Test func `says so where nothing is found`() async throws {
        let result = try await KioskctlProgram.run(["discover"], try Self.server([.end]))
        #expect(result.end == .exited(0))
        #expect(result.standardError.contains("no printer is on the USB bus, and none on the network"))
        let network = try await KioskctlProgram.run(["discover", "--network"], try Self.server([.end]))
        #expect(network.standardError.contains("no printer on the network"))
        #expect(try await KioskctlProgram.run(["discover", "--for", "2h"]).end == .exited(64))
    }

    @Test func `the client for other programs reads the same events`() async throws {
        let events = try Self.events()
        let server = try Self.server(events)
        let client = KioskClient(socket: SocketLocation(path: server.path))
        defer { client.close() }
        var read: [DiscoveryEvent] = []
        for try await event in client.discover() { read.append(event) }
        #expect(read == events)
    }
}
