import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Receipts in markup and JSON on their way through daemon and command line, read back from the paper.
@Suite struct KioskdMarkupTests {
    private static let receipt = "^^^\"Corner Café\"\n{width:*,3,8}\nFlat white | 2| 6.40\n-\nTOTAL || €6.40\n"

    /// The profiles of the house.
    static let profiles = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../profiles"
    ).standardized.path

    /// With printers `till-1`, `till-2` and so on of these profiles, all for the role `receipt`.
    private func daemon(
        _ printers: [(uri: String, profile: String)], folder: TemporaryFolder? = nil, arguments: [String] = []
    ) async throws -> KioskdFixture {
        let saved = printers.enumerated().map {
            "  - { id: till-\($0 + 1), url: \"\($1.uri)\", profile: \($1.profile) }\n"
        }.joined()
        let names = printers.indices.map { "till-\($0 + 1)" }.joined(separator: ", ")
        return try await KioskdFixture(
            folder: folder, registry: "version: 1\nprinters:\n\(saved)roles:\n  receipt:\n    printers: [\(names)]\n",
            arguments: ["--profiles", Self.profiles] + arguments)
    }

    private func daemon(_ printer: SimulatedPrinter) async throws -> KioskdFixture {
        try await daemon([(printer.uri, "epson-tm")])
    }

    private func submit(
        _ daemon: KioskdFixture, _ text: String, _ query: String = "role=receipt&wait=300",
        type: String = "text/receiptline"
    ) async throws -> CurlResponse {
        let file = try TemporaryFolder("receipt")
        try file.write(text, to: "text")
        return try await daemon.curl(
            "/v1/jobs?\(query)", ["-H", "Content-Type: \(type)", "--data-binary", "@\(file.appending("text"))"])
    }

    @Test func `kioskctl prints a receipt by role, and the paper says what the markup says`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer)
        let file = try daemon.folder.write(Self.receipt, to: "order.receipt")
        let result = try await daemon.kioskctl("print", file, "--role", "receipt", "--wait")
        #expect(result.end.isSuccess, "\(result.standardError)")
        #expect(result.standardOutput.contains("printed (printer's own confirmation)"))
        let paper = try #require(try await PrintedReceipt.all(of: printer).first)
        #expect(paper.faults.isEmpty)
        let words = paper.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for word in ["Corner Café", "Flat white", "6.40", "TOTAL", "€6.40"] {
            #expect(words.contains(word), "\(words)")
        }
        // Nothing said of a cut: the receipt is cut all the same.
        #expect(paper.cuts.count == 1)
        #expect(try await daemon.client().job(1).format == .receiptLine)
    }

    /// Its own, by their names.
    private func children(of process: Int32) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        return names.compactMap { child in
            guard let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8),
                status.contains("\nPPid:\t\(process)\n")
            else { return nil }
            return status.split(separator: "\n").first.map { String($0.dropFirst("Name:\t".count)) }
        }
    }

    @Test func `where receipts were printed, what draws is ready before the next; elsewhere it is not there`()
        async throws
    {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer)
        #expect(try await submit(daemon, "as it is", type: "text/plain").json(Job.self).state == .completed)
        try await daemon.terminate()
        try await daemon.start()
        #expect(try await submit(daemon, "Tea | 2.50").json(Job.self).state == .completed)
        #expect(try children(of: daemon.process.processID) == [])
        try await daemon.terminate()
        try await daemon.start()
        try await eventually("kiosk-draw") { try children(of: daemon.process.processID) == ["kiosk-draw"] }
    }

    @Test func `JSON prints the same`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer)
        let json = #"{"elements":[{"row":["Grüße"]},{"cut":"full"}]}"#
        let job = try await submit(daemon, json, type: "application/vnd.kiosk.receipt+json").json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        let paper = try #require(try await PrintedReceipt.all(of: printer).first)
        #expect(paper.text.contains("Grüße"))
    }

    @Test func `the ticket's cut, drawer and copies are the receipt's`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer)
        for ticket in ["copies=3&drawer=true&cut=full", "cut=none", "drawer=false"] {
            let text = ticket == "drawer=false" ? "{drawer:1}\ntea\n" : "tea\n=\n"
            #expect(
                try await submit(daemon, text, "role=receipt&wait=300&\(ticket)").json(Job.self).state == .completed)
        }
        let papers = try await PrintedReceipt.all(of: printer)
        #expect(papers.map(\.cuts.count) == [3, 0, 1])
        #expect(papers.map { $0.text.split(separator: "\n").filter { $0 == "tea" }.count } == [3, 1, 1])
        #expect(papers.map { $0.count("ESC p") } == [1, 0, 0])
    }

    @Test func `a mistake makes no job, and names line and column`() async throws {
        let daemon = try await daemon(try await SimulatedPrinter.start())
        let response = try await submit(daemon, "Tea|2.50\nMilk { 0.80\n")
        #expect(response.status == 422)
        let problem = try response.json(Problem.self)
        #expect(problem.code == .documentInvalid)
        let finding = try #require(problem.problems?.first)
        #expect(finding.line == 2)
        #expect(finding.column == 6)
        #expect(finding.instead != nil)
        let file = try daemon.folder.write("Tea|2.50\nMilk { 0.80\n", to: "order.receipt")
        let result = try await daemon.kioskctl("print", file, "--role", "receipt")
        #expect(result.end == .exited(1))
        #expect(result.standardError.hasPrefix("kioskctl: \(file):2:6: "), "\(result.standardError)")
        #expect(result.standardError.split(separator: "\n").count == 1)
        #expect(try await daemon.client().jobs().jobs.isEmpty)
        let large = try await submit(daemon, String(repeating: "a line of text\n", count: 300_000))
        #expect(large.status == 413)
        #expect(try await submit(daemon, String(repeating: "a line of text\n", count: 90_000)).status == 413)
    }

    @Test func `what is not heeded is remarked, and prints`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer)
        let file = try daemon.folder.write("{colour:red}\nTea\n", to: "order.receipt")
        let result = try await daemon.kioskctl("print", file, "--role", "receipt", "--wait")
        #expect(result.end.isSuccess)
        #expect(result.standardError.hasPrefix("kioskctl: \(file):1:2: "), "\(result.standardError)")
        #expect(try await daemon.client().job(1).remarks?.count == 1)
        let shown = try await daemon.kioskctl("job", "1")
        #expect(shown.standardOutput.contains("remark"))
        #expect(try await printer.documents.count == 1)
    }

    @Test func `kioskctl print --wait tells what the printer lacked, beside completed`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon([(printer.uri, "generic-text")])
        let file = try daemon.folder.write(
            "Tea|2.50\n{code:https://example.org;option:qrcode}\n", to: "order.receipt")
        let result = try await daemon.kioskctl("print", file, "--role", "receipt", "--wait")
        #expect(result.end.isSuccess)
        #expect(
            result.standardError.contains(
                "job 1: the printer draws no such codes: they were printed as what they say"),
            "\(result.standardError)")
        #expect(result.standardError.split(separator: "\n").count { $0.contains("no such codes") } == 1)
        // JSON has them in the job itself.
        let json = try await daemon.kioskctl("print", file, "--role", "receipt", "--wait", "--json")
        #expect(json.standardOutput.contains("no such codes") && !json.standardError.contains("no such codes"))
    }

    @Test func `a reprint says that it is a copy, and opens no drawer`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer)
        #expect(try await submit(daemon, "{drawer:1}\ntea\n").json(Job.self).state == .completed)
        let again = try await daemon.kioskctl("reprint", "1", "--wait")
        #expect(again.end.isSuccess, "\(again.standardError)")
        let papers = try await PrintedReceipt.all(of: printer)
        #expect(papers.map { $0.text.contains("*** COPY ***") } == [false, true])
        #expect(papers.map { $0.count("ESC p") } == [1, 0])
    }

    @Test func `a daemon that is killed before the delivery prints afterwards`() async throws {
        let folder = try TemporaryFolder("kioskd")
        let port = try freePort()
        let daemon = try await daemon([("ipp://localhost:\(port)/ipp/print", "epson-tm")], folder: folder)
        let job = try await submit(daemon, Self.receipt, "role=receipt").json(Job.self)
        #expect(!job.state.isFinal)
        try await daemon.kill()
        var options = SimulatedPrinter.Options()
        options.port = port
        let printer = try await SimulatedPrinter.start(options)
        try await daemon.start()
        let settled = try await daemon.client().job(job.id, wait: .seconds(300))
        #expect(settled.state == .completed, "\(settled.message ?? "")")
        let papers = try await PrintedReceipt.all(of: printer)
        #expect(papers.count == 1)
        #expect(papers.first?.text.contains("Corner Café") == true)
        #expect(papers.first?.text.contains("COPY") == false)
    }

    @Test func `a receipt that goes to another printer fits that one's paper`() async throws {
        let narrow = try await SimulatedPrinter.start()
        let daemon = try await daemon([
            ("ipp://localhost:\(try freePort())/ipp/print", "epson-tm"), (narrow.uri, "generic-58mm"),
        ])
        let job = try await submit(daemon, "-\n").json(Job.self)
        #expect(job.printer?.rawValue == "till-2")
        let paper = try #require(try await PrintedReceipt.all(of: narrow, dots: 384).first)
        #expect(paper.faults.isEmpty)
        #expect(paper.text.trimmingCharacters(in: .newlines) == String(repeating: "─", count: 32))
        // One that has no cutter is fed to where paper is torn off.
        #expect(paper.cuts.isEmpty)
    }

    @Test func `what the printer's own characters lack is drawn, and what no font has is remarked`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon([(printer.uri, "generic-58mm")])
        let job = try await submit(daemon, "שלום €5\n\u{E000}\n").json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.remarks?.contains { $0.contains("U+E000") } == true)
        #expect(try await daemon.client().job(job.id).remarks == job.remarks)
        let paper = try #require(try await PrintedReceipt.all(of: printer, dots: 384).first)
        #expect(paper.faults.isEmpty)
        #expect(paper.count("GS v 0") > 0, "\(paper.dump)")
    }

    /// A PNG of 8×8 whose parts are whole, and whose pixels are none.
    private static func png() -> [UInt8] {
        func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
            let content = Array(name.utf8) + bytes
            var checksum = UInt32.max
            for byte in content {
                checksum ^= UInt32(byte)
                for _ in 0..<8 { checksum = checksum & 1 == 0 ? checksum >> 1 : checksum >> 1 ^ 0xEDB8_8320 }
            }
            return [0, 0, 0, UInt8(bytes.count)] + content
                + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~checksum >> UInt32($0)) }
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", [0, 0, 0, 8, 0, 0, 0, 8, 8, 0, 0, 0, 0]) + chunk("IDAT", [1, 2, 3, 4]) + chunk("IEND", [])
    }

    @Test func `a picture that turns out to be none ends the job with a reason, and nothing of it is printed`()
        async throws
    {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await daemon(printer)
        let job = try await submit(daemon, "{image:\(Data(Self.png()).base64EncodedString())}\n").json(Job.self)
        #expect(job.state == .aborted)
        #expect(job.message?.hasPrefix("till-1 cannot print it: ") == true, "\(job.message ?? "")")
        #expect(try await printer.documents.isEmpty)
    }

    @Test func `what cannot be printed makes no job as far as it shows at once, and names line and column`()
        async throws
    {
        let daemon = try await daemon([
            ("ipp://localhost:\(try freePort())/ipp/print", "generic-58mm"),
            ("ipp://localhost:\(try freePort())/ipp/print", "epson-tm"),
        ])
        var bomb = Self.png()
        bomb.replaceSubrange(16..<24, with: [0, 0, 0x10, 0, 0, 0, 0x0F, 0])
        // One byte of the pixels is not what it was.
        var damaged = Self.png()
        damaged[42] ^= 1
        let pictures = [Array(Self.png().dropLast(22)), bomb, damaged, Array("no picture".utf8)].map {
            "{image:\(Data($0).base64EncodedString())}"
        }
        for (text, column) in pictures.map({ ($0, 8) }) + [
            ("{code:\(String(repeating: "a", count: 24))}", 7), ("{image:=}", 8),
        ] {
            let response = try await submit(daemon, "Tea|2.50\n\(text)\n")
            #expect(response.status == 422, "\(response.text)")
            let finding = try #require(try response.json(Problem.self).problems?.first)
            #expect([finding.line, finding.column] == [2, column])
        }
        // The wider of both has room for it; the other alone has not.
        let code = "{code:\(String(repeating: "a", count: 20))}\n"
        #expect(try await submit(daemon, code, "role=receipt").status == 202)
        #expect(try await submit(daemon, code, "printer=till-2").status == 202)
        #expect(try await submit(daemon, code, "printer=till-1").status == 422)
        #expect(try await daemon.client().jobs().jobs.count == 2)
    }

    @Test func `a printer for documents is not a candidate`() async throws {
        let laser = try await SimulatedPrinter.start(SimulatedPrinter.Options(.laser))
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [laser.uri, printer.uri], role: "counter")
        for id in ["till-1", "till-2"] { _ = try await daemon.curl("/v1/printers/\(id)/contact", ["-X", "POST"]) }
        #expect(
            try await submit(daemon, Self.receipt, "role=counter&wait=300").json(Job.self).printer?.rawValue == "till-2"
        )
        let response = try await submit(daemon, Self.receipt, "printer=till-1")
        #expect(response.status == 415)
        #expect(try response.json(Problem.self).detail?.contains("profile") == true)
    }

    /// As another user, with curl: what the kernel says of it counts.
    private func submit(
        _ daemon: KioskdFixture, as identity: [String], _ text: String, _ query: String
    ) async throws -> (status: String, body: String) {
        let setpriv = try InstalledProgram.path("setpriv", package: "util-linux")
        let curl = try InstalledProgram.path("curl", package: "curl")
        let result = try await ChildProcess.run(
            setpriv,
            ["--reuid", "65534", "--regid", "65534"] + identity + [
                curl, "-sS", "--unix-socket", daemon.socket, "-H", "Content-Type: text/receiptline", "--data-binary",
                text,
                "-w", "\n%{http_code}", "http://localhost/v1/jobs?\(query)",
            ])
        let lines = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    @Test(.enabled(if: geteuid() == 0)) func `drawers and raw commands are for those who may`() async throws {
        let folder = try TemporaryFolder("rights")
        #expect(chmod(folder.path, 0o711) == 0)
        let daemon = try await KioskdFixture(
            folder: folder, registry: KioskdFixture.registry(["ipp://localhost:\(try freePort())/ipp/print"]),
            arguments: ["--socket-mode", "0666", "--drawer-group", "65532", "--command-group", "65533"])
        let (nobody, teller, integrator) = (["--clear-groups"], ["--groups", "65532"], ["--groups", "65533"])
        let cases: [(who: [String], text: String, ticket: String, status: String)] = [
            (nobody, "tea", "", "202"), (nobody, "{drawer:1}", "", "403"), (nobody, "tea", "&drawer=true", "403"),
            (nobody, "{command:\\x07}", "", "403"), (nobody, "tea", "&drawer=false", "202"),
            (teller, "{drawer:1}", "", "202"), (teller, "tea", "&drawer=true", "202"),
            (teller, "{command:\\x07}", "", "403"),
            (integrator, "{drawer:1}", "&drawer=true", "202"), (integrator, "{command:\\x07}", "", "202"),
        ]
        for (who, text, ticket, status) in cases {
            let response = try await submit(daemon, as: who, text, "role=receipt\(ticket)")
            #expect(response.status == status, "\(who) \(text) \(ticket): \(response.body)")
        }
        let refused = try await submit(daemon, as: nobody, "tea\n{drawer:1}\n", "role=receipt")
        let problem = try APIJSON.decode(Problem.self, from: Array(refused.body.utf8))
        #expect(problem.code == .notAllowed)
        #expect(problem.problems?.first?.line == 2)
        #expect(problem.detail?.contains("--drawer-group") == true)
    }
}
