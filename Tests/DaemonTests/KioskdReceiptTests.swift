import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// A receipt's way through daemon and command line, to printers that are real ones or behave so.
@Suite struct KioskdReceiptTests {
    private static let receipt = "TEA            2.50\nCAKE           3.20\nTOTAL          5.70\n"

    @Test func `kioskctl prints by role on ippeveprinter, which confirms it, byte for byte`() async throws {
        let printer = try await EvePrinter()
        let daemon = try await KioskdFixture(printers: [printer.uri], more: "    job-type: general\n")
        let file = try daemon.folder.write(Self.receipt, to: "receipt.txt")
        let result = try await daemon.kioskctl("print", file, "--role", "receipt", "--wait", "--json")
        #expect(result.end.isSuccess, "\(result.standardError)")
        let job = try await daemon.client().job(1)
        #expect(job.state == .completed)
        #expect(job.evidence == .printed || job.evidence == .processed)
        let kept = try printer.keptFiles()
        #expect(kept.count == 1)
        #expect(try readFile(try #require(kept.first)) == Array(Self.receipt.utf8))
    }

    @Test func `a document that the printer looks into and refuses is aborted, and says why`() async throws {
        let printer = try await EvePrinter()
        let daemon = try await KioskdFixture(printers: [printer.uri], more: "    job-type: general\n")
        let response = try await daemon.submit(
            String(repeating: "no known format ", count: 20_000),
            "role=receipt&wait=300&document-format=application%2Foctet-stream")
        let job = try response.json(Job.self)
        #expect(job.state == .aborted)
        #expect(job.message?.contains("document-format") == true, "\(job.message ?? "no message")")
        #expect(!job.isUnconfirmed)
    }

    @Test func `curl's three lines print, and a wait ends with the settled job`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let response = try await daemon.submit(Self.receipt, "role=receipt&name=Order%2017&wait=300")
        #expect(response.status == 200)
        let job = try response.json(Job.self)
        #expect(response.headers["location"] == "/v1/jobs/\(job.id)")
        #expect(response.headers["date"]?.hasSuffix("GMT") == true)
        #expect(job.state == .completed)
        #expect(job.evidence == .printed)
        #expect(job.name == "Order 17")
        #expect(job.printer?.rawValue == "till-1")
        let document = try #require(try await printer.documents.first)
        #expect(try readFile(document.path) == Array(Self.receipt.utf8))
    }

    @Test func `without a wait the job is accepted, and a later look shows what became of it`() async throws {
        let printer = try await SimulatedPrinter.start()
        try await printer.perform(.hold)
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let response = try await daemon.submit(Self.receipt)
        #expect(response.status == 202)
        let id = try response.json(Job.self).id
        let short = try await daemon.curl("/v1/jobs/\(id)?wait=1")
        #expect(short.status == 200)
        #expect(try short.json(Job.self).state.isFinal == false)
        try await printer.perform(.release)
        let settled = try await daemon.curl("/v1/jobs/\(id)?wait=300").json(Job.self)
        #expect(settled.state == .completed)
    }

    @Test(arguments: [
        (#"{"role":"receipt","document":{"text":"TEA 2.50\n"}}"#, "TEA 2.50\n", "text/plain"),
        (
            #"{"printer":"till-1","document":{"base64":"G0BURUEK"},"name":"raw"}"#, "\u{1B}@TEA\n",
            "application/vnd.escpos"
        ),
    ])
    func `takes a document inside JSON`(body: String, bytes: String, format: String) async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let job = try await daemon.curlJSON("POST", "/v1/jobs?wait=300", body).json(Job.self)
        #expect(job.state == .completed)
        #expect(job.format.mimeType == format)
        let document = try #require(try await printer.documents.first)
        #expect(try readFile(document.path) == Array(bytes.utf8))
    }

    @Test func `a chunked upload from standard input prints whole`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let text = String(repeating: "0123456789abcdef\n", count: 20_000)
        let response = try await daemon.submit(text, "role=receipt&wait=300", ["-H", "Transfer-Encoding: chunked"])
        #expect(try response.json(Job.self).state == .completed)
        #expect(try readFile(try #require(try await printer.documents.first).path) == Array(text.utf8))
    }

    @Test func `many receipts over one kept connection print in order`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let client = daemon.client()
        for number in 0..<50 { _ = try await client.submit(text: "\(number)") }
        let last = try await client.job(50, wait: .seconds(300))
        #expect(last.state == .completed)
        let printed = try await printer.documents.map { String(decoding: try readFile($0.path), as: UTF8.self) }
        #expect(printed == (0..<50).map(String.init))
    }

    @Test func `the same idempotency key is the same job, and another content under it a conflict`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: [printer.uri])
        let key = ["-H", "Idempotency-Key: \"order-17\""]
        let first = try await daemon.submit(Self.receipt, "role=receipt&wait=300", key).json(Job.self)
        let second = try await daemon.submit(Self.receipt, "role=receipt&wait=300", key)
        #expect(second.status == 200)
        #expect(try second.json(Job.self).id == first.id)
        let other = try await daemon.submit("something else", "role=receipt", key)
        #expect(other.status == 409)
        #expect(try other.json(Problem.self).code == .idempotencyConflict)
        #expect(try await printer.paper.count == 1)
    }

    @Test func `a waiting job is canceled at once, and a settled one no more`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let job = try await daemon.submit(Self.receipt).json(Job.self)
        let canceled = try await daemon.curl("/v1/jobs/\(job.id)", ["-X", "DELETE"])
        #expect(canceled.status == 200)
        #expect(try canceled.json(Job.self).state == .canceled)
        let again = try await daemon.curl("/v1/jobs/\(job.id)", ["-X", "DELETE"])
        #expect(again.status == 409)
        #expect(try again.json(Problem.self).code == .jobState)
        let held = try await daemon.curl("/v1/jobs/\(job.id)/release", ["-X", "POST"])
        #expect(try held.json(Problem.self).code == .jobState)
    }

    @Test func `jobs are listed newest first, page by page`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let client = daemon.client()
        for number in 1...5 { _ = try await client.submit(text: "\(number)") }
        let first = try await daemon.curl("/v1/jobs?limit=3&state=pending").json(JobList.self)
        #expect(first.jobs.map(\.id) == [5, 4, 3])
        let before = try #require(first.next)
        let second = try await daemon.curl("/v1/jobs?limit=3&state=pending&before=\(before)").json(JobList.self)
        #expect(second.jobs.map(\.id) == [2, 1])
        #expect(second.next == nil)
        #expect(try await daemon.curl("/v1/jobs?state=completed").json(JobList.self).jobs.isEmpty)
    }
}
