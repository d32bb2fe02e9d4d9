import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskTestSupport
import Testing

/// A receipt in markup from the caller to the paper, over each way that has no IPP: what arrives is read by a printer
/// that shares no code with the encoder, and is what the corpus has for it.
@Suite(.timeLimit(.minutes(10))) struct KioskdReceiptPathsTests {
    private static func golden(_ name: String) -> String {
        ShippedProfiles.folder + "/../Tests/Golden/receipts/" + name
    }
    private static let name = "till-german"

    private func submit(to daemon: KioskdFixture) async throws -> Job {
        let response = try await daemon.curl(
            "/v1/jobs?role=receipt&wait=300&drawer=true",
            ["-H", "Content-Type: text/receiptline", "--data-binary", "@\(Self.golden("\(Self.name).receipt"))"])
        return try response.json(Job.self)
    }

    private static func letters(_ text: some StringProtocol) -> String { String(text.filter { !$0.isWhitespace }) }

    /// That this is the receipt, once, cut once, and the drawer opened once.
    private func expectReceipt(_ bytes: [UInt8]) throws {
        let paper = try PrintedReceipt.read(bytes)
        #expect(paper.faults.map(\.line) == [])
        // The preview of the corpus says in words where it is cut.
        let preview = String(decoding: try readFile(Self.golden("\(Self.name).txt")), as: UTF8.self)
        let lines = preview.split(separator: "\n").filter { !$0.contains("╌") }
        #expect(Self.letters(paper.text) == Self.letters(lines.joined()))
        #expect(paper.cuts.count == 1)
        #expect(paper.count("ESC p") == 1, "\(paper.dump)")
        // Dot by dot what the simulated printer drew of the corpus.
        #expect(
            try PNGRows(PNGFile.bytes(paper.picture, dotsPerInch: 203))
                == PNGRows(readFile(Self.golden("\(Self.name).escpos.png"))))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can start the daemon as another user"))
    func `over USB, and the printer confirms it`() async throws {
        let user = KioskdFixture.User(name: "nobody", group: "lp")
        let usb = try await USBEmulator(["--device", "--serial", "T1", "--mode", "0660", "--group", user.group])
        let paper = try await usb.usePaper()
        let daemon = try await KioskdFixture(
            registry: KioskdFixture.registry(["usb://EPSON/TM-T20II?serial=T1"]),
            arguments: ["--profiles", ShippedProfiles.folder], user: user, usb: usb)
        let job = try await submit(to: daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.evidence == .printed)
        #expect(job.remarks == nil)
        #expect(try await usb.statistics()["cuts"] == "1")
        try expectReceipt(readFile(paper))
        #expect(job.attempts == 1)
        try await daemon.terminate()
    }

    @Test func `over SSH, through the host's own lpr and CUPS`() async throws {
        let host = try await KioskdUnixHost(profile: "epson-tm")
        let job = try await submit(to: host.daemon)
        #expect(job.state == .completed, "\(job.message ?? "") \(host.daemon.log)")
        #expect(job.evidence == .accepted)
        #expect(job.attempts == 1)
        #expect(job.remarks == nil)
        let bytes = try await eventuallyValue("the paper") { try host.paper().first }
        try expectReceipt(bytes)
        try await host.daemon.terminate()
        #expect(try host.paper().count == 1)
    }
}
