import SimulatedPrinter
import TestSupport
import Testing

/// Debian's ipptool, an independent client, against the simulated printer.
@Suite struct SimulatedPrinterIpptoolTests {
    /// The suites of CUPS, with the sample documents that Debian leaves out: ipptool ends a suite silently where it
    /// misses one.
    private static func suites() throws -> TemporaryFolder {
        let folder = try TemporaryFolder("suites")
        for name in ["ipp-1.1.test", "ipp-2.0.test", "ipp-everywhere.test"] {
            try folder.write(try readFile("/usr/share/cups/ipptool/\(name)"), to: name)
        }
        for name in ["document-a4.pdf", "document-letter.pdf"] { try folder.write("%PDF-1.7\n%%EOF\n", to: name) }
        for name in ["document-a4.ps", "document-letter.ps"] { try folder.write("%!PS\nshowpage\n", to: name) }
        for name in ["color.jpg", "gray.jpg"] { try folder.write([0xFF, 0xD8, 0xFF, 0xD9], to: name) }
        try folder.write("a test page\n", to: "page.txt")
        return folder
    }

    @Test(arguments: PrinterKind.allCases, ["ipp-1.1.test", "ipp-2.0.test", "ipp-everywhere.test"])
    func `passes the suites of CUPS`(kind: PrinterKind, suite: String) async throws {
        try await run(suite, on: .init(kind))
    }

    @Test(arguments: [PrinterKind.receipt, .laser], ["ipp-1.1.test", "ipp-2.0.test"])
    func `passes the suites of CUPS over TLS`(kind: PrinterKind, suite: String) async throws {
        var options = SimulatedPrinter.Options(kind)
        options.tls = PrinterTLSOptions()
        try await run(suite, on: options)
    }

    private func run(_ suite: String, on options: SimulatedPrinter.Options) async throws {
        let printer = try await SimulatedPrinter.start(options)
        let folder = try Self.suites()
        let version = suite == "ipp-1.1.test" ? "1.1" : "2.0"
        let result = try await Ipptool.run(
            folder.appending(suite), on: printer.uri, file: folder.appending("page.txt"),
            options: ["-t", "-I", "-V", version])
        #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.filter { $0.contains("[FAIL]") }.isEmpty)
        // The last test of each suite: all before it have run.
        let ends = [
            "ipp-1.1.test": "Print-Job with job-hold-until",
            "ipp-2.0.test": "PWG 5100.12 section 6.2 - Required Printer Description Attributes",
            "ipp-everywhere.test": "PWG 5100.14 section 5.1/5.2 - Required Operations and Attributes",
        ]
        let end = try #require(ends[suite])
        #expect(lines.contains { $0.contains(end) }, "\(result.standardOutput)")
        try await printer.stop()
    }
}
