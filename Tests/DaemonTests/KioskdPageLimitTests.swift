import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// The most pages that a role allows for a job, and documents that are encrypted.
@Suite struct KioskdPageLimitTests {
    private func daemon(_ printer: SimulatedPrinter) async throws -> KioskdFixture {
        try await KioskdFixture(printers: [printer.uri], role: "document", more: "    page-limit: 2\n")
    }

    private func submit(
        _ document: [UInt8], _ daemon: KioskdFixture, _ query: String = "", headers: [String] = []
    ) async throws -> CurlResponse {
        let path = try daemon.folder.write(document, to: "document.pdf")
        return try await daemon.curl(
            "/v1/jobs?role=document&wait=300\(query)",
            ["-H", "Content-Type: application/pdf", "--data-binary", "@\(path)"] + headers.flatMap { ["-H", $0] })
    }

    private static func document(_ pages: Int) -> [UInt8] {
        var writer = PDFWriter()
        for page in 1...pages { writer.addTextPage(["Page \(page)"], size: 72) }
        return writer.bytes
    }

    /// A printer of rasters, and one that takes the file as it is.
    @Test(arguments: [SimulatedPrinterKind.office, .laser])
    func `a job of more pages is refused before there is one`(kind: SimulatedPrinterKind) async throws {
        let printer = try await SimulatedPrinter.start(.init(kind))
        let daemon = try await daemon(printer)
        for (pages, query) in [(3, ""), (2, "&copies=2"), (6, "&number-up=2"), (9, "&page-ranges=2-4")] {
            let refused = try await submit(Self.document(pages), daemon, query)
            #expect(refused.status == 422, "\(refused.text)")
            #expect(try refused.json(Problem.self).code == .pageLimitExceeded)
            #expect(refused.text.contains("its role allows 2"), "\(refused.text)")
        }
        #expect(try await daemon.client().jobs().jobs.isEmpty)
        #expect(try await printer.documents.isEmpty)
        for (pages, query) in [(2, ""), (9, "&page-ranges=3-4")] {
            let job = try await submit(Self.document(pages), daemon, query).json(Job.self)
            #expect(job.state == .completed, "\(job.message ?? "")")
        }
    }

    @Test func `the limit is a setting of the role`() async throws {
        let printer = try await SimulatedPrinter.start(.init(.office))
        let daemon = try await daemon(printer)
        let role = try #require(RoleName(rawValue: "document"))
        #expect(try await daemon.client().role(role).pageLimit == 2)
        // Another change keeps it.
        #expect(try await daemon.kioskctl("roles", "assign", "document", "till-1", "--copies", "1").end.isSuccess)
        #expect(try await daemon.client().role(role).pageLimit == 2)
        #expect(try await daemon.kioskctl("roles", "assign", "document", "till-1", "--page-limit", "7").end.isSuccess)
        #expect(try String(contentsOfFile: daemon.registryPath, encoding: .utf8).contains("page-limit: 7"))
        #expect(try await daemon.kioskctl("roles", "assign", "document", "till-1", "--page-limit", "0").end.isSuccess)
        #expect(try await daemon.client().role(role).pageLimit == nil)
        let wrong = try await daemon.kioskctl("roles", "assign", "document", "till-1", "--page-limit", "-1")
        #expect(!wrong.end.isSuccess)
    }

    @Test func `an encrypted document is printed with its password, which nobody sees again`() async throws {
        let printer = try await SimulatedPrinter.start(.init(.office))
        let daemon = try await daemon(printer)
        let refused = try await submit(EncryptedDocument.file, daemon)
        #expect(refused.status == 422, "\(refused.text)")
        let inQuery = try await submit(EncryptedDocument.file, daemon, "&document-password=x")
        #expect(inQuery.status == 400)
        let wrong = try await submit(
            EncryptedDocument.file, daemon, headers: ["Kiosk-document-password: \(EncryptedDocument.password)x"])
        #expect(wrong.status == 422)
        let secret = try daemon.folder.write("\(EncryptedDocument.password)\n", to: "password")
        let file = try daemon.folder.write(EncryptedDocument.file, to: "statement.pdf")
        let printed = try await daemon.kioskctl(
            "print", file, "--role", "document", "--document-password-file", secret, "--wait", "--json")
        #expect(printed.end.isSuccess, "\(printed.standardError)")
        #expect(!printed.standardOutput.contains(EncryptedDocument.password))
        let sent = try #require(try await printer.documents.first)
        #expect(sent.format == "image/urf")
        let again = try await daemon.kioskctl("reprint", "1")
        #expect(!again.end.isSuccess)
        #expect(again.standardError.contains("document-password"), "\(again.standardError)")
        #expect(!daemon.log.contains(EncryptedDocument.password))
        // Nothing that is left of the queue has it.
        try await daemon.terminate()
        for name in try FileManager.default.subpathsOfDirectory(atPath: daemon.folder.path) where name != "password" {
            let content = FileManager.default.contents(atPath: daemon.folder.appending(name)) ?? Data()
            #expect(content.range(of: Data(EncryptedDocument.password.utf8)) == nil, "\(name)")
        }
    }

    @Test func `a printer that takes nothing but PDF gets no encrypted document with its password`() async throws {
        let printer = try await EvePrinter(
            {
                var options = EvePrinter.Options()
                options.formats = ["application/pdf"]
                return options
            }())
        let daemon = try await KioskdFixture(printers: [printer.uri], role: "document")
        let response = try await submit(
            EncryptedDocument.file, daemon, headers: ["Kiosk-document-password: \(EncryptedDocument.password)"])
        #expect(response.status == 422, "\(response.text)")
        #expect(response.text.contains("document-password"), "\(response.text)")
    }
}
