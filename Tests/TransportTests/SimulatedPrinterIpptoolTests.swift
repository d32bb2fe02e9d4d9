import SimulatedPrinter
import TestSupport
import Testing

/// Debian's ipptool, an independent client, against the simulated printer.
@Suite struct SimulatedPrinterIpptoolTests {
    @Test(arguments: PrinterKind.allCases, ["ipp-1.1.test", "ipp-2.0.test", "ipp-everywhere.test"])
    func `passes the suites of CUPS`(kind: PrinterKind, suite: String) async throws {
        let printer = try await SimulatedPrinter.start(.init(kind))
        let folder = try TemporaryFolder()
        let file = try folder.write("a test page\n", to: "page.txt")
        let version = suite == "ipp-1.1.test" ? "1.1" : "2.0"
        let result = try await Ipptool.run(
            suite, on: printer.uri, file: file, variables: ["filetype": "text/plain"], options: ["-t", "-I", "-V", version])
        let failures = result.standardOutput.split(separator: "\n").filter { $0.contains("[FAIL]") }
        #expect(result.end.isSuccess, "\(result.standardOutput)")
        #expect(failures.isEmpty)
        #expect(result.standardOutput.contains("[PASS]"))
        try await printer.stop()
    }
}
