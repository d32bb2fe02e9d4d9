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
        let nowhere = try await KioskctlProgram.run(["discover"])
        #expect(nowhere.end == .exited(64))
        #expect(nowhere.standardError.contains("--usb"))
    }
}
