import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Jobs by role through the daemon to a printer with IPP over USB: Debian's ippeveprinter behind emulated endpoints.
@Suite(.timeLimit(.minutes(10))) struct KioskdIPPOverUSBTests {
    private static let url = "usb://EPSON/TM-T20II?serial=OFFICE1"

    private func bus(http: String) async throws -> USBEmulator {
        try await USBEmulator([
            "--device", "--serial", "OFFICE1", "--interface", "7/1/2", "--alternate", "7/1/4", "--http", http,
            "--interface", "7/1/4", "--http", http,
        ])
    }

    private func ended(_ job: Job, _ daemon: KioskdFixture) async throws -> Job {
        try await eventuallyValue("the job's end") {
            let now = try await daemon.client().job(job.id)
            return now.state.isFinal ? now : nil
        }
    }

    @Test func `a job by role is printed, as the printer itself says`() async throws {
        let eve = try await EvePrinter()
        let usb = try await bus(http: "127.0.0.1:\(eve.port)")
        let daemon = try await KioskdFixture(usb: usb)
        let found = try await daemon.kioskctl("discover", "--usb")
        #expect(found.standardOutput.contains("speaks     IPP over USB"))
        let added = try await daemon.kioskctl("printers", "add", "office", Self.url, "--role", "receipt")
        #expect(added.end == .exited(0), "\(added.standardError)")
        #expect(added.standardOutput.contains("Test Printer"), "\(added.standardOutput)")
        let printed = try await daemon.kioskctl("print", "-", "--role", "receipt", "--wait", input: "Tea 2.50\n")
        #expect(printed.end == .exited(0), "\(printed.standardError)")
        #expect(printed.standardOutput.contains("printed (printer's own confirmation)"), "\(printed.standardOutput)")
        #expect(try readFile(try #require(try eve.keptFiles().first)) == Array("Tea 2.50\n".utf8))
    }

    @Test func `a printer whose IPP is switched off is driven raw`() async throws {
        let usb = try await bus(http: "404")
        let paper = try await usb.usePaper()
        let daemon = try await KioskdFixture(printers: [Self.url], usb: usb)
        let printed = try await daemon.kioskctl(
            "print", "-", "--role", "receipt", "--type", "application/vnd.escpos", "--wait", input: "Tea 2.50\n")
        #expect(printed.end == .exited(0), "\(printed.standardOutput)\(printed.standardError)")
        #expect(String(decoding: try readFile(paper), as: UTF8.self).contains("Tea 2.50"))
    }

    @Test func `a job whose printer is not plugged in waits, and prints when it is`() async throws {
        let eve = try await EvePrinter()
        let usb = try await bus(http: "127.0.0.1:\(eve.port)")
        try await usb.control("0 unplug")
        let daemon = try await KioskdFixture(printers: [Self.url], usb: usb)
        let job = try await daemon.client().submit(text: "Tea 2.50\n")
        try await usb.control("0 plug")
        let end = try await ended(job, daemon)
        #expect(end.state == .completed)
        #expect(end.evidence == .printed)
    }

    @Test
    func `a job whose printer is pulled out in the middle is settled when it is back, and no copy comes twice unsaid`()
        async throws
    {
        let eve = try await EvePrinter()
        let usb = try await bus(http: "127.0.0.1:\(eve.port)")
        let daemon = try await KioskdFixture(printers: [Self.url], usb: usb)
        let document = [UInt8](repeating: 0x41, count: 2_000_000)
        for interface in 0...1 { try await usb.control("0.\(interface) unplug-at 700000") }
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: "receipt")
        parameters.format = .escPOS
        let job = try await daemon.client().submit(.bytes(document), parameters)
        try await eventually("the cable to be pulled") {
            try await usb.statistics()["plugged"] == "0"
        }
        for interface in 0...1 { try await usb.control("0.\(interface) unplug-at off") }
        try await usb.control("0 plug")
        let end = try await eventuallyValue("the job's settling") {
            let now = try await daemon.client().job(job.id)
            return now.state.isFinal || now.isUnconfirmed ? now : nil
        }
        let whole = try eve.keptFiles().filter { try readFile($0) == document }
        #expect(whole.count <= 1)
        #expect(whole.count == 1 || end.state != .completed, "\(end)")
    }
}
