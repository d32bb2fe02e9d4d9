import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPaperPictures
import KioskPrintModel
import KioskSimulatedPaper
import KioskTestSupport
import Testing

/// Jobs at a printer on PAPPL, in clear and over TLS: what comes out is compared dot for dot with what was meant.
@Suite struct KioskdPAPPLTests {
    static let schemes = ["ipp", "ipps"]
    private static let receipt =
        "^Corner Café\n-\nTea | 2.50\nCoffee | 3.20\n{code:1234;option:code128,2,60}\nTOTAL | 5.70\n"

    private func daemon(_ printer: PAPPLPrinter, _ scheme: String, more: String = "") async throws -> KioskdFixture {
        let uri = scheme == "ipp" ? printer.uri : printer.secureURI
        let profile = printer.paper == .label ? ", profile: generic-ipp-80mm" : ""
        let trust = scheme == "ipp" ? "" : ", trust: none"
        let daemon = try await KioskdFixture(
            registry:
                "version: 1\nprinters:\n  - { id: till-1, url: \"\(uri)\"\(profile)\(trust) }\nroles:\n  receipt:\n    printers: [till-1]\n\(more)",
            arguments: ["--profiles", ShippedProfiles.folder])
        _ = try await daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"])
        return daemon
    }

    private func job(_ daemon: KioskdFixture, _ id: Int64) async throws -> Job {
        try await daemon.curl("/v1/jobs/\(id)").json(Job.self)
    }

    /// Submits a receipt; `wait`: until it has ended.
    private func print(
        _ receipt: String = receipt, on daemon: KioskdFixture, wait: Bool = true, format: String = "text/receiptline"
    ) async throws -> Job {
        let file = try TemporaryFolder("receipt")
        try file.write(receipt, to: "receipt")
        return try await daemon.curl(
            "/v1/jobs?role=receipt\(wait ? "&wait=300" : "")",
            ["-H", "Content-Type: \(format)", "--data-binary", "@\(file.appending("receipt"))"], deadline: .seconds(600)
        ).json(Job.self)
    }

    /// The receipt as it was meant, on this printer's paper.
    private func meant(_ receipt: String = receipt, on daemon: KioskdFixture) async throws -> PrintedPage {
        let png = try await daemon.curl(
            "/v1/preview?printer=till-1",
            ["-H", "Content-Type: text/receiptline", "-H", "Accept: image/png", "--data-binary", receipt])
        return try #require(PrintedPage(png: png.body))
    }

    @Test(arguments: schemes) func `a receipt comes out once, dot for dot`(scheme: String) async throws {
        let printer = try await PAPPLPrinter()
        let daemon = try await daemon(printer, scheme)
        let job = try await print(on: daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.evidence == .printed)
        #expect(job.remarks == nil)
        let pages = try printer.pages
        #expect(pages.count == 1)
        #expect(try await pages.first?.ink == meant(on: daemon).ink)
        #expect(try printer.printed().count == 1)
    }

