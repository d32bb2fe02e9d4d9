import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Receipts as pages for a roll, on Debian's ippeveprinter.
@Suite struct KioskdRollTests {
    /// A printer of receipts that prints on this; what a job asks of it stands in `asked`.
    private func printer(_ formats: String, _ media: String, in folder: TemporaryFolder) async throws -> EvePrinter {
        var options = EvePrinter.Options()
        options.attributesFile = try folder.write(
            """
            ATTR text printer-make-and-model "Test Roll"
            ATTR keyword printer-kind "receipt","roll"
            ATTR mimeMediaType document-format-supported \(formats)
            ATTR enum finishings-supported 3,60,63
            \(media)

            """, to: "attributes")
        options.command = folder.appending("command")
        try writeProgram(
            "#!/bin/sh\nenv | grep -E '^IPP_(MEDIA_COL|MEDIA|FINISHINGS)=' | sort >>'\(folder.appending("asked"))'\n",
            to: folder.appending("command"))
        return try await EvePrinter(options)
    }

    private static let roll = """
        ATTR keyword media-supported "custom_min_48x10mm","custom_max_80x1000mm","om_receipt-80_80x297mm"
        ATTR keyword media-default "om_receipt-80_80x297mm"
        ATTR keyword media-col-supported "media-size","media-bottom-margin","media-left-margin","media-right-margin","media-top-margin"
        ATTR collection media-size-supported { MEMBER integer x-dimension 8000 MEMBER integer y-dimension 29700 },{ MEMBER rangeOfInteger x-dimension 4800-8000 MEMBER rangeOfInteger y-dimension 1000-100000 }
        ATTR collection media-col-ready { MEMBER collection media-size { MEMBER integer x-dimension 8000 MEMBER rangeOfInteger y-dimension 1000-100000 } MEMBER integer media-bottom-margin 0 MEMBER integer media-left-margin 400 MEMBER integer media-right-margin 400 MEMBER integer media-top-margin 0 }
        """

    /// Prints it, and tells the job, what was asked for, and the document's bytes.
    private func printed(
        _ receipt: String, _ formats: String, _ media: String, _ query: String = ""
    ) async throws -> (job: Job, asked: String, bytes: [UInt8]) {
        let folder = try TemporaryFolder("roll")
        let printer = try await printer(formats, media, in: folder)
        let daemon = try await KioskdFixture(
            registry:
                "version: 1\nprinters:\n  - { id: till-1, url: \"\(printer.uri)\", profile: generic-ipp-80mm }\nroles:\n  receipt:\n    printers: [till-1]\n",
            arguments: ["--profiles", ShippedProfiles.folder])
        _ = try await daemon.curl("/v1/printers/till-1/contact", ["-X", "POST"])
        let file = try folder.write(receipt, to: "receipt")
        let response = try await daemon.curl(
            "/v1/jobs?role=receipt&wait=300\(query)",
            ["-H", "Content-Type: text/receiptline", "--data-binary", "@\(file)"])
        let job = try response.json(Job.self)
        #expect(job.state == .completed, "\(job.message ?? "")")
        let asked = try String(contentsOfFile: folder.appending("asked"), encoding: .utf8)
        return (job, asked, try readFile(try #require(try printer.keptFiles().first)))
    }

    /// Ten lines of 30 dots, 203 of them an inch, and what CUPS's own raster says of such a page.
    private static let ten = String(repeating: "Flat white|3.20\n", count: 10)

    @Test(arguments: ["image/pwg-raster", "image/urf"])
    func `a receipt asks for its own length of the roll, and is cut there`(format: String) async throws {
        let (job, asked, bytes) = try await printed(Self.ten, format, Self.roll)
        #expect(job.remarks == nil)
        // The cut stands in PWG Raster itself.
        #expect(
            asked == """
                \(format == "image/urf" ? "IPP_FINISHINGS=trim-after-job\n" : "")IPP_MEDIA_COL={media-size={x-dimension=8000 y-dimension=3754} media-bottom-margin=0 media-left-margin=400 media-right-margin=400 media-top-margin=0}

                """)
        // 300 rows of 639 dots: what was asked for is what is drawn.
        let page = format == "image/urf" ? Array(bytes[24..<32]) : Array(bytes[4 + 372..<4 + 380])
        #expect(page == [0, 0, 639 >> 8, 639 & 0xFF, 0, 0, 300 >> 8, 300 & 0xFF])
    }

    @Test func `a receipt of several pieces asks for the longest, and copies are pages of one document`() async throws {
        let (job, asked, bytes) = try await printed(
            "one\n=\n\(Self.ten)=\ntwo\n", "image/pwg-raster", Self.roll, "&copies=2")
        #expect(job.remarks == nil)
        #expect(asked.contains("y-dimension=3754"))
        #expect(!asked.contains("FINISHINGS"))
        #expect(bytes.starts(with: Array("RaS2PwgRaster".utf8)))
        // TotalPageCount.
        #expect(Array(bytes[4 + 452..<4 + 456]) == [0, 0, 0, 6])
        #expect(!bytes.dropFirst(4).contains("RaS2".utf8))
    }

    @Test func `a printer of sheets gets the next longer one, and the job says so`() async throws {
        let sheets = """
            ATTR keyword media-supported "om_receipt-80_80x297mm","om_receipt-58_58x297mm"
            ATTR keyword media-default "om_receipt-80_80x297mm"
            ATTR collection media-size-supported { MEMBER integer x-dimension 8000 MEMBER integer y-dimension 29700 },{ MEMBER integer x-dimension 5800 MEMBER integer y-dimension 29700 }
            """
        let (job, asked, _) = try await printed(Self.ten, "image/pwg-raster", sheets)
        // It takes names of media only.
        #expect(asked == "IPP_MEDIA=om_receipt-80_80x297mm\n")
        #expect(job.remarks == ["the printer accepts no page of 80 × 37.54 mm: it was asked for 80 × 297 mm"])
    }
}
