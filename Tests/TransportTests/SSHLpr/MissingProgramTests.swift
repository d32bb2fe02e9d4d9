import Foundation
import KioskPrintModel
import KioskSSHLpr
import KioskTestSupport
import Testing

/// A host that lacks a program, and documents that its programs cannot read.
@Suite struct MissingProgramTests {
    private static let pdf: Delivery = .receipt("bcdfghjk-1-1", SmallPDF.make(pages: 3), format: .pdf)

    private func withHidden(
        _ programs: [String], convert: Bool = true, _ body: (CupsServer, LprHost) async throws -> Void
    ) async throws {
        var settings = LprSettings()
        if convert { settings.conversion = .postScript }
        var options = SSHServer.Options()
        options.hiddenPrograms = programs.map { "/usr/bin/\($0)" }
        try await withCups(settings: settings, options: options, body)
    }

    @Test(.enabled(if: geteuid() == 0, "hiding programs takes root"), arguments: ["lpr", "lpq"])
    func `a host without the programs of a line printer names them and their package`(_ program: String) async throws {
        try await withHidden([program], convert: false) { cups, host in
            for error in try await host.failures(at: host.target) {
                #expect(error.code == .programMissing)
                #expect(error.bytesAccepted == 0)
                #expect(error.message.hasPrefix("\(host.target.url): "), "\(error.message)")
                #expect(error.message.contains("no program \(program) "), "\(error.message)")
                #expect(error.message.contains("cups-bsd"), "\(error.message)")
            }
            #expect(!cups.accessLog.contains("Create-Job"))
        }
    }

    @Test(
        .enabled(if: geteuid() == 0, "hiding programs takes root"),
        arguments: [
            ("pdftops", "poppler-utils"), ("psselect", "psutils"), ("psnup", "psutils"),
        ])
    func `a conversion without its program names it and its package, and sends lpr nothing`(
        _ program: String, _ package: String
    ) async throws {
        try await withHidden([program]) { cups, host in
            var delivery = Self.pdf
            delivery.ticket.pageRanges = [try #require(PageRange("2-3"))]
            delivery.ticket.numberUp = 2
            let asked = delivery
            let error = try await transportError { _ = try await host.deliver(asked) }
            #expect(error.code == .programMissing)
            #expect(error.bytesAccepted == 0)
            #expect(error.message.hasPrefix("\(host.target.url): "), "\(error.message)")
            #expect(error.message.contains("no program \(program) "), "\(error.message)")
            #expect(error.message.contains(package), "\(error.message)")
            #expect(!cups.accessLog.contains("Create-Job"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: host.server.home).isEmpty)
        }
    }

    @Test func `what is there is used, and what a job does not need may be missing`() async throws {
        try await withHidden(geteuid() == 0 ? ["psnup"] : []) { cups, host in
            var delivery = Self.pdf
            delivery.ticket.pageRanges = [try #require(PageRange("2-3"))]
            _ = try await host.deliver(delivery)
            try await eventually("the document") { try cups.keptFiles().count == 1 }
            let printed = String(decoding: try readFile(try #require(try cups.keptFiles().first)), as: UTF8.self)
            #expect(printed.hasPrefix("%!PS"))
            #expect(printed.components(separatedBy: "\n%%Page: ").count == 3)
        }
    }

    @Test func `a document that is not a PDF is refused where it is converted, and lpr gets nothing`() async throws {
        try await withHidden([]) { cups, host in
            let error = try await transportError {
                _ = try await host.deliver(.receipt("bcdfghjk-1-1", Array("no PDF".utf8), format: .pdf))
            }
            #expect(error.code == .jobRefused, "\(error.message)")
            #expect(error.bytesAccepted == 0)
            #expect(error.message.hasPrefix("\(host.target.url): "), "\(error.message)")
            #expect(error.message.contains("look whether it is sound"), "\(error.message)")
            #expect(!cups.accessLog.contains("Create-Job"))
            try await eventually("the upload's removal") {
                try FileManager.default.contentsOfDirectory(atPath: host.server.home).isEmpty
            }
        }
    }
}
