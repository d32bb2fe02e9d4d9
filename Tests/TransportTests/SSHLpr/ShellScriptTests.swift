import Foundation
import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Testing

@testable import KioskSSHLpr

/// The script that sends while the document comes, as `sh` runs it, whichever shell that is.
@Suite(.timeLimit(.minutes(10))) struct SendingScriptTests {
    private static let words = ["0", "3000000", "bcdfghjk-1-1 sent", "bcdfghjk-1-1", "q", "", "title"]
    private static let document = String(repeating: "a", count: 3_000_000) + "bcdfghjk-1-1 sent\n"

    @Test(arguments: LprSettings.Dialect.allCases, HostShell.allCases)
    func `lpr that ends well before it has read everything has a status of its own`(
        _ dialect: LprSettings.Dialect, _ shell: HostShell
    ) async throws {
        let runner = try ScriptRunner(shell, lpr: "head -c 10 >/dev/null")
        let result = try await runner.run(.stream(to: dialect), Self.words, input: Self.document)
        #expect(result.end == .exited(RemoteStatus.acceptedInPart), "\(result.standardError)")
        #expect(!result.standardOutput.contains(ShellScript.responseMarker))
    }

    @Test(arguments: HostShell.allCases)
    func `lpr that refuses a long document early ends with its own status, each time`(_ shell: HostShell) async throws {
        let runner = try ScriptRunner(shell, lpr: "head -c 10 >/dev/null; echo \"lpr: no\" >&2; exit 4")
        for _ in 0..<rounds(30, long: 300) {
            let result = try await runner.run(.stream(to: .cups), Self.words, input: Self.document)
            #expect(result.end == .exited(4), "\(result.standardError)")
            #expect(result.standardError.hasSuffix("lpr: no\n"))
        }
    }

    @Test(arguments: HostShell.allCases)
    func `an lpr that was killed tells nothing of its job`(_ shell: HostShell) async throws {
        let runner = try ScriptRunner(shell, lpr: "kill -KILL $$")
        let result = try await runner.run(.stream(to: .cups), Self.words, input: Self.document)
        #expect(result.end == .exited(128 + 9), "\(result.standardError)")
    }

    @Test(arguments: ["", "trap \"\" TERM;"], HostShell.allCases)
    func `a site's own lpr ends with the program behind it when the document is cut`(
        _ trap: String, _ shell: HostShell
    ) async throws {
        let runner = try ScriptRunner(shell, lpr: "\"$0-real\"; touch \"$HOME/ended\"; exit 0")
        try runner.program(
            "lpr-real", "\(trap) touch \"$HOME/begun\"; while read row; do :; done; touch \"$HOME/printed\"")
        let feeder = "echo abc; until [ -e \"$HOME/begun\" ]; do sleep 0.05; done"
        let result = try await runner.run(.stream(to: .cups), Self.words, fedBy: feeder)
        #expect(!result.end.isSuccess)
        #expect(!isAnyProcess(containing: runner.home.appending("lpr-real")))
        #expect(!runner.has("ended") && !runner.has("printed"))
    }

    /// `cupsd` prints what it has of a document whose sender ended at a bad moment.
    @Test(arguments: HostShell.allCases)
    func `CUPS's job is removed while its lpr still waits for the document's rest`(_ shell: HostShell) async throws {
        let runner = try ScriptRunner(
            shell, lpr: "echo $$ >\"$HOME/pid\"; touch \"$HOME/begun\"; exec cat >/dev/null",
            lpq: "echo \"1st     till    7       bcdfghjk-1-1 title              0 bytes\"")
        try runner.program(
            "lprm", "{ kill -0 \"$(cat \"$HOME/pid\")\" && echo alive; echo \"$@\"; } >>\"$HOME/lprm.log\"")
        let feeder = "echo abc; until [ -e \"$HOME/begun\" ]; do sleep 0.05; done"
        let result = try await runner.run(.stream(to: .cups), Self.words, fedBy: feeder)
        #expect(!result.end.isSuccess)
        #expect(runner.removed == "alive\n-P q 7\n", "\(result.standardError)")
    }

    @Test(arguments: HostShell.allCases)
    func `a cut job is taken back, and no other, whatever owners and titles are called`(_ shell: HostShell) async throws
    {
        let runner = try ScriptRunner(
            shell,
            lpq: """
                echo "q is ready"; echo "Rank    Owner   Job     File(s)                         Total Size"
                echo "1st     Jo * Do 6       another                         1024 bytes"
                echo "2nd     Ann Lee 7       bcdfghjk-1-1 title              0 bytes"
                echo "3rd     till    8       bcdfghjk-9-1 - bcdfghjk-1-1 x   1024 bytes"
                echo "4th     till    9       bcdfghjk-8-1 5 bcdfghjk-1-1 x   1024 bytes"
                """)
        let result = try await runner.run(.stream(to: .cups), Self.words, input: "abc")
        #expect(!result.end.isSuccess)
        #expect(runner.removed == "-P q 7\n", "\(result.standardError)")
    }

    @Test(arguments: LprSettings.Dialect.allCases, HostShell.allCases)
    func `the status of lpq behind a taken job comes after the answer's mark`(
        _ dialect: LprSettings.Dialect, _ shell: HostShell
    ) async throws {
        let runner = try ScriptRunner(
            shell, lpr: "cat >/dev/null", lpq: "echo \"lpq: Unable to connect to server.\"; exit 1")
        let streamed = try await runner.run(
            .stream(to: dialect), ["0", "3", "end", "bcdfghjk-1-1", "q", "", "title"], input: "abcend\n")
        #expect(streamed.end == .exited(1))
        #expect(streamed.standardOutput.contains("\(ShellScript.responseMarker)\nlpq: Unable"))
        let spooled = try await runner.run(
            .spool(to: dialect), ["0", "3", "bcdfghjk-1-1", "q", "", "title"], input: "abc")
        #expect(spooled.end == .exited(1))
        #expect(spooled.standardOutput.contains("\(ShellScript.responseMarker)\nlpq: Unable"))
    }
}

