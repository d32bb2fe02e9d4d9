import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Documents on the simulated office printer, which draws what came out.
@Suite struct SimulatedOfficeTests {
    @Test func `both sides of a sheet come out upright, and white in the margins`() async throws {
        let folder = try TemporaryFolder("office")
        let child = try ChildProcess(
            try BuiltProducts.path("kioskctl"),
            ["simulate", "--kind", "office", "--json", "--paper", folder.appending("drawn")])
        try await child.waitForOutput("\"started\"")
        let uri = try #require(
            child.standardOutput.split(separator: "\"").first { $0.hasPrefix("ipp://") }.map(String.init))
        let daemon = try await KioskdFixture(printers: [uri], role: "document")
        var writer = PDFWriter()
        // Black from the left edge on, and in the upper half alone.
        for _ in 0..<3 { writer.addPage(width: 595.28, height: 841.89, "0 g 0 421 300 421 re f") }
        let file = try folder.write(writer.bytes, to: "document.pdf")
        let printed = try await daemon.kioskctl(
            "print", file, "--role", "document", "--sides", "two-sided-long-edge", "--printer-resolution", "300",
            "--wait")
        #expect(printed.end.isSuccess, "\(printed.standardError)")
        try await eventually("the paper was drawn") {
            FileManager.default.fileExists(atPath: folder.appending("drawn/job-1.txt"))
        }
        let list = String(decoding: try folder.read("drawn/job-1.txt"), as: UTF8.self).split(separator: "\n")
        let dots = "2480×3507 dots of 300 dpi, 24 bits, rgb"
        #expect(
            list.map(String.init) == [
                "page 1  \(dots), front, two-sided-long-edge", "page 2  \(dots), back, two-sided-long-edge",
                "page 3  \(dots), front, two-sided-long-edge",
            ])
        for page in 1...3 {
            let picture = try #require(PNGPicture(try folder.read("drawn/job-1-\(page).png")), "page \(page)")
            #expect(picture.width == 826)
            #expect(picture.height == 1169)
            #expect(picture.tone(200, 300) == 0, "page \(page)")
            #expect(picture.tone(200, 900) == 255, "page \(page)")
            #expect(picture.tone(700, 300) == 255, "page \(page)")
            #expect(picture.tone(10, 300) == 255, "page \(page)")
        }
        #expect(try await child.terminate() == .exited(0))
    }
}
