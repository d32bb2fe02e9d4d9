import Foundation
import PrintModel
import SimulatedPrinter
import TestSupport
import Testing

/// The example of the README that embeds the engine in a program.
@Suite struct EmbeddingExampleTests {
    @Test func `the example prints a receipt and learns that it is printed`() async throws {
        let printer = try await SimulatedPrinter.start()
        let folder = try TemporaryFolder("till")
        try folder.write(
            """
            printers:
              - { id: till-1, url: "\(printer.uri)" }
            roles:
              receipt: { printers: [till-1] }
            """, to: "printers.yaml")
        let job = try await printReceipt("One coffee 2.40\n", folder: folder.path)
        #expect(job.state == .completed)
        #expect(job.evidence == .printed)
        let documents = try await printer.documents
        #expect(try documents.map { try readFile($0.path) } == [Array("One coffee 2.40\n".utf8)])
        try await printer.stop()
    }

    @Test func `the README shows the example as it is compiled here`() throws {
        let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "EmbeddingExample.swift")
        let root = example.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(try String(contentsOf: example, encoding: .utf8))```\n"))
    }
}
