import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// A PDF by role through each transport to a printer that cannot read it, and what the printer got.
@Suite(.timeLimit(.minutes(10))) struct KioskdDocumentRoutesTests {
    private static let pages = 3

    private static let pdf: [UInt8] = {
        var writer = PDFWriter()
        for page in 1...pages { writer.addTextPage(["Page \(page)"], size: 72) }
        return writer.bytes
    }()

    private func submit(to daemon: KioskdFixture) async throws -> Job {
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: "document")
        parameters.format = .pdf
        parameters.ticket.media = "iso_a4_210x297mm"
        let client = daemon.client()
        defer { client.close() }
        return try await client.submit(.bytes(Self.pdf), parameters)
    }

    private func settled(_ id: Job.ID, _ daemon: KioskdFixture) async throws -> Job {
        let client = daemon.client()
        defer { client.close() }
        return try await eventuallyValue("the end of the job") {
            let job = try await client.job(id)
            return job.isSettled ? job : nil
        }
    }

    private func registry(_ url: String, profile: String) -> String {
        """
        version: 1
        printers:
          - { id: laser, url: "\(url)", profile: \(profile) }
        roles:
          document:
            printers: [laser]

        """
    }

    /// The number of pages that Ghostscript finds in a file of PostScript, its PJL around it left out.
    private func postScriptPages(_ bytes: [UInt8]) async throws -> Int {
        let folder = try TemporaryFolder("postscript")
        let text = Data(bytes)
        guard let begin = text.range(of: Data("%!PS".utf8)), let end = text.range(of: Data("%%EOF".utf8)) else {
            throw TestSupportError("this is no PostScript: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        }
        let path = try folder.write(Array(text[begin.lowerBound..<end.upperBound]), to: "document.ps")
        let run = try await ChildProcess.run(
            try InstalledProgram.path("gs", package: "ghostscript"),
            ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=bbox", path])
        guard run.end.isSuccess else { throw TestSupportError("gs: \(run.standardError)") }
        return run.standardError.components(separatedBy: "%%HiResBoundingBox").count - 1
    }

    @Test func `a Unix host's lpr and its CUPS get PostScript of all pages`() async throws {
        let host = try await KioskdUnixHost(profile: "generic-postscript", role: "document")
        let job = try await settled(submit(to: host.daemon).id, host.daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.evidence == .accepted)
        #expect(job.pages == Self.pages)
        try await eventually("the paper") { try host.paper().count == 1 }
        let paper = try #require(try host.paper().first)
        #expect(try await postScriptPages(paper) == Self.pages)
        try await host.daemon.terminate()
    }

    @Test func `a laser printer on USB gets PCL of all pages`() async throws {
        let usb = try await USBEmulator(["--device", "--serial", "T1"])
        let paper = try await usb.usePaper()
        let daemon = try await KioskdFixture(
            registry: registry("usb://EPSON/TM-T20II?serial=T1", profile: "generic-pcl"),
            arguments: ["--profiles", ShippedProfiles.folder], usb: usb)
        let job = try await settled(submit(to: daemon).id, daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.pages == Self.pages)
        // Each page ends its raster (`ESC * r C`, PCL 5 Technical Reference) and leaves the printer.
        let bytes = Data(try readFile(paper))
        #expect(bytes.ranges(of: Data("\u{1B}*rC\u{0C}".utf8)).count == Self.pages, "\(bytes.count) bytes")
        try await daemon.terminate()
    }

    @Test func `a printer of raster with IPP over USB prints page by page`() async throws {
        var options = EvePrinter.Options()
        options.formats = ["image/pwg-raster", "image/urf"]
        options.arguments = ["-s", "10"]
        let eve = try await EvePrinter(options)
        let http = "127.0.0.1:\(eve.port)"
        let usb = try await USBEmulator([
            "--device", "--serial", "OFFICE1", "--interface", "7/1/2", "--alternate", "7/1/4", "--http", http,
            "--interface", "7/1/4", "--http", http,
        ])
        let daemon = try await KioskdFixture(
            printers: ["usb://EPSON/TM-T20II?serial=OFFICE1"], role: "document", usb: usb)
        let job = try await settled(submit(to: daemon).id, daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.evidence == .printed)
        #expect(job.pages == Self.pages)
        #expect(try eve.keptFiles().count == 1)
        try await daemon.terminate()
    }

    @Test func `a renderer that is killed before a raw printer gets anything costs no page and doubles none`()
        async throws
    {
        let host = try await KioskdUnixHost(stop: .unread, profile: "generic-postscript", role: "document")
        let id = try await submit(to: host.daemon).id
        // Whatever renders now, and the spare, a few times over.
        for _ in 0..<20 {
            for child in try childProcesses(of: host.daemon.process.processID)
            where programName(of: child) == "kiosk-render" { kill(child, SIGKILL) }
            try await Task.sleep(for: .milliseconds(5))
        }
        try host.letGo()
        let job = try await settled(id, host.daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        try await eventually("the paper") { try host.paper().count == 1 }
        #expect(try await postScriptPages(try #require(try host.paper().first)) == Self.pages)
        try await host.daemon.terminate()
    }
}
