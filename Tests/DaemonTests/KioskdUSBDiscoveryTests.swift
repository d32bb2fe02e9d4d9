import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import kioskd

/// The daemon's own look at an emulated USB bus.
@Suite(.timeLimit(.minutes(10))) struct KioskdUSBDiscoveryTests {
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

    @Test func `a URL that may be another one with the rights is told as such`() async throws {
        let usb = try await USBEmulator([
            "--device", "--serial", "\\xC3\\xA9", "--port", "1", "--mode", "000", "--device", "--serial", "R2",
            "--port",
            "2", "--mode", "000",
        ])
        let daemon = try await KioskdFixture(usb: usb)
        let printers = try await discover(daemon)
        #expect(
            printers.map { $0.warnings.contains { $0.contains("look again before you save it") } } == [true, false])
    }

    @Test func `without udevd's messages a printer that is plugged in prints what waits, and health and log say so`()
        async throws
    {
        let usb = try await USBEmulator(["--device", "--serial", "M1", "--unplugged"])
        let daemon = try await KioskdFixture(printers: ["usb://EPSON/TM-T20II?serial=M1"], usb: usb)
        let client = daemon.client()
        defer { client.close() }
        try await eventually("the printer is missed") {
            try await client.printers().first?.availability.state == .unreachable
        }
        try await usb.control("bus messages off")
        let paper = try await usb.usePaper()
        let job = try await client.submit(text: "one coffee\n", format: .escPOS)
        try await usb.control("0 plug")
        try await eventually("it is printed") { try await client.job(job.id).state == .completed }
        #expect(try String(contentsOfFile: paper, encoding: .isoLatin1).contains("one coffee"))
        try await eventually("health says so") {
            try await client.health().checks.contains { $0.code == "usb-without-messages" && $0.status == .ok }
        }
        try await eventually("it is logged") { daemon.log.contains("no messages about USB devices arrive") }
        #expect(try await daemon.kioskctl("health").standardOutput.contains("no messages about USB devices arrive"))
        // Replugged, it is found again.
        try await usb.control("0 unplug")
        try await usb.control("0 plug")
        let next = try await client.submit(text: "one tea\n", format: .escPOS)
        try await eventually("it is printed too") { try await client.job(next.id).state == .completed }
        #expect(try String(contentsOfFile: paper, encoding: .isoLatin1).contains("one tea"))
    }

    @Test func `the kernel's driver gets back what a killed daemon had taken from it`() async throws {
        let usb = try await USBEmulator(["--device", "--serial", "K1", "--kernel-driver", "on"])
        let daemon = try await KioskdFixture(printers: ["usb://EPSON/TM-T20II?serial=K1"], usb: usb)
        try await eventually("it is open") { try await usb.statistics()["driver"] == "usbfs" }
        try await daemon.kill()
        // The emulated kernel takes a moment to notice.
        try await eventually("it is let go of") { try await usb.statistics()["driver"] == "none" }
        try daemon.folder.write("version: 1\n", to: "printers.yaml")
        try await daemon.start()
        #expect(try await usb.statistics()["driver"] == "usblp")
        try await eventually("it is logged") { daemon.log.contains("has the printer at port 1-1 back") }
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