    @Test(arguments: schemes) func `a receipt that is longer than its label is on several, and nothing is missing`(
        scheme: String
    ) async throws {
        let printer = try await PAPPLPrinter(.label)
        let daemon = try await daemon(printer, scheme)
        let receipt = (1...60).map { "Item \($0) | \($0).50\n" }.joined() + "TOTAL | 1860.00\n"
        let job = try await print(receipt, on: daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(job.remarks?.contains { $0.contains("it is on 2 pages") } == true, "\(job.remarks ?? [])")
        let pages = try printer.pages
        #expect(pages.count == 2)
        let meant = try await meant(receipt, on: daemon)
        let ink = pages.map(\.inkedRows)
        #expect(pages.reduce(0) { $0 + $1.blackCount } == meant.blackCount)
        #expect(ink.allSatisfy { !$0.isEmpty })
    }

    @Test(arguments: schemes) func `a PWG file comes out dot for dot`(scheme: String) async throws {
        let printer = try await PAPPLPrinter()
        let daemon = try await daemon(printer, scheme)
        // 80 mm of dots, as wide as its paper: nothing is moved.
        let page = PrintedPage(width: 639, height: 200, dots: (0..<639 * 200).map { $0 % 7 == 0 || $0 % 11 == 3 })
        let folder = try TemporaryFolder("pwg")
        let file = try folder.write(PWGFile.bytes(of: page), to: "page.pwg")
        let job = try await daemon.curl(
            "/v1/jobs?role=receipt&wait=300",
            ["-H", "Content-Type: image/pwg-raster", "--data-binary", "@\(file)"], deadline: .seconds(600)
        ).json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        #expect(try printer.pages.map(\.ink) == [page.ink])
    }

    @Test(arguments: schemes) func `a receipt that is canceled at the printer does not come out`(
        scheme: String
    ) async throws {
        let printer = try await PAPPLPrinter()
        let daemon = try await daemon(printer, scheme)
        try printer.hold()
        let job = try await print(on: daemon, wait: false)
        try await eventually("the printer to have it") { printer.log.contains("the device of job") }
        let canceled = try await daemon.kioskctl("cancel", "\(job.id)")
        #expect(canceled.end.isSuccess, "\(canceled.standardError)")
        try await eventually("its end") { try await self.job(daemon, job.id).state.isFinal }
        #expect(try await self.job(daemon, job.id).state == .canceled)
        try printer.release()
        // What comes after it comes out, and nothing before.
        let next = try await print("next\n", on: daemon)
        #expect(next.state == .completed)
        #expect(try printer.printed().count == 1)
        #expect(try await printer.pages.first?.ink == meant("next\n", on: daemon).ink)
    }

    @Test(arguments: schemes) func `a receipt waits for paper, before the printer has it and after, and comes out once`(
        scheme: String
    ) async throws {
        let printer = try await PAPPLPrinter()
        let daemon = try await daemon(printer, scheme)
        // It ran out with the first receipt in it.
        try printer.hold()
        let first = try await print("first\n", on: daemon, wait: false)
        try await eventually("the printer to have it") { printer.log.contains("the device of job") }
        try printer.setReasons("media-empty")
        try printer.release()
        let second = try await print("second\n", on: daemon, wait: false)
        try await eventually("the printer to have stopped") {
            let status = try await daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"]).json(PrinterStatus.self)
            return status.availability.state == .stopped
                && status.availability.reasons.contains { $0.keyword == "media-empty" }
        }
        #expect(try await !self.job(daemon, first.id).state.isFinal)
        #expect(try await !self.job(daemon, second.id).state.isFinal)
        #expect(try printer.printed().isEmpty)
        try printer.setReasons()
        for job in [first, second] {
            try await eventually("its end") { try await self.job(daemon, job.id).state.isFinal }
            let job = try await self.job(daemon, job.id)
            #expect(job.state == .completed, "\(job.message ?? "")")
            #expect(!job.isUnconfirmed)
        }
        let meant = [try await meant("first\n", on: daemon).ink, try await meant("second\n", on: daemon).ink]
        #expect(try printer.pages.map(\.ink) == meant)
    }

    @Test(arguments: schemes) func `a printer that dies with a receipt leaves doubt, and no silent copy`(
        scheme: String
    ) async throws {
        let printer = try await PAPPLPrinter()
        let daemon = try await daemon(printer, scheme, more: "    unconfirmed: hold\n")
        let before = try await print("before\n", on: daemon)
        #expect(before.state == .completed)
        try printer.hold()
        let job = try await print(on: daemon, wait: false)
        try await eventually("the printer to have it") { printer.log.contains("the device of job") }
        try await printer.kill()
        try printer.release()
        // Nothing of it is known there.
        try await printer.start()
        try await eventually("the doubt") { try await self.job(daemon, job.id).isUnconfirmed }
        #expect(try await self.job(daemon, job.id).state == .pendingHeld)
        let after = try await print("after\n", on: daemon)
        #expect(after.state == .completed, "\(after.message ?? "")")
        let meant = [try await meant("before\n", on: daemon).ink, try await meant("after\n", on: daemon).ink]
        #expect(try Set(printer.pages.map(\.ink)) == Set(meant))
        let released = try await daemon.kioskctl("release", "\(job.id)")
        #expect(released.end.isSuccess, "\(released.standardError)")
        try await eventually("its end") { try await self.job(daemon, job.id).state.isFinal }
        #expect(try printer.printed().count == 3)
    }
}

/// Jobs at Debian's LPrint, whose printer speaks ZPL to a file.
@Suite struct KioskdLPrintTests {
    private func daemon(_ server: LPrintServer, _ scheme: String, more: String = "") async throws -> KioskdFixture {
        let uri = scheme == "ipp" ? server.uri : server.secureURI
        let trust = scheme == "ipp" ? "" : ", trust: none"
        let daemon = try await KioskdFixture(
            registry:
                "version: 1\nprinters:\n  - { id: till-1, url: \"\(uri)\", profile: generic-ipp-80mm\(trust) }\nroles:\n  receipt:\n    printers: [till-1]\n\(more)",
            arguments: ["--profiles", ShippedProfiles.folder])
        _ = try await daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"])
        return daemon
    }

