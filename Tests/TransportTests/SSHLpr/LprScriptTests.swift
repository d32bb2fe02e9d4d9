import Foundation
import PrintModel
import SSH
import TestSupport
import Testing

@testable import SSHLpr

/// The scripts as `sh` runs them, with programs before them that do what real ones seldom do.
@Suite struct LprScriptTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try program("lprm", "echo \"$@\" >>\"$HOME/lprm.log\"")
    }

    private func program(_ name: String, _ text: String) throws {
        try writeProgram("#!/bin/sh\n\(text)\n", to: folder.appending(name))
    }

    /// Runs a script with `input` before it.
    private func run(_ script: ShellScript, _ arguments: [String], input: String) async throws -> ChildProcess.Result {
        let file = try folder.write(input, to: "input")
        let path = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        return try await ChildProcess.run(
            "/bin/sh", ["-c", "exec <'\(file)'; \(script.command(arguments).line)"], environment: ["HOME": folder.path, "PATH": path])
    }

    private var removed: String { (try? String(contentsOfFile: folder.appending("lprm.log"), encoding: .utf8)) ?? "" }

    @Test(arguments: LprSettings.Dialect.allCases)
    func `lpr that ends well before it has read everything has a status of its own`(_ dialect: LprSettings.Dialect) async throws {
        try program("lpr", "head -c 10 >/dev/null")
        try program("lpq", "echo nothing")
        let words = ["0", "3000000", "bcdfghjk-1-1 sent", "bcdfghjk-1-1", "q", "", "title"]
        let input = String(repeating: "a", count: 3_000_000) + "bcdfghjk-1-1 sent\n"
        let result = try await run(.stream(to: dialect), words, input: input)
        #expect(result.end == .exited(RemoteStatus.takenInPart), "\(result.standardError)")
        #expect(!result.standardOutput.contains(ShellScript.answerMark))
    }

    @Test(arguments: ["lpr: /run/bcdfghjk-1-1: No space left on device", "lpr: bcdfghjk-1-1: copy file is too large"])
    func `what BSD's lpr kept of a document that it cut is taken back`(_ words: String) async throws {
        try program("lpr", "echo \"\(words)\"")
        try program("lpq", "echo \"1st    till       7    bcdfghjk-1-1                          2 bytes\"")
        let spooled = try await run(.spool(to: .bsd), ["0", "3", "bcdfghjk-1-1", "q", "", "title"], input: "abc")
        #expect(spooled.end == .exited(RemoteStatus.takenInPart), "\(spooled.standardError)")
        #expect(spooled.standardError.contains(words))
        #expect(removed == "-P q 7\n")
        try folder.write("abc", to: ".kiosk-bcdfghjk-1-1-abcd")
        let uploaded = try await run(.file(to: .bsd), ["0", "end", ".kiosk-bcdfghjk-1-1-abcd", "q", "", "title"], input: "end\n")
        #expect(uploaded.end == .exited(RemoteStatus.takenInPart), "\(uploaded.standardError)")
    }

    @Test func `a cut job is taken back whatever its owner is called`() async throws {
        try program("lpr", "exec cat >/dev/null")
        try program(
            "lpq",
            """
            echo "q is ready"; echo "Rank    Owner   Job     File(s)                         Total Size"
            echo "1st     Jo * Do 6       another                         1024 bytes"
            echo "2nd     Ann Lee 7       bcdfghjk-1-1 title              0 bytes"
            """)
        let words = ["0", "3000000", "bcdfghjk-1-1 sent", "bcdfghjk-1-1", "q", "", "title"]
        let result = try await run(.stream(to: .cups), words, input: "abc")
        #expect(!result.end.isSuccess)
        #expect(removed == "-P q 7\n", "\(result.standardError)")
    }

    @Test(arguments: LprSettings.Dialect.allCases)
    func `the status of lpq behind a taken job comes after the answer's mark`(_ dialect: LprSettings.Dialect) async throws {
        try program("lpr", "cat >/dev/null")
        try program("lpq", "echo \"lpq: Unable to connect to server.\"; exit 1")
        let streamed = try await run(
            .stream(to: dialect), ["0", "3", "end", "bcdfghjk-1-1", "q", "", "title"], input: "abcend\n")
        #expect(streamed.end == .exited(1))
        #expect(streamed.standardOutput.contains("\(ShellScript.answerMark)\nlpq: Unable"))
        let spooled = try await run(.spool(to: dialect), ["0", "3", "bcdfghjk-1-1", "q", "", "title"], input: "abc")
        #expect(spooled.end == .exited(1))
        #expect(spooled.standardOutput.contains("\(ShellScript.answerMark)\nlpq: Unable"))
    }

    @Test(arguments: [("pdf", "", ""), ("ps", "2", ""), ("ps", "", "2")])
    func `a conversion that nobody waits for any more leaves no document behind`(_ format: String, _ pages: String, _ count: String) async throws {
        let name = ".kiosk-bcdfghjk-1-1-abcd"
        for tool in ["pdftops", "psselect", "psnup"] {
            try program(tool, "rm \"$HOME/\(name)\"; for last; do :; done; echo converted >\"$HOME/$last\"")
        }
        try folder.write("document", to: name)
        let result = try await run(.convert, [name, format, pages, count, "", "", ""], input: "")
        #expect(result.end == .exited(RemoteStatus.cannotConvert), "\(result.standardError)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".kiosk-") }.isEmpty)
    }

    @Test(arguments: LprSettings.Dialect.allCases)
    func `cleaning up leaves alone what people have named alike`(_ dialect: LprSettings.Dialect) async throws {
        try program("lpq", "exit 0")
        let home = folder.path
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3 * 86400)]
        for name in [".kiosk-settings", ".kiosk-bcdfghjk-a-b-c", ".kiosk-print-engine-abcdef"] {
            try FileManager.default.createDirectory(atPath: "\(home)/\(name)", withIntermediateDirectories: false)
            try folder.write("mine", to: "\(name)/file")
        }
        for name in [".kiosk-notes", ".kiosk-bcdfghjk-1-1-abcd", ".kiosk-bcdfghjk-1-1-abcd.part"] { try folder.write("", to: name) }
        for name in try FileManager.default.contentsOfDirectory(atPath: home) where name.hasPrefix(".kiosk-") {
            try FileManager.default.setAttributes(old, ofItemAtPath: "\(home)/\(name)")
        }
        let other = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: other.appending(".kiosk-print-engine-abcdef"), withIntermediateDirectories: false)
        try FileManager.default.setAttributes(old, ofItemAtPath: other.appending(".kiosk-print-engine-abcdef"))
        let line = ShellScript.contact(dialect).command(["q"]).line
        let path = "\(home):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        let result = try await ChildProcess.run("/bin/sh", ["-c", line], environment: ["HOME": home, "TMPDIR": other.path, "PATH": path])
        #expect(result.end.isSuccess, "\(result.standardError)")
        let left = try FileManager.default.contentsOfDirectory(atPath: home).filter { $0.hasPrefix(".kiosk-") }.sorted()
        #expect(left == [".kiosk-bcdfghjk-a-b-c", ".kiosk-notes", ".kiosk-print-engine-abcdef", ".kiosk-settings"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).isEmpty)
    }
}
