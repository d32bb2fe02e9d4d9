import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import kioskd

/// The daemon's own look at an emulated USB bus.
@Suite(.timeLimit(.minutes(2))) struct KioskdUSBDiscoveryTests {
    private func discover(_ daemon: KioskdFixture) async throws -> [DiscoveredPrinter] {
        let result = try await daemon.kioskctl("discover", "--usb", "--json")
        #expect(result.end == .exited(0), "\(result.standardError)")
        return try APIJSON.decode(DiscoveredPrinterList.self, from: Array(result.standardOutput.utf8)).printers
    }

    @Test func `printers on the bus are listed with what they are, who has them and how to save them`() async throws {
        let usb = try await USBEmulator([
            "--device", "--serial", "T1", "--port", "1", "--kernel-driver", "on",
            "--device", "--serial", "SAME", "--port", "2", "--busy", "on",
            "--device", "--serial", "SAME", "--port", "3",
            "--device", "--serial", "I1", "--port", "4", "--model", "Office 5", "--device-id",
            "MFG:ACME;MDL:Office 5;CMD:PWGRaster;", "--interface", "7/1/2", "--alternate", "7/1/4",
        ])
        let daemon = try await KioskdFixture(
            printers: ["usb://ACME/Office%205?serial=I1"], usb: usb)
        let printers = try await discover(daemon)
        try #require(printers.map(\.port) == ["1-1", "1-2", "1-3", "1-4"])
        #expect(printers[0].url.description == "usb://EPSON/TM-T20II?serial=T1")
        #expect(printers[0].makeAndModel == "EPSON TM-T20II")
        #expect(printers[0].jobTypes == [.receipt, .roll])
        #expect(printers[0].owner == .kernelDriver)
        #expect(printers[0].driver == "usblp")
        #expect(printers[0].suggestedID.rawValue == "tm-t20ii")
        #expect(printers[0].warnings.isEmpty)
        #expect(printers[0].isAccessible)
        #expect(printers[1].owner == .program)
        #expect(printers[1].url.description == "usb://EPSON/TM-T20II?serial=SAME&port=1-2")
        #expect(printers[1].warnings.first?.contains("another printer has the same serial number") == true)
        #expect(printers[2].suggestedID.rawValue == "tm-t20ii-3")
        #expect(printers[3].savedAs?.rawValue == "till-1")
        #expect(printers[3].hasIPPOverUSB)

        let text = try await daemon.kioskctl("discover", "--usb")
        #expect(text.standardOutput.contains("kioskctl printers add tm-t20ii 'usb://EPSON/TM-T20II?serial=T1'"))
    }

    @Test func `without rights the rule and the command that installs it are named`() async throws {
        let usb = try await USBEmulator(["--device", "--serial", "R1", "--mode", "000"])
        let daemon = try await KioskdFixture(usb: usb)
        let printer = try #require(try await discover(daemon).first)
        #expect(!printer.isAccessible)
        let warning = try #require(printer.warnings.first)
        #expect(warning.contains("60-kioskd-usb.rules"))
        #expect(warning.contains("udevadm control --reload && udevadm trigger"))
    }

    @Test func `a name is made of the model's letters, and never given twice`() {
        var names = SuggestedNames(taken: [PrinterID(rawValue: "tm-t20ii")].compactMap(\.self))
        let models = ["TM-T20II", "TM-T20II", " Color LaserJet (5200) ", "打印机", ""]
        let given = models.map { names.next(for: $0).rawValue }
        #expect(given == ["tm-t20ii-2", "tm-t20ii-3", "color-laserjet-5200", "printer", "printer-2"])
        let long = (0..<2).map { _ in names.next(for: String(repeating: "ab ", count: 60)).rawValue }
        #expect(long.allSatisfy { $0.utf8.count <= 63 })
        #expect(long[1] == "\(long[0])-2")
    }
}
