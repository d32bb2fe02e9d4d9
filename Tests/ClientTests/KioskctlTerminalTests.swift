import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import kioskctl

/// kioskctl on a terminal that script(1) makes.
@Suite struct KioskctlTerminalTests {
    private func onTerminal(
        _ command: String, _ server: ScriptedServer, environment: [String: String] = [:]
    ) async throws -> String {
        let script = try InstalledProgram.path("script", package: "bsdutils")
        let program = try BuiltProducts.path("kioskctl")
        let result = try await ChildProcess.run(
            script, ["-qec", "'\(program)' \(command)", "/dev/null"],
            environment: ["KIOSKD_SOCKET": server.path, "TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
        #expect(result.end == .exited(0))
        return result.standardOutput
    }

    @Test func `colours on a terminal, and not against a person's wish`() async throws {
        func jobs(_ environment: [String: String]) async throws -> String {
            let list = #"{"jobs":[\#(try Samples.json(Samples.completed()))]}"#
            return try await onTerminal("jobs", KioskctlProgram.server([list]), environment: environment)
        }
        #expect(try await jobs([:]).contains("\u{1B}[32mcompleted\u{1B}[0m"))
        #expect(try await !jobs(["NO_COLOR": "1"]).contains("\u{1B}"))
        #expect(try await !jobs(["TERM": "dumb"]).contains("\u{1B}"))
    }

    @Test func `shows how the job does while a person waits, and clears it`() async throws {
        let (waiting, done) = (
            try Samples.json(Samples.job { $0.stateReasons = ["printer-stopped"] }),
            try Samples.json(Samples.completed())
        )
        let server = try KioskctlProgram.server([waiting, waiting, done])
        let folder = try TemporaryFolder()
        let file = try folder.write("Tea", to: "r.txt")
        let output = try await onTerminal("print '\(file)' --role receipt --wait", server)
        #expect(output.contains("\rjob 12 is pending: printer-stopped\u{1B}[K\r\u{1B}[K"))
        #expect(output.hasSuffix("job 12 completed on till-1: printed (printer's own confirmation), 38 ms\r\n"))
    }
}

/// The detection of terminals that show pictures, and the pictures' encoding.
@Suite struct TerminalPicturesTests {
    @Test(
        arguments: [
            ([:], nil), (["TERM": "xterm-256color"], nil), (["TERM": "xterm-kitty"], .kitty),
            (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "3"], .kitty),
            (["TERM": "xterm-ghostty"], .kitty), (["TERM_PROGRAM": "ghostty"], .kitty),
            (["TERM_PROGRAM": "iTerm.app"], .inline),
            (["TERM_PROGRAM": "WezTerm"], .inline), (["TERM_PROGRAM": "mintty"], .inline),
            (["LC_TERMINAL": "iTerm2"], .inline),
            (["TERM_PROGRAM": "vscode"], nil), (["TERM_PROGRAM": "Apple_Terminal"], nil),
            (["KITTY_WINDOW_ID": ""], nil),
            // A multiplexer in between would lose the picture.
            (["TERM": "tmux-256color", "KITTY_WINDOW_ID": "3"], nil),
            (["TERM": "screen", "TERM_PROGRAM": "iTerm.app"], nil),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0"], nil), (["TERM": "xterm-kitty", "STY": "1.tty"], nil),
            (["TERM": "dumb", "KITTY_WINDOW_ID": "3"], nil),
        ] as [([String: String], TerminalPictures?)])
    func `terminals are known by their variables`(environment: [String: String], pictures: TerminalPictures?) {
        #expect(TerminalPictures { environment[$0] } == pictures)
    }

    @Test(arguments: [0, 1, 2, 3, 3071, 3072, 3073, 10_000]) func `a long picture goes in pieces`(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let pieces = TerminalPictures.kitty.text(showing: bytes).dropLast().split(separator: "\u{1B}\\").map {
            $0.dropFirst(3)
        }
        let texts = pieces.map { $0.split(separator: ";", omittingEmptySubsequences: false)[1] }
        #expect(texts.allSatisfy { $0.utf8.count <= 4096 })
        #expect(pieces.map { $0.contains("m=1;") } == pieces.indices.map { $0 < pieces.count - 1 })
        #expect(Data(base64Encoded: texts.joined()) == Data(bytes))
        #expect(pieces.count == max((length + 3071) / 3072, 1))
    }
}
