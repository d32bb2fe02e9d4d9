import Foundation
import KioskTestSupport
import Testing

/// What `kioskctl simulate` draws.
@Suite struct SimulatePaperTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("paper") }

    private func draw(_ arguments: String...) async throws -> ChildProcess.Result {
        try await ChildProcess.run(try BuiltProducts.path("kioskctl"), ["simulate", "draw"] + arguments)
    }

    @Test func `a job that came out is there as a picture and as a list of commands`() async throws {
        let child = try ChildProcess(
            try BuiltProducts.path("kioskctl"),
            ["simulate", "--json", "--paper", folder.appending("drawn"), "--save", folder.appending("kept")])
        try await child.waitForOutput("\"started\"")
        let uri = try #require(
            child.standardOutput.split(separator: "\"").first { $0.hasPrefix("ipp://") }.map(String.init))
        let receipt = try folder.write("\u{1B}@Thank you\n\u{1B}d\u{4}\u{1D}V\u{0}", to: "receipt.bin")
        #expect(try await Ipptool.run("print-job.test", on: uri, file: receipt).end.isSuccess)
        try await eventually("the paper was drawn") {
            FileManager.default.fileExists(atPath: folder.appending("drawn/job-1.txt"))
        }
        let dump = String(decoding: try readFile(folder.appending("drawn/job-1.txt")), as: UTF8.self)
        #expect(dump.contains("     2   \"Thank you\"\n"))
        #expect(try readFile(folder.appending("drawn/job-1.png")).starts(with: [0x89, 0x50, 0x4E, 0x47]))
        // The same as the file drawn by itself.
        let alone = try await draw(receipt, "--output", folder.appending("alone.png"), "--dump")
        #expect(alone.standardOutput == dump)
        #expect(try readFile(folder.appending("alone.png")) == readFile(folder.appending("drawn/job-1.png")))
        let pdf = try folder.write("%PDF-1.4\n", to: "some.bin")
        #expect(try await Ipptool.run("print-job.test", on: uri, file: pdf).end.isSuccess)
        #expect(try await child.terminate() == .exited(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending("drawn")).count == 2)
    }

    @Test func `a file is listed, or drawn as wide as the paper is`() async throws {
        let receipt = try folder.write("Total\n\u{1B}~", to: "receipt.bin")
        let listed = try await draw(receipt)
        #expect(listed.standardOutput == "     0   \"Total\"\n     5   LF\n     6 ! unknown 1B 7E\n")
        let drawn = try await draw(receipt, "-o", folder.appending("narrow.png"), "--dots", "384")
        #expect(drawn.standardOutput.isEmpty)
        #expect(
            drawn.standardError == "kioskctl: a printer would refuse or skip 1 of the commands; --dump shows them\n")
        // The width in the header, margins and all.
        #expect(try readFile(folder.appending("narrow.png"))[16..<20].elementsEqual([0, 0, 1, 0xC0]))
    }

    @Test func `what cannot be drawn is told in one line`() async throws {
        let pdf = try folder.write("%PDF-1.4\n", to: "some.pdf")
        for arguments in [[pdf], [folder.appending("nowhere")], [pdf, "--language", "latin"], [pdf, "--dots", "7"]] {
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), ["simulate", "draw"] + arguments)
            #expect(!result.end.isSuccess)
            #expect(
                result.standardError.hasPrefix("kioskctl: ") || result.standardError.hasPrefix("Error: "),
                "\(result.standardError)")
        }
        let busy = try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"), ["simulate", "--paper", "/proc/none"])
        #expect(busy.standardError.hasPrefix("kioskctl: cannot make /proc/none: "))
    }

    @Test(arguments: [("simulate", ["simulate", "--help"]), ("simulate-draw", ["simulate", "draw", "--help"])])
    func `help is as it was reviewed`(_ name: String, _ arguments: [String]) async throws {
        let help = try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"), arguments, environment: ["COLUMNS": "80"]
        ).standardOutput
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden/kioskctl-help/\(name).txt")
        if ProcessInfo.processInfo.environment["RECORD_HELP"] != nil { try Data(help.utf8).write(to: file) }
        #expect(help == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