/// The scripts as `sh` runs them, whichever shell that is, with programs before them that do what real ones seldom do.
@Suite(.timeLimit(.minutes(10))) struct LprScriptTests {
    @Test(
        arguments: [
            "lpr: /run/spool: No space left on device", "lpr: $last: copy file is too large",
            "lpr: $last: No such file or directory",
        ], HostShell.allCases)
    func `what BSD's lpr kept of a document that it cut is taken back`(_ words: String, _ shell: HostShell) async throws
    {
        let runner = try ScriptRunner(
            shell, lpr: "for last; do :; done; echo \"\(words)\"",
            lpq: "echo \"1st    till       7    bcdfghjk-1-1                          2 bytes\"")
        let spooled = try await runner.run(
            .spool(to: .bsd), ["0", "3", "bcdfghjk-1-1", "q", "", "title"], input: "abc")
        #expect(spooled.end == .exited(RemoteStatus.acceptedInPart), "\(spooled.standardError)")
        #expect(spooled.standardError.contains(words.replacing("$last", with: "bcdfghjk-1-1")))
        #expect(runner.removed == "-P q 7\n")
        try runner.home.write("abc", to: ".kiosk-bcdfghjk-1-1-abcd")
        let uploaded = try await runner.run(
            .file(to: .bsd), ["0", "end", ".kiosk-bcdfghjk-1-1-abcd", "q", "", "title"], input: "end\n")
        #expect(uploaded.end == .exited(RemoteStatus.acceptedInPart), "\(uploaded.standardError)")
    }

    @Test(arguments: [("pdf", "", ""), ("ps", "2", ""), ("ps", "", "2")], HostShell.allCases)
    func `a conversion that nobody waits for any more leaves no document behind`(
        _ work: (format: String, pages: String, count: String), _ shell: HostShell
    ) async throws {
        let runner = try ScriptRunner(shell)
        let name = ".kiosk-bcdfghjk-1-1-abcd"
        for tool in ["pdftops", "psselect", "psnup"] {
            try runner.program(tool, "rm \"$HOME/\(name)\"; for last; do :; done; echo converted >\"$HOME/$last\"")
        }
        try runner.home.write("document", to: name)
        let result = try await runner.run(.convert, [name, work.format, work.pages, work.count, "", "", ""])
        #expect(result.end == .exited(RemoteStatus.cannotConvert), "\(result.standardError)")
        #expect(try runner.ownFiles().isEmpty)
    }

    @Test(arguments: LprSettings.Dialect.allCases, HostShell.allCases)
    func `cleaning up leaves alone what people have named alike`(
        _ dialect: LprSettings.Dialect, _ shell: HostShell
    ) async throws {
        let runner = try ScriptRunner(shell, lpq: "exit 0")
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3 * 86400)]
        for name in [".kiosk-settings", ".kiosk-bcdfghjk-a-b-c", ".kiosk-print-engine-abcdef"] {
            try FileManager.default.createDirectory(
                atPath: runner.home.appending(name), withIntermediateDirectories: false)
            try runner.home.write("mine", to: "\(name)/file")
        }
        for name in [".kiosk-notes", ".kiosk-bcdfghjk-1-1-abcd", ".kiosk-bcdfghjk-1-1-abcd.part"] {
            try runner.home.write("", to: name)
        }
        for name in try runner.ownFiles() {
            try FileManager.default.setAttributes(old, ofItemAtPath: runner.home.appending(name))
        }
        let other = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: other.appending(".kiosk-print-engine-abcdef"), withIntermediateDirectories: false)
        try FileManager.default.setAttributes(old, ofItemAtPath: other.appending(".kiosk-print-engine-abcdef"))
        let result = try await runner.run(.contact(dialect), ["q"], environment: ["TMPDIR": other.path])
        #expect(result.end.isSuccess, "\(result.standardError)")
        #expect(
            try runner.ownFiles() == [
                ".kiosk-bcdfghjk-a-b-c", ".kiosk-notes", ".kiosk-print-engine-abcdef", ".kiosk-settings",
            ])
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).isEmpty)
    }
}
