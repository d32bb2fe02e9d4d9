import Foundation
import PrintModel
import TestSupport
import Testing

/// kioskctl on a terminal of its own, which script(1) makes.
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
