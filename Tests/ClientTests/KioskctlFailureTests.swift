import Foundation
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@Suite struct KioskctlFailureTests {
    @Test func `a daemon that is not running is said with its socket and what to do`() async throws {
        let result = try await KioskctlProgram.run(["jobs"])
        #expect(result.end == .exited(69))
        #expect(
            result.standardError
                == "kioskctl: kioskd is not running: nothing listens at /nonexistent/kioskd.sock; start it, or correct $KIOSKD_SOCKET\n"
        )
    }

    @Test func `a missing right is said with what to do, and has an exit code of its own`() async throws {
        let problem = Problem(.notAllowed, detail: "that is for root; use sudo")
        let result = try await KioskctlProgram.run(["printers", "remove", "till-1"], KioskctlProgram.refusing(problem))
        #expect(result.end == .exited(77))
        #expect(result.standardError == "kioskctl: that is for root; use sudo\n")
    }

    @Test func `a refusal is shown with each of its findings`() async throws {
        let problem = Problem(
            .registryRefused, detail: "printers.yaml has 2 errors",
            problems: [
                .init(file: "printers.yaml", line: 7, column: 9, message: "\"urll\" is not known", instead: "url"),
                .init(file: "printers.yaml", line: 9, message: "till-9\u{1B}[2J is not saved"),
            ])
        let result = try await KioskctlProgram.run(["reload"], KioskctlProgram.refusing(problem))
        #expect(result.end == .exited(1))
        #expect(
            result.standardError == """
                kioskctl: printers.yaml has 2 errors
                kioskctl: printers.yaml:7:9: "urll" is not known; write url
                kioskctl: printers.yaml:9: till-9\\u{1b}[2J is not saved

                """)
    }

    @Test func `where too much is asked at once the exit code says to try again`() async throws {
        let problem = Problem(.overloaded, detail: "all users together have as many; try again in a moment")
        let result = try await KioskctlProgram.run(["jobs"], KioskctlProgram.refusing(problem))
        #expect(result.end == .exited(75))
        #expect(result.standardError == "kioskctl: all users together have as many; try again in a moment\n")
    }

    @Test func `a wait that is refused for the moment is asked for again, and told once`() async throws {
        let refusal = try Samples.json(
            Problem(.tooManyRequests, detail: "user 7 has as many waits as one user may have; try again in a moment"))
        let (job, end) = (try Samples.json(Samples.job()), try Samples.json(Samples.completed()))
        let refusals = Mutex(2)
        let server = try ScriptedServer { peer in
            // The client may send each on a connection of its own or not.
            while true {
                let request = try peer.readRequest()
                guard request.method == "GET" else {
                    try peer.respond(json: job)
                    continue
                }
                let isRefused = refusals.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if isRefused { try peer.respondProblem("429 No", refusal) } else { try peer.respond(json: end) }
            }
        }
        let result = try await KioskctlProgram.run(["print", "-", "--role", "receipt", "--wait"], server, input: "TEA")
        #expect(result.end == .exited(0), "\(result.standardError)")
        #expect(result.standardError.components(separatedBy: "user 7").count == 2, "\(result.standardError)")
        #expect(result.standardError.contains("asking again every 2 s"))
    }

    @Test(arguments: [
        (["print", "x"], "either --role <role> or --printer <id>"),
        (["print", "x", "--role", "a", "--printer", "b"], "either --role"),
        (["print", "-", "-", "--role", "a"], "only once"),
        (["print", "x", "--role", "a", "--timeout", "3"], "add --wait"),
        (["print", "x", "--role", "a", "--copies", "0"], "copies is 0; write a number from 1 to 999"),
        (["roles", "assign", "r", "till-1", "--job-type", "receipt,label"], "write one of general,document"),
        (["print", "x", "--role", "A"], "not a role name"),
        (["jobs", "--state", "done"], "\"done\" is not a job state"),
        (["printers", "add", "t", "http://x"], "scheme"), (["printers", "add", "t", "ipp://u:p@x"], "password"),
        (["frobnicate"], "Unexpected argument"),
    ]) func `a mistake in the command line says what to write`(_ arguments: [String], _ words: String) async throws {
        let result = try await KioskctlProgram.run(arguments)
        #expect(result.end == .exited(64))
        #expect(result.standardError.hasPrefix("kioskctl: "))
        #expect(result.standardError.contains(words), "\(result.standardError)")
        #expect(result.standardOutput == "")
    }
}