    private func print(
        _ document: [UInt8], as format: String, on daemon: KioskdFixture, wait: Bool = true
    ) async throws -> Job {
        let file = try TemporaryFolder("document")
        try file.write(document, to: "document")
        return try await daemon.curl(
            "/v1/jobs?role=receipt\(wait ? "&wait=300" : "")",
            ["-H", "Content-Type: \(format)", "--data-binary", "@\(file.appending("document"))"],
            deadline: .seconds(600)
        ).json(Job.self)
    }

    private func job(_ daemon: KioskdFixture, _ id: Int64) async throws -> Job {
        try await daemon.curl("/v1/jobs/\(id)").json(Job.self)
    }

    /// What a printer that shares no code with LPrint or with us makes of its output; whole labels alone.
    private func labels(_ server: LPrintServer) throws -> [Bitmap] {
        var model = PaperModel()
        model.width = 812
        var printer = try PaperPrinter(model)
        // LPrint leaves the length of labels to the printer.
        let bytes = Array("^XA^LL4000^XZ".utf8) + (try server.output)
        // Formats that print nothing delete the picture.
        return printer.print(bytes, as: .zpl).map(\.picture).filter { !$0.isBlank }
    }

    /// What is black of them. It prints upside down, for whoever takes labels out.
    private func ink(_ labels: [Bitmap]) -> [PrintedPage] {
        labels.map { label in
            // The white above and below is left out in bytes: a label has millions of dots.
            let top = (label.bytes.firstIndex { $0 != 0 } ?? 0) / label.stride
            let bottom = (label.bytes.lastIndex { $0 != 0 } ?? 0) / label.stride
            return PrintedPage(
                width: label.width, height: bottom - top + 1,
                dots: (top...bottom).flatMap { y in (0..<label.width).map { label[$0, y] } }
            ).ink
        }
    }

    private func isSame(_ labels: [PrintedPage], _ meant: [PrintedPage]) -> Bool {
        labels == meant
            || labels.map { PrintedPage(width: $0.width, height: $0.height, dots: $0.dots.reversed()) } == meant
    }

    /// What its device got, without the questions for the printer's state.
    private func commands(_ server: LPrintServer) throws -> String {
        String(decoding: try server.output, as: UTF8.self).replacing("~HQES\n", with: "")
    }

    private func meant(_ receipt: String, on daemon: KioskdFixture) async throws -> PrintedPage {
        let png = try await daemon.curl(
            "/v1/preview?printer=till-1",
            ["-H", "Content-Type: text/receiptline", "-H", "Accept: image/png", "--data-binary", receipt])
        return try #require(PrintedPage(png: png.body))
    }

