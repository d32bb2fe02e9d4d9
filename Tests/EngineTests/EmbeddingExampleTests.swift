import Foundation
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
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

    @Test func `the documents show the examples as they are compiled`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }
        for (document, example) in [
            ("README.md", "Tests/EngineTests/EmbeddingExample.swift"),
            ("docs/embedding.md", "Examples/embedding/Sources/till/Engine.swift"),
        ] {
            #expect(try text(document).contains("```swift\n\(text(example))```\n"), "\(document)")
        }
    }
}
