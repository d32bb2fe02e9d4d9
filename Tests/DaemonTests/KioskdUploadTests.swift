import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// 200 MB through command line, daemon and `ippeveprinter`, and what that costs the daemon in memory.
@Suite(.serialized) struct KioskdUploadTests {
    private static let megabyte = 1 << 20
    private static let length = 200 * megabyte
    /// What the daemon may grow by.
    private static let bound = 8 * megabyte

    /// A document in which no two megabytes are alike; called a text, since `ippeveprinter` looks into anything else.
    private func document(_ folder: TemporaryFolder) throws -> String {
        let path = folder.appending("large.txt")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        var state: UInt64 = 42
        for _ in 0..<(Self.length / Self.megabyte) {
            var words = [UInt64](repeating: 0, count: Self.megabyte / 8)
            for index in words.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                words[index] = state
            }
            try words.withUnsafeBytes { try file.write(contentsOf: $0) }
        }
        try file.close()
        return path
    }

    @Test func `200 MB arrive byte for byte, confirmed, and the daemon grows by 8 MB at most`() async throws {
        let printer = try await EvePrinter()
        let daemon = try await KioskdFixture(printers: [printer.uri], role: "document", more: "    job-type: general\n")
        // A small job first: what every job needs once is not this one's.
        _ = try await daemon.submit("TEA", "role=document&wait=300")
        let before = try daemon.residentMemory()
        let path = try document(daemon.folder)
        let printing = try ChildProcess(
            try BuiltProducts.path("kioskctl"),
            ["print", path, "--role", "document", "--wait"],
            environment: ["KIOSKD_SOCKET": daemon.socket])
        var highest = before
        try await eventually("kioskctl to end", deadline: .seconds(240), poll: .milliseconds(10)) {
            highest = max(highest, try daemon.residentMemory())
            return !printing.isRunning
        }
        let end = try await printing.wait()
        #expect(end.isSuccess, "\(printing.standardError)")
        #expect(highest - before <= Self.bound, "grew by \((highest - before) / 1024) KB from \(before / 1024) KB")
        let job = try await daemon.client().job(2)
        #expect(job.state == .completed)
        #expect(job.documentLength == Int64(Self.length))
        #expect(job.evidence == .printed || job.evidence == .processed)
        let kept = try #require(try printer.keptFiles().last)
        #expect(FileManager.default.contentsEqual(atPath: kept, andPath: path))
    }
}
