import Foundation
import Glibc
import KioskAPI
import PrintModel
import Synchronization
import TestSupport
import Testing

/// The built program against a server that says what a test wants.
@Suite struct KioskctlProgramTests {
    private func run(
        _ arguments: [String], _ server: ScriptedServer? = nil, environment: [String: String] = [:], input: String = ""
    ) async throws -> ChildProcess.Result {
        let socket = server?.path ?? "/nonexistent/kioskd.sock"
        return try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), arguments,
            environment: ["KIOSKD_SOCKET": socket].merging(environment) { $1 }, input: input)
    }

    /// A server that gives these answers in order, whatever it is asked.
    private func server(_ answers: [String], status: String = "200 OK") throws -> ScriptedServer {
        try ScriptedServer { peer in
            for answer in answers {
                try peer.readRequest()
                try peer.answer(json: answer, status: status)
            }
            _ = peer.waitForEnd()
        }
    }

    private func refusing(_ problem: Problem) throws -> ScriptedServer {
        let json = try Samples.json(problem)
        return try ScriptedServer { peer in
            try peer.readRequest()
            try peer.answerProblem("\(problem.status) No", json)
        }
    }

    // MARK: print

    @Test func `prints a file and says the job's number`() async throws {
        let server = try server([Samples.json(Samples.job())])
        let folder = try TemporaryFolder()
        let file = try folder.write("Tea 2.50\n", to: "receipt.txt")
        let result = try await run(["print", file, "--role", "receipt", "--copies", "2"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput == "job 12 accepted for receipt (812 B)\n")
        #expect(result.standardError == "")
        let request = try #require(server.received.first)
        #expect(request.path == "/v1/jobs?role=receipt&name=receipt.txt&copies=2")
        #expect(request.headers["content-type"] == "text/plain")
        #expect(request.body == Array("Tea 2.50\n".utf8))
    }

    @Test func `waits for the printer's own confirmation`() async throws {
        let server = try server([Samples.json(Samples.job()), Samples.json(Samples.completed())])
        let folder = try TemporaryFolder()
        let file = try folder.write("Tea", to: "receipt.txt")
        let result = try await run(["print", file, "--role", "receipt", "--wait"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput == "job 12 completed on till-1: printed (printer's own confirmation), 38 ms\n")
        #expect(result.standardError == "")
    }

    @Test func `streams standard input, whose length nobody knows`() async throws {
        let server = try server([Samples.json(Samples.job())])
        let result = try await run(["print", "-", "-r", "receipt"], server, input: "Tea\n")
        #expect(result.end == .exited(0))
        let request = try #require(server.received.first)
        #expect(request.headers["transfer-encoding"] == "chunked")
        #expect(request.headers["content-type"] == nil)
        #expect(request.body == Array("Tea\n".utf8))
        #expect(request.path == "/v1/jobs?role=receipt&name=standard%20input")
    }

    @Test func `makes a job of each file, under a key of its own`() async throws {
        let server = try server([Samples.json(Samples.job(1)), Samples.json(Samples.job(2))])
        let folder = try TemporaryFolder()
        let files = try [folder.write("a", to: "a.txt"), folder.write("b", to: "b.pdf")]
        let result = try await run(["print"] + files + ["--printer", "till-1", "--idempotency-key", "k", "--json"], server)
        #expect(result.end == .exited(0))
        let jobs = try result.standardOutput.split(separator: "\n").map { try APIJSON.decode(Job.self, from: Array($0.utf8)) }
        #expect(jobs.map(\.id) == [1, 2])
        #expect(server.received.map { $0.headers["idempotency-key"] } == ["k-1", "k-2"])
        #expect(server.received.map { $0.headers["content-type"] } == ["text/plain", "application/pdf"])
    }

    @Test func `prints nothing at all when one file cannot be opened`() async throws {
        let server = try server([])
        let folder = try TemporaryFolder()
        let file = try folder.write("Tea", to: "receipt.txt")
        let result = try await run(["print", file, folder.appending("none.txt"), "--role", "receipt"], server)
        #expect(result.end == .exited(1))
        #expect(result.standardError == "kioskctl: \(folder.appending("none.txt")) cannot be opened: No such file or directory\n")
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        (JobState.aborted, false, 3, "failed"), (.canceled, false, 4, "was canceled"), (.pendingHeld, true, 5, "is unconfirmed"),
    ] as [(JobState, Bool, Int32, String)])
    func `a job that did not complete has a code of its own`(
        _ state: JobState, _ isUnconfirmed: Bool, _ code: Int32, _ words: String
    ) async throws {
        let ended = try Samples.job { job in
            job.state = state
            job.isUnconfirmed = isUnconfirmed
        }
        let server = try server([Samples.json(ended)])
        let folder = try TemporaryFolder()
        let result = try await run(["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait"], server)
        #expect(result.end == .exited(code))
        #expect(result.standardError.hasPrefix("kioskctl: job 12 \(words)"))
        #expect(result.standardOutput == "")
    }

    @Test func `a job that takes too long has a code of its own`() async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.answer(json: job)
            while try peer.readRequest().path.contains("wait=") {
                // As the daemon does: the answer comes when the wait is over.
                sleep(1)
                try peer.answer(json: job)
            }
        }
        let folder = try TemporaryFolder()
        let result = try await run(
            ["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait", "--timeout", "1"], server)
        #expect(result.end == .exited(6))
        #expect(result.standardError.hasPrefix("kioskctl: job 12 is pending"))
    }

    @Test func `Ctrl-C ends the waiting and says that the job goes on`() async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.answer(json: job)
            try peer.readRequest()
            _ = peer.waitForEnd()
        }
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            BuiltProducts.path("kioskctl"),
            ["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait", "--socket", server.path])
        try await eventually("the waiting") { server.received.count == 2 }
        child.signal(SIGINT)
        #expect(try await child.wait() == .exited(130))
        #expect(
            child.standardError
                == "kioskctl: interrupted: job 12 goes on; see `kioskctl job 12`, or stop with `kioskctl cancel 12`\n")
    }

    @Test func `Ctrl-C in the middle of a document makes no job`() async throws {
        let isAborted = Mutex(false)
        let server = try ScriptedServer { peer in
            do { try peer.readRequest() } catch { isAborted.withLock { $0 = true } }
        }
        let child = try ChildProcess(
            BuiltProducts.path("kioskctl"), ["print", "-", "--role", "receipt", "--socket", server.path])
        try child.write("half a receipt")
        try await eventually("the connection") { server.connectionCount == 1 }
        child.signal(SIGINT)
        #expect(try await child.wait() == .exited(130))
        #expect(
            child.standardError == "kioskctl: interrupted: - was not sent whole, and nothing of it is printed\n")
        try await eventually("the aborted upload") { isAborted.withLock(\.self) }
        #expect(server.received.isEmpty)
    }

    @Test func `waits on while the daemon restarts`() async throws {
        let (waiting, done) = (try Samples.json(Samples.job()), try Samples.json(Samples.completed()))
        let server = try ScriptedServer { peer in
            if peer.number == 1 {
                try peer.readRequest()
                try peer.answer(json: waiting)
            } else if peer.number > 2 {
                try peer.readRequest()
                try peer.answer(json: done)
            }
        }
        let folder = try TemporaryFolder()
        let result = try await run(["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput.hasPrefix("job 12 completed"))
    }

    @Test func `holds a document of 200 MB without keeping it in memory`() async throws {
        let isReleased = Mutex(false)
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            while !isReleased.withLock(\.self) { usleep(1000) }
            try peer.answer(json: job)
        }
        let folder = try TemporaryFolder()
        let file = try folder.write("%PDF-", to: "big.pdf")
        guard truncate(file, 200_000_000) == 0 else { throw TestSupportError.errno("truncate", errno) }
        let child = try ChildProcess(
            BuiltProducts.path("kioskctl"), ["print", file, "--role", "document", "--socket", server.path])
        try await eventually("the document") { server.received.count == 1 }
        let status = String(decoding: try readFile("/proc/\(child.processID)/status"), as: UTF8.self)
        let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let kilobytes = try #require(Int(peak.split(whereSeparator: \.isWhitespace)[1]))
        #expect(kilobytes < 64 << 10, "\(peak)")
        isReleased.withLock { $0 = true }
        #expect(try await child.wait() == .exited(0))
        #expect(server.received.first?.bodyLength == 200_000_000)
    }

    // MARK: Errors

    @Test func `a daemon that is not running is said with its socket and what to do`() async throws {
        let result = try await run(["jobs"])
        #expect(result.end == .exited(69))
        #expect(
            result.standardError
                == "kioskctl: kioskd is not running: nothing listens at /nonexistent/kioskd.sock; start it, or correct $KIOSKD_SOCKET\n")
    }

    @Test func `a refusal is shown with each of its findings`() async throws {
        let problem = Problem(
            .registryRefused, detail: "printers.yaml has 2 errors",
            problems: [
                .init(file: "printers.yaml", line: 7, column: 9, message: "\"urll\" is not known", instead: "url"),
                .init(file: "printers.yaml", line: 9, message: "till-9\u{1B}[2J is not saved"),
            ])
        let result = try await run(["reload"], refusing(problem))
        #expect(result.end == .exited(1))
        #expect(
            result.standardError == """
                kioskctl: printers.yaml has 2 errors
                kioskctl: printers.yaml:7:9: "urll" is not known; write url
                kioskctl: printers.yaml:9: till-9\\u{1b}[2J is not saved

                """)
    }

    @Test(arguments: [
        (["print", "x"], "either --role <role> or --printer <id>"), (["print", "x", "--role", "a", "--printer", "b"], "either --role"),
        (["print", "-", "-", "--role", "a"], "only once"), (["print", "x", "--role", "a", "--timeout", "3"], "add --wait"),
        (["print", "x", "--role", "a", "--copies", "0"], "copies is 0; write a number from 1 to 999"),
        (["print", "x", "--role", "A"], "no role's name"), (["jobs", "--state", "done"], "\"done\" is no job state"),
        (["printers", "add", "t", "http://x"], "scheme"), (["printers", "add", "t", "ipp://u:p@x"], "password"), (["frobnicate"], "Unexpected argument"),
    ]) func `a mistake in the command line says what to write`(_ arguments: [String], _ words: String) async throws {
        let result = try await run(arguments)
        #expect(result.end == .exited(64))
        #expect(result.standardError.hasPrefix("kioskctl: "))
        #expect(result.standardError.contains(words), "\(result.standardError)")
        #expect(result.standardOutput == "")
    }

    // MARK: health

    @Test(arguments: HealthReport.Status.allCases) func `health ends with the plugin's code`(_ status: HealthReport.Status) async throws {
        let report = HealthReport(
            checks: [.init(code: "test", status: status, message: "so it is")], printersAvailable: 1, printersSaved: 1,
            jobsWaiting: 0, jobsUnconfirmed: 0, oldestWaitingSeconds: nil)
        let result = try await run(["health"], server([Samples.json(report)]))
        #expect(result.end == .exited(status.exitCode))
        #expect(result.standardOutput.hasPrefix("KIOSKD \(status.rawValue.uppercased()) - "))
        #expect(result.standardOutput.filter { $0 == "\n" }.count == 1)
    }

    @Test func `health of a daemon that is not there is critical, as JSON too`() async throws {
        let line = try await run(["health"])
        #expect(line.end == .exited(2))
        #expect(line.standardOutput.hasPrefix("KIOSKD CRITICAL - kioskd is not running"))
        let json = try await run(["health", "--json"])
        #expect(json.end == .exited(2))
        #expect(try APIJSON.decode(HealthReport.self, from: Array(json.standardOutput.utf8)).status == .critical)
    }

    @Test func `health of a daemon that hangs is critical`() async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            _ = peer.waitForEnd()
        }
        let result = try await run(["health", "--timeout", "1"], server)
        #expect(result.end == .exited(2))
        #expect(result.standardOutput.contains("did not answer in time"))
    }

    // MARK: Printers, roles, completion

    @Test func `adding a printer saves it, appends it to the role and contacts it`() async throws {
        let status = try Samples.json(Samples.status("till-2"))
        let role = try Samples.json(Role(name: Samples.role("receipt"), printers: [Samples.printer("till-1")]))
        let server = try ScriptedServer { peer in
            while true {
                let request = try peer.readRequest()
                switch (request.method, request.path) {
                case ("GET", "/v1/printers/till-2"):
                    try peer.answerProblem("404 No", Samples.json(Problem(.unknownPrinter, detail: "no till-2")))
                case (_, "/v1/roles/receipt"): try peer.answer(json: role)
                default: try peer.answer(json: status)
                }
            }
        }
        let result = try await run(["printers", "add", "till-2", "ipp://192.0.2.10", "--role", "receipt", "--location", "Hall"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput.hasPrefix("till-2\n  url "))
        #expect(
            server.received.map { "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))" } == [
                "GET /v1/printers/till-2 ",
                #"PUT /v1/printers/till-2 {"location":"Hall","url":"ipp://192.0.2.10/ipp/print"}"#,
                "GET /v1/roles/receipt ",
                #"PUT /v1/roles/receipt {"job-type":"receipt","printers":["till-1","till-2"],"unconfirmed":"reprint"}"#,
                "POST /v1/printers/till-2/contact ",
            ])
    }

    @Test func `adding a printer does not overwrite one`() async throws {
        let server = try server([Samples.json(Samples.status("till-1"))])
        let result = try await run(["printers", "add", "till-1", "ipp://192.0.2.11"], server)
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("till-1 is saved already, for ipp://192.0.2.10/ipp/print"))
        #expect(server.received.map(\.method) == ["GET"])
    }

    @Test func `watches events as JSON lines until Ctrl-C`() async throws {
        let event = EngineEvent(id: 3, time: Timestamp(millisecondsSince1970: 0), kind: .jobCreated, job: try Samples.job())
        let text = String(decoding: try event.serverSentEvent().encoded, as: UTF8.self)
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + text)
            _ = peer.waitForEnd()
        }
        let child = try ChildProcess(BuiltProducts.path("kioskctl"), ["watch", "--json", "--socket", server.path])
        try await child.waitForOutput("\n")
        #expect(try APIJSON.decode(EngineEvent.self, from: Array(child.standardOutput.utf8)) == event)
        child.signal(SIGINT)
        #expect(try await child.wait() == .exited(130))
    }

    /// What bash offers behind `kioskctl printers show `.
    private func completions(_ server: ScriptedServer?) async throws -> [Substring] {
        let program = try BuiltProducts.path("kioskctl")
        let script = """
            source <("$0" --generate-completion-script bash)
            COMP_WORDS=("$0" printers show ''); COMP_CWORD=3; COMP_LINE="$0 printers show "; COMP_POINT=${#COMP_LINE}
            _kioskctl "$0" '' show
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await ChildProcess.run(
            InstalledProgram.path("bash", package: "bash"), ["-c", script, program],
            environment: ["KIOSKD_SOCKET": server?.path ?? "/nonexistent/kioskd.sock"])
        return result.standardOutput.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    }

    @Test func `bash completes printers by asking the daemon, and nothing without it`() async throws {
        let list = try Samples.json(PrinterList(printers: [Samples.status("till-1"), Samples.status("till-2")]))
        #expect(try await completions(server([list])).map { $0.trimmingCharacters(in: .whitespaces) } == ["till-1", "till-2"])
        #expect(try await completions(nil).isEmpty)
    }
}
