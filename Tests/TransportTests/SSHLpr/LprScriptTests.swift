import Foundation
import PrintModel
import SSH
import TestSupport
import Testing

@testable import SSHLpr

/// The scripts as `sh` runs them, whichever shell that is, with programs before them that do what real ones seldom do.
@Suite(.timeLimit(.minutes(2))) struct LprScriptTests {
    @Test(
        arguments: [
            "lpr: /run/spool: No space left on device", "lpr: $last: copy file is too large",
            "lpr: $last: No such file or directory",
        ], HostShell.allCases)
    func `what BSD's lpr kept of a document that it cut is taken back`(_ words: String, _ shell: HostShell) async throws
    {
        let desk = try ScriptDesk(
            shell, lpr: "for last; do :; done; echo \"\(words)\"",
            lpq: "echo \"1st    till       7    bcdfghjk-1-1                          2 bytes\"")
        let spooled = try await desk.run(.spool(to: .bsd), ["0", "3", "bcdfghjk-1-1", "q", "", "title"], input: "abc")
        #expect(spooled.end == .exited(RemoteStatus.takenInPart), "\(spooled.standardError)")
        #expect(spooled.standardError.contains(words.replacing("$last", with: "bcdfghjk-1-1")))
        #expect(desk.removed == "-P q 7\n")
        try desk.home.write("abc", to: ".kiosk-bcdfghjk-1-1-abcd")
        let uploaded = try await desk.run(
            .file(to: .bsd), ["0", "end", ".kiosk-bcdfghjk-1-1-abcd", "q", "", "title"], input: "end\n")
        #expect(uploaded.end == .exited(RemoteStatus.takenInPart), "\(uploaded.standardError)")
    }

    @Test(arguments: [("pdf", "", ""), ("ps", "2", ""), ("ps", "", "2")], HostShell.allCases)
    func `a conversion that nobody waits for any more leaves no document behind`(
        _ work: (format: String, pages: String, count: String), _ shell: HostShell
    ) async throws {
        let desk = try ScriptDesk(shell)
        let name = ".kiosk-bcdfghjk-1-1-abcd"
        for tool in ["pdftops", "psselect", "psnup"] {
            try desk.program(tool, "rm \"$HOME/\(name)\"; for last; do :; done; echo converted >\"$HOME/$last\"")
        }
        try desk.home.write("document", to: name)
        let result = try await desk.run(.convert, [name, work.format, work.pages, work.count, "", "", ""])
        #expect(result.end == .exited(RemoteStatus.cannotConvert), "\(result.standardError)")
        #expect(try desk.ownFiles().isEmpty)
    }

    @Test(arguments: LprSettings.Dialect.allCases, HostShell.allCases)
    func `cleaning up leaves alone what people have named alike`(
        _ dialect: LprSettings.Dialect, _ shell: HostShell
    ) async throws {
        let desk = try ScriptDesk(shell, lpq: "exit 0")
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3 * 86400)]
        for name in [".kiosk-settings", ".kiosk-bcdfghjk-a-b-c", ".kiosk-print-engine-abcdef"] {
            try FileManager.default.createDirectory(
                atPath: desk.home.appending(name), withIntermediateDirectories: false)
            try desk.home.write("mine", to: "\(name)/file")
        }
        for name in [".kiosk-notes", ".kiosk-bcdfghjk-1-1-abcd", ".kiosk-bcdfghjk-1-1-abcd.part"] {
            try desk.home.write("", to: name)
        }
        for name in try desk.ownFiles() {
            try FileManager.default.setAttributes(old, ofItemAtPath: desk.home.appending(name))
        }
        let other = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: other.appending(".kiosk-print-engine-abcdef"), withIntermediateDirectories: false)
        try FileManager.default.setAttributes(old, ofItemAtPath: other.appending(".kiosk-print-engine-abcdef"))
        let result = try await desk.run(.contact(dialect), ["q"], environment: ["TMPDIR": other.path])
        #expect(result.end.isSuccess, "\(result.standardError)")
        #expect(
            try desk.ownFiles() == [
                ".kiosk-bcdfghjk-a-b-c", ".kiosk-notes", ".kiosk-print-engine-abcdef", ".kiosk-settings",
            ])
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).isEmpty)
    }
}