    /// Its loaded label of 4 by 6 inches is wider than a receipt and shorter than a long one; its range is not.
    @Test(arguments: KioskdPAPPLTests.schemes)
    func `receipts come out once, dot for dot, also where they are longer than the loaded label`(
        scheme: String
    ) async throws {
        let server = try await LPrintServer()
        let daemon = try await daemon(server, scheme)
        let short = "^Corner Café\n-\nTea | 2.50\n{code:1234;option:code128,2,60}\nTOTAL | 2.50\n"
        let long = (1...120).map { "Item \($0) | \($0).50\n" }.joined() + "TOTAL | 7320.00\n"
        for receipt in [short, long] {
            let job = try await print(Array(receipt.utf8), as: "text/receiptline", on: daemon)
            #expect(job.state == .completed, "\(job.message ?? "")")
            #expect(job.remarks == nil, "\(job.remarks ?? [])")
        }
        try await eventually("two labels") { try self.labels(server).count >= 2 }
        let meant = [try await meant(short, on: daemon).ink, try await meant(long, on: daemon).ink]
        let labels = ink(try labels(server))
        #expect(isSame(labels, meant), "\(labels.map { "\($0.width)×\($0.height), \($0.blackCount)" })")
    }

    @Test(arguments: KioskdPAPPLTests.schemes) func `a PWG file comes out dot for dot`(scheme: String) async throws {
        let server = try await LPrintServer()
        let daemon = try await daemon(server, scheme)
        let page = PrintedPage(width: 812, height: 400, dots: (0..<812 * 400).map { $0 % 7 == 0 || $0 % 11 == 3 })
        let job = try await print(PWGFile.bytes(of: page), as: "image/pwg-raster", on: daemon)
        #expect(job.state == .completed, "\(job.message ?? "")")
        try await eventually("a label") { try !self.labels(server).isEmpty }
        let labels = ink(try labels(server))
        #expect(isSame(labels, [page.ink]), "\(labels.map { "\($0.width)×\($0.height), \($0.blackCount)" })")
    }

    @Test(arguments: KioskdPAPPLTests.schemes)
    func `a receipt that is canceled there, and one that waits for a dead server, come out as they should`(
        scheme: String
    ) async throws {
        let server = try await LPrintServer()
        let daemon = try await daemon(server, scheme)
        try await server.pause()
        let text = { (text: String) in "^XA^FO50,50^ADN,36,20^FD\(text)^FS^XZ" }
        let label = { Array(text($0).utf8) }
        let canceled = try await print(label("canceled"), as: "application/vnd.zebra-zpl", on: daemon, wait: false)
        let told = try await daemon.kioskctl("cancel", "\(canceled.id)")
        #expect(told.end.isSuccess, "\(told.standardError)")
        try await eventually("its end") { try await self.job(daemon, canceled.id).state.isFinal }
        #expect(try await job(daemon, canceled.id).state == .canceled)
        try await server.resume()
        let first = try await print(label("first"), as: "application/vnd.zebra-zpl", on: daemon)
        #expect(first.state == .completed, "\(first.message ?? "")")
        try await eventually("its label") { try self.commands(server) == text("first") }
        try await server.kill()
        let second = try await print(label("second"), as: "application/vnd.zebra-zpl", on: daemon, wait: false)
        #expect(try await !job(daemon, second.id).state.isFinal)
        try await server.start()
        try await eventually("its end") { try await self.job(daemon, second.id).state.isFinal }
        #expect(try await job(daemon, second.id).state == .completed)
        try await eventually("its label") {
            try self.commands(server) == text("first") + text("second")
        }
    }

    @Test(arguments: KioskdPAPPLTests.schemes) func `a document in its own language arrives byte for byte`(
        scheme: String
    ) async throws {
        let server = try await LPrintServer()
        let daemon = try await daemon(server, scheme)
        let label = "^XA^FO50,50^ADN,36,20^FDCoffee^FS^XZ"
        for count in 1...2 {
            let job = try await print(Array(label.utf8), as: "application/vnd.zebra-zpl", on: daemon)
            #expect(job.state == .completed, "\(job.message ?? "")")
            // Its device is flushed after the job's end.
            try await eventually("\(count) labels") {
                try self.commands(server) == String(repeating: label, count: count)
            }
        }
    }
}
