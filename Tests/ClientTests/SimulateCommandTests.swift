import Foundation
import KioskTestSupport
import Testing

/// `kioskctl simulate` as a program of its own.
@Suite struct SimulateCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("simulate") }

    /// A running simulation, and its URL from the first line.
    private func start(_ arguments: String...) async throws -> (ChildProcess, uri: String) {
        let child = try ChildProcess(try BuiltProducts.path("kioskctl"), ["simulate"] + arguments)
        let line = try await eventuallyValue("the first line") {
            guard child.isRunning else { throw TestSupportError("it ended: \(child.standardError)") }
            return child.standardOutput.contains("\n") ? child.standardOutput.split(separator: "\n").first : nil
        }
        return (child, String(line))
    }

    private func control(_ uri: String, _ commands: String) async throws -> String {
        let curl = try InstalledProgram.path("curl", package: "curl")
        let page = uri.replacingOccurrences(of: "ipp://", with: "http://").replacingOccurrences(
            of: "/ipp/print", with: "/control")
        let body = commands.isEmpty ? [] : ["--data-binary", commands]
        return try await ChildProcess.run(curl, ["-s", "-w", " %{http_code}"] + body + [page]).standardOutput
    }

    @Test func `prints its URL, shows the receipt, keeps the bytes and ends on SIGTERM`() async throws {
        let (child, uri) = try await start("--save", folder.appending("kept"))
        #expect(uri.hasPrefix("ipp://localhost:"))
        #expect(child.standardOutput.contains("kioskctl printers add simulated-receipt \(uri) --role receipt"))
        let receipt = try folder.write("\u{1B}@Thank you\u{1B}]0;evil\u{7}\n", to: "receipt.bin")
        #expect(try await Ipptool.run("print-job.test", on: uri, file: receipt).end.isSuccess)
        try await child.waitForOutput("╱╯")
        #expect(child.standardOutput.contains("│ Thank you"))
        #expect(!child.standardOutput.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(try readFile(folder.appending("kept/job-1.escpos")) == readFile(receipt))
        #expect(try await child.terminate() == .exited(0))
        let port = try #require(URL(string: uri)?.port)
        #expect(port > 0)
    }

    @Test func `takes commands on its standard input`() async throws {
        let (child, uri) = try await start("--json")
        _ = uri
        try child.write("paper out\nnonsense\n")
        try await child.waitForOutput(#"{"event":"state","reasons":["media-empty-error"],"state":"stopped"}"#)
        try await child.waitForOutput(#""event":"complaint""#)
        try child.write("quit\n")
        #expect(try await child.wait() == .exited(0))
    }

    @Test func `takes commands on its control resource and tells what it has`() async throws {
        let (child, first) = try await start("--json")
        let uri = try #require(first.split(separator: "\"").first { $0.hasPrefix("ipp://") }.map(String.init))
        #expect(try await control(uri, "cover open\npaper low") == "ok\n 200")
        let report = try await control(uri, "")
        #expect(report.contains(#""reasons":["cover-open-error","media-low-warning"]"#))
        #expect(report.contains(#""state":"stopped""#))
        #expect(try await control(uri, "no such thing").hasSuffix(" 400"))
        #expect(try await control(uri, String(repeating: "x", count: 5000)).hasSuffix(" 413"))
        #expect(try await control(uri, "vanish 100") == "ok\n 200")
        try await child.waitForOutput(#"{"event":"online"}"#)
        try await child.terminate()
    }

    @Test(arguments: [
        ["--port", "99999"], ["--kind", "plotter"], ["--slow", "-1"], ["--save", "/proc/none"], ["--user", "till"],
        ["--key", "key.pem"], ["--tls", "--certificate", "/nowhere/printer.pem"],
        ["--user", "till", "--password-file", "/nowhere"],
    ])
    func `refuses what cannot be, in one line`(arguments: [String]) async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kioskctl"), ["simulate"] + arguments)
        #expect(!result.end.isSuccess)
        #expect(
            result.standardError.hasPrefix("kioskctl: ") || result.standardError.hasPrefix("Error: "),
            "\(result.standardError)")
    }

    @Test(arguments: [["simulate", "--help"], ["help", "simulate"], ["simulate", "-h"]])
    func `its help is reached as every command's`(arguments: [String]) async throws {
        let result = try await ChildProcess.run(try BuiltProducts.path("kioskctl"), arguments)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput.contains("USAGE: kioskctl simulate "))
        #expect(result.standardOutput.contains("paper out | paper in | paper low"))
    }

    @Test func `serves TLS and wants a login, and shows the key's fingerprint`() async throws {
        let password = try folder.write("secret\n", to: "password")
        let (child, uri) = try await start(
            "--tls", "--user", "till", "--password-file", password, "--login", "digest", "--save",
            folder.appending("kept"))
        #expect(uri.hasPrefix("ipps://localhost:"))
        try await child.waitForOutput("Its key: sha256:")
        let receipt = try folder.write("Thank you\n", to: "receipt.txt")
        #expect(try await !Ipptool.run("print-job.test", on: uri, file: receipt).end.isSuccess)
        let known = uri.replacingOccurrences(of: "://", with: "://till:secret@")
        #expect(try await Ipptool.run("print-job.test", on: known, file: receipt).end.isSuccess)
        try child.write("new certificate\n")
        try await child.waitForOutput("new certificate; its key: sha256:")
        #expect(!child.standardOutput.contains("secret"))
        #expect(!child.standardError.contains("secret"))
        #expect(try await child.terminate() == .exited(0))
    }

    @Test func `says what to install where the printer's own program is missing`() async throws {
        let alone = folder.appending("kioskctl")
        try FileManager.default.copyItem(atPath: BuiltProducts.path("kioskctl"), toPath: alone)
        let result = try await ChildProcess.run(alone, ["simulate"])
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("install kioskctl-simulate"))
        #expect(result.standardError.split(separator: "\n").count == 1)
    }

    @Test func `a large document goes to disk without passing through memory`() async throws {
        let (child, uri) = try await start("--save", folder.appending("kept"), "--quiet")
        let large = folder.appending("large.bin")
        try await makeFile(large, megabytes: 50)
        let small = try folder.write("warm\n", to: "small.txt")
        #expect(try await Ipptool.run("print-job.test", on: uri, file: small).end.isSuccess)
        let before = try peakMemory(child)
        #expect(try await Ipptool.run("print-job.test", on: uri, file: large).end.isSuccess)
        let growth = try peakMemory(child) - before
        #expect(growth < 8 << 20, "grew by \(growth) bytes")
        let compared = try await ChildProcess.run("/usr/bin/cmp", [large, folder.appending("kept/job-2.bin")])
        #expect(compared.end.isSuccess, "\(compared.standardOutput)")
        try await child.terminate()
    }

    private func makeFile(_ path: String, megabytes: Int) async throws {
        let result = try await ChildProcess.run(
            "/bin/dd", ["if=/dev/urandom", "of=\(path)", "bs=1M", "count=\(megabytes)"])
        #expect(result.end.isSuccess)
    }

    /// Peak resident memory of a child, in bytes.
    private func peakMemory(_ child: ChildProcess) throws -> Int {
        let status = String(decoding: try readFile("/proc/\(child.processID)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }
}
