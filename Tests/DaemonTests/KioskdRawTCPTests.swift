import KioskAPI
import KioskDaemonSupport
import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Receipts by role to a printer that takes raw data over TCP.
@Suite struct KioskdRawTCPTests {
    private static let receipt = "^Corner Café\n-\nTea | 2.50\nTOTAL | 2.50\n"

    private func daemon(
        _ printer: SimulatedRawPrinter, profile: String = "epson-tm", role: String = "receipt"
    ) async throws -> KioskdFixture {
        try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "\(printer.uri)/?waiteof=false", profile: \(profile) }
                roles:
                  \(role):
                    printers: [till-1]

                """, arguments: ["--profiles", ShippedProfiles.folder])
    }

    private func print(
        _ receipt: String = receipt, role: String = "receipt", on daemon: KioskdFixture
    ) async throws -> Job {
        try await daemon.curl(
            "/v1/jobs?role=\(role)&wait=300", ["-H", "Content-Type: text/receiptline", "--data-binary", receipt],
            deadline: .seconds(600)
        ).json(Job.self)
    }

    @Test func `a receipt in markup is laid out for the printer's profile, and its paper is confirmed`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let daemon = try await daemon(printer)
        let job = try await print(on: daemon)
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        var paper = try PaperPrinter(PaperModel())
        let printed = paper.print(try await printer.paper, as: .escPOS)
        #expect(printed[0].text.contains("TOTAL"))
        #expect(printed[0].faults.isEmpty)
        #expect(printed[0].cuts.count == 1)
        try await printer.stop()
    }

    @Test func `a label in markup reaches a ZPL printer whole, and its odometer proves it`() async throws {
        var options = SimulatedRawPrinter.Options()
        options.language = .zpl
        let printer = try await SimulatedRawPrinter.start(options)
        let daemon = try await daemon(printer, profile: "zebra-4-inch", role: "label")
        let job = try await print(role: "label", on: daemon)
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        var paper = try PaperPrinter(PaperModel())
        let label = try await printer.paper
        #expect(label.starts(with: "^XA".utf8) && label.suffix(3).elementsEqual("^XZ".utf8))
        #expect(paper.print(label, as: .zpl).count == 1)
        try await printer.stop()
    }

    @Test func `pages to a PJL printer arrive byte for byte, and count as printed when the last one is out`()
        async throws
    {
        var options = SimulatedRawPrinter.Options()
        options.language = .pjl
        let printer = try await SimulatedRawPrinter.start(options)
        let daemon = try await daemon(printer, profile: "generic-pjl", role: "document")
        let pages = "one\u{0C}two\u{0C}"
        let job = try await daemon.curl(
            "/v1/jobs?role=document&wait=300",
            ["-H", "Content-Type: application/octet-stream", "--data-binary", pages], deadline: .seconds(600)
        ).json(Job.self)
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        #expect(try await printer.paper == Array(pages.utf8))
        try await printer.stop()
    }

    @Test func `a receipt waits for paper, and a killed daemon finds out that it may have been printed`() async throws {
        let printer = try await SimulatedRawPrinter.start()
        let daemon = try await daemon(printer)
        _ = try await print("first", on: daemon)
        try await printer.perform(.set(.paperOut, true))
        let client = daemon.client()
        defer { client.close() }
        let waiting = try await client.submit(text: "second\n", format: .receiptLine)
        try await eventually("the printer to be stopped") {
            try await client.printer(PrinterID(rawValue: "till-1")!).availability.state == .stopped
        }
        try await daemon.kill()
        try await daemon.start()
        try await printer.perform(.set(.paperOut, false))
        let job = try await client.job(waiting.id, wait: .seconds(300))
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        let text = String(decoding: try await printer.paper, as: UTF8.self)
        #expect(text.ranges(of: "second").count == 1)
        try await printer.stop()
    }

    @Test func `an exchanged printer gets nothing until somebody trusts it, also after a restart`() async throws {
        var options = SimulatedRawPrinter.Options()
        options.port = try freePort()
        let first = try await SimulatedRawPrinter.start(options)
        let daemon = try await daemon(first)
        #expect(try await print("first", on: daemon).evidence == .printed)
        let client = daemon.client()
        defer { client.close() }
        let id = PrinterID(rawValue: "till-1")!
        try await eventually("its serial number to be stored") {
            _ = try await client.contact(id)
            return try await client.printer(id).description?.learned?.device?.serialNumber == "SIM0000001"
        }
        try await first.stop()
        options.names.serial = "SIM0000002"
        // A child that is just being started holds the old listener for a moment.
        let second = try await eventuallyValue("the port") { [options] in try? await SimulatedRawPrinter.start(options)
        }
        try await daemon.kill()
        try await daemon.start()
        let waiting = try await client.submit(text: "second\n", format: .receiptLine)
        let check = try await eventuallyValue("what health says") {
            try await daemon.curl("/v1/health").json(HealthReport.self).checks.first { $0.code == "identity-changed" }
        }
        #expect(check.status == .critical && check.subject == "till-1", "\(check.message)")
        let status = try await client.printer(id)
        #expect(status.availability.state == .stopped)
        #expect(status.availability.reasons.map(\.keyword) == ["identity-changed"])
        #expect(try await !client.job(waiting.id).isSettled)
        #expect(!String(decoding: try await second.paper, as: UTF8.self).contains("second"))

        let shown = try await daemon.kioskctl("printers", "trust", "till-1")
        #expect(shown.standardError.contains("SIM0000002") || shown.standardOutput.contains("SIM0000002"))
        let device = try #require(try await client.inspectTrust(of: id).device)
        let trusted = try await daemon.kioskctl(
            "printers", "trust", "till-1", "--yes", "--fingerprint", device.fingerprint.description)
        #expect(trusted.end == .exited(0), "\(trusted.standardError)")
        let job = try await client.job(waiting.id, wait: .seconds(300))
        #expect(job.state == .completed && job.evidence == .printed, "\(job.message ?? "")")
        try await second.stop()
    }
}
