import PrintModel
import SSH
import TestSupport
import Testing

@testable import SSHLpr

/// The script that sends while the document comes, as `sh` runs it, whichever shell that is.
@Suite(.timeLimit(.minutes(2))) struct SendingScriptTests {
    private static let words = ["0", "3000000", "bcdfghjk-1-1 sent", "bcdfghjk-1-1", "q", "", "title"]
    private static let document = String(repeating: "a", count: 3_000_000) + "bcdfghjk-1-1 sent\n"

    @Test(arguments: LprSettings.Dialect.allCases, HostShell.allCases)
    func `lpr that ends well before it has read everything has a status of its own`(
        _ dialect: LprSettings.Dialect, _ shell: HostShell
    ) async throws {
        let desk = try ScriptDesk(shell, lpr: "head -c 10 >/dev/null")
        let result = try await desk.run(.stream(to: dialect), Self.words, input: Self.document)
        #expect(result.end == .exited(RemoteStatus.takenInPart), "\(result.standardError)")
        #expect(!result.standardOutput.contains(ShellScript.answerMark))
    }

    @Test(arguments: HostShell.allCases)
    func `lpr that refuses a long document early ends with its own status, each time`(_ shell: HostShell) async throws {
        let desk = try ScriptDesk(shell, lpr: "head -c 10 >/dev/null; echo \"lpr: no\" >&2; exit 4")
        for _ in 0..<rounds(30, long: 300) {
            let result = try await desk.run(.stream(to: .cups), Self.words, input: Self.document)
            #expect(result.end == .exited(4), "\(result.standardError)")
            #expect(result.standardError.hasSuffix("lpr: no\n"))
        }
    }

    @Test(arguments: HostShell.allCases)
    func `an lpr that was killed tells nothing of its job`(_ shell: HostShell) async throws {
        let desk = try ScriptDesk(shell, lpr: "kill -KILL $$")
        let result = try await desk.run(.stream(to: .cups), Self.words, input: Self.document)
        #expect(result.end == .exited(128 + 9), "\(result.standardError)")
    }

    @Test(arguments: ["", "trap \"\" TERM;"], HostShell.allCases)
    func `a site's own lpr ends with the program behind it when the document is cut`(
        _ trap: String, _ shell: HostShell
    ) async throws {
        let desk = try ScriptDesk(shell, lpr: "\"$0-real\"; touch \"$HOME/ended\"; exit 0")
        try desk.program(
            "lpr-real", "\(trap) touch \"$HOME/begun\"; while read row; do :; done; touch \"$HOME/printed\"")
        let feeder = "echo abc; until [ -e \"$HOME/begun\" ]; do sleep 0.05; done"
        let result = try await desk.run(.stream(to: .cups), Self.words, fedBy: feeder)
        #expect(!result.end.isSuccess)
        #expect(!isAnyProcess(containing: desk.home.appending("lpr-real")))
        #expect(!desk.has("ended") && !desk.has("printed"))
    }

    @Test(arguments: HostShell.allCases)
    func `a cut job is taken back, and no other, whatever owners and titles are called`(_ shell: HostShell) async throws
    {
        let desk = try ScriptDesk(
            shell,
            lpq: """
                echo "q is ready"; echo "Rank    Owner   Job     File(s)                         Total Size"
                echo "1st     Jo * Do 6       another                         1024 bytes"
                echo "2nd     Ann Lee 7       bcdfghjk-1-1 title              0 bytes"
                echo "3rd     till    8       bcdfghjk-9-1 - bcdfghjk-1-1 x   1024 bytes"
                echo "4th     till    9       bcdfghjk-8-1 5 bcdfghjk-1-1 x   1024 bytes"
                """)
        let result = try await desk.run(.stream(to: .cups), Self.words, input: "abc")
        #expect(!result.end.isSuccess)
        #expect(desk.removed == "-P q 7\n", "\(result.standardError)")
    }

    @Test(arguments: LprSettings.Dialect.allCases, HostShell.allCases)
    func `the status of lpq behind a taken job comes after the answer's mark`(
        _ dialect: LprSettings.Dialect, _ shell: HostShell
    ) async throws {
        let desk = try ScriptDesk(
            shell, lpr: "cat >/dev/null", lpq: "echo \"lpq: Unable to connect to server.\"; exit 1")
        let streamed = try await desk.run(
            .stream(to: dialect), ["0", "3", "end", "bcdfghjk-1-1", "q", "", "title"], input: "abcend\n")
        #expect(streamed.end == .exited(1))
        #expect(streamed.standardOutput.contains("\(ShellScript.answerMark)\nlpq: Unable"))
        let spooled = try await desk.run(
            .spool(to: dialect), ["0", "3", "bcdfghjk-1-1", "q", "", "title"], input: "abc")
        #expect(spooled.end == .exited(1))
        #expect(spooled.standardOutput.contains("\(ShellScript.answerMark)\nlpq: Unable"))
    }
}
