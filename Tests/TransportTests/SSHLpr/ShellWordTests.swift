import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Testing

@testable import KioskSSHLpr

/// Commands as real login shells read them.
@Suite struct ShellWordTests {
    static let shells = [("sh", "dash"), ("bash", "bash"), ("tcsh", "tcsh"), ("fish", "fish")]
    private static let texts = [
        "plain", "", " two  blanks ", "it's", "'", "''", "\"", "\\", "\\'", "'\\", "\\\\'", "$HOME", "`id`", "$(id)",
        "!!", "a!b", "%b%s",
        "-n", "*", "~", "#", "领収書", "a;b|c&d<e>f", "{a,b}", "[a]", "?", "\u{1B}[31m", "\t", "a\nb",
    ]

    @Test(arguments: shells)
    func `a coded text comes through any login shell as it is`(_ shell: String, package: String) async throws {
        let program = try InstalledProgram.path(shell, package: package)
        let script = ShellScript(#"for text do printf "%b|" "$text"; done;"#)
        let line = script.command(Self.texts.map(ShellWord.escaped)).line
        let result = try await ChildProcess.run(program, ["-c", line])
        #expect(result.standardOutput == Self.texts.map { "\($0)|" }.joined(), "\(result.standardError)")
    }

    @Test(arguments: shells)
    func `every script is read by any login shell as sh reads it`(_ shell: String, package: String) async throws {
        let program = try InstalledProgram.path(shell, package: package)
        var scripts = [HostFacts.probe, ShellScript.convert, ShellScript.quota]
        for dialect in LprSettings.Dialect.allCases {
            scripts += [
                .stream(to: dialect), .spool(to: dialect), .file(to: dialect), .listing(dialect), .removal(dialect),
                .contact(dialect),
            ]
        }
        for script in scripts {
            // `sh -n` reads and does not run; what it gets is shown by its own words.
            let line = script.command(["a"]).line.replacing("exec sh -c ", with: "printf %s ")
            let result = try await ChildProcess.run(program, ["-c", line])
            let checked = try await ChildProcess.run(
                "/bin/sh", ["-n", "-c", String(result.standardOutput.dropLast("kioska".count))])
            #expect(checked.end.isSuccess, "\(checked.standardError)\(result.standardError)\n\(result.standardOutput)")
            let plain = try await ChildProcess.run("/bin/sh", ["-c", line])
            #expect(result.standardOutput == plain.standardOutput)
        }
    }

    @Test func `the probe knows a real CUPS, and how exactly head reads`() async throws {
        let result = try await ChildProcess.run("/bin/sh", ["-c", HostFacts.probe.command().line])
        let answer = RemoteResult(
            exit: .status(0), output: Array(("a login's greeting\n" + result.standardOutput).utf8)
        ).response
        let facts = try #require(answer.flatMap { HostFacts($0) })
        #expect(facts.dialect == .cups)
        #expect(facts.hasExactHead)
        #expect(facts.programs.isSuperset(of: ["lpr", "lpq", "lprm", "lpstat", "lpoptions"]))
    }
}
