import Foundation
import Glibc
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@Suite struct KioskctlPrintTests {
    @Test func `prints a file and says the job's number`() async throws {
        let server = try KioskctlProgram.server([Samples.json(Samples.job())])
        let folder = try TemporaryFolder()
        let file = try folder.write("Tea 2.50\n", to: "receipt.txt")
        let result = try await KioskctlProgram.run(["print", file, "--role", "receipt", "--copies", "2"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput == "job 12 accepted for receipt (812 B)\n")
        #expect(result.standardError == "")
        let request = try #require(server.received.first)
        #expect(request.path == "/v1/jobs?role=receipt&name=receipt.txt&copies=2")
        #expect(request.headers["content-type"] == "text/plain")
        #expect(request.body == Array("Tea 2.50\n".utf8))
    }

    @Test func `waits for the printer's own confirmation`() async throws {
        let server = try KioskctlProgram.server([Samples.json(Samples.job()), Samples.json(Samples.completed())])
        let folder = try TemporaryFolder()
        let file = try folder.write("Tea", to: "receipt.txt")
        let result = try await KioskctlProgram.run(["print", file, "--role", "receipt", "--wait"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput == "job 12 completed on till-1: printed (printer's own confirmation), 38 ms\n")
        #expect(result.standardError == "")
    }

    @Test func `streams standard input, whose length nobody knows`() async throws {
        let server = try KioskctlProgram.server([Samples.json(Samples.job())])
        let result = try await KioskctlProgram.run(["print", "-", "-r", "receipt"], server, input: "Tea\n")
        #expect(result.end == .exited(0))
        let request = try #require(server.received.first)
        #expect(request.headers["transfer-encoding"] == "chunked")
        #expect(request.headers["content-type"] == nil)
        #expect(request.body == Array("Tea\n".utf8))
        #expect(request.path == "/v1/jobs?role=receipt&name=standard%20input")
    }

    @Test func `makes a job of each file, under a key of its own`() async throws {
        let server = try KioskctlProgram.server([Samples.json(Samples.job(1)), Samples.json(Samples.job(2))])
        let folder = try TemporaryFolder()
        let files = try [folder.write("a", to: "a.txt"), folder.write("b", to: "b.pdf")]
        let result = try await KioskctlProgram.run(
            ["print"] + files + ["--printer", "till-1", "--idempotency-key", "k", "--json"], server)
        #expect(result.end == .exited(0))
        let jobs = try result.standardOutput.split(separator: "\n").map {
            try APIJSON.decode(Job.self, from: Array($0.utf8))
        }
        #expect(jobs.map(\.id) == [1, 2])
        #expect(server.received.map { $0.headers["idempotency-key"] } == ["k-1", "k-2"])
        #expect(server.received.map { $0.headers["content-type"] } == ["text/plain", "application/pdf"])
    }

    @Test func `prints nothing at all when one file cannot be opened`() async throws {
        let server = try KioskctlProgram.server([])
        let folder = try TemporaryFolder()
        let file = try folder.write("Tea", to: "receipt.txt")
        let result = try await KioskctlProgram.run(
            ["print", file, folder.appending("none.txt"), "--role", "receipt"], server)
        #expect(result.end == .exited(1))
        #expect(
            result.standardError
                == "kioskctl: \(folder.appending("none.txt")) cannot be opened: No such file or directory\n")
        #expect(server.connectionCount == 0)
    }

    @Test(
        arguments: [
            (JobState.aborted, false, 3, "failed"), (.canceled, false, 4, "was canceled"),
            (.pendingHeld, true, 5, "is unconfirmed"),
        ] as [(JobState, Bool, Int32, String)])
    func `a job that did not complete has a code of its own`(
        _ state: JobState, _ isUnconfirmed: Bool, _ code: Int32, _ words: String
    ) async throws {
        let ended = try Samples.job { job in
            job.state = state
            job.isUnconfirmed = isUnconfirmed
        }
        let server = try KioskctlProgram.server([Samples.json(ended)])
        let folder = try TemporaryFolder()
        let result = try await KioskctlProgram.run(
            ["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait"], server)
        #expect(result.end == .exited(code))
        #expect(result.standardError.hasPrefix("kioskctl: job 12 \(words)"))
        #expect(result.standardOutput == "")
    }

    @Test func `a job that takes too long has a code of its own`() async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: job)
            while try peer.readRequest().path.contains("wait=") {
                // Like the daemon's, the response comes when the wait is over.
                sleep(1)
                try peer.respond(json: job)
            }
        }
        let folder = try TemporaryFolder()
        let result = try await KioskctlProgram.run(
            ["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait", "--timeout", "1"], server)
        #expect(result.end == .exited(6))
        #expect(result.standardError.hasPrefix("kioskctl: job 12 is pending"))
    }

    @Test(arguments: [
        ([Availability(.unreachable, message: "connection refused")], "till-1 is unreachable: connection refused"),
        ([Availability(.unknown)], "till-1 is unknown; see `kioskctl printers show till-1`"),
        ([], "role receipt has no printer; give it one with `kioskctl roles assign receipt PRINTER`"),
        ([Availability(.stopped), Availability(.ready)], nil),
    ])
    func `a pending job is told with why its printers do not print it`(
        _ printers: [Availability], _ words: String?
    ) async throws {
        let job = try Samples.json(Samples.job())
        let list = try Samples.json(PrinterList(printers: printers.map { try Samples.status("till-1", $0) }))
        let server = try ScriptedServer { peer in
            while true {
                let path = try peer.readRequest().path
                if path.contains("wait=") { sleep(1) }
                try peer.respond(json: path.hasPrefix("/v1/printers") ? list : job)
            }
        }
        let folder = try TemporaryFolder()
        let result = try await KioskctlProgram.run(
            ["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait", "--timeout", "1"], server)
        #expect(result.end == .exited(6))
        #expect(result.standardError == "kioskctl: job 12 is pending\(words.map { ": \($0)" } ?? "")\n")
    }

    @Test func `Ctrl-C ends the waiting and says that the job goes on`() async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: job)
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

    @Test(arguments: [false, true]) func `a refused document does not hide the jobs made before it`(
        _ json: Bool
    ) async throws {
        let accepted = try Samples.json(Samples.job(1))
        let refusal = try Samples.json(Problem(.unknownRole, detail: "there is no role \"receipt\""))
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            if peer.number == 1 { try peer.respond(json: accepted) }
            // A kept connection or a new one: the second document is refused.
            if peer.number == 1 { try peer.readRequest() }
            try peer.respondProblem("404 No", refusal)
        }
        let folder = try TemporaryFolder()
        let files = try [folder.write("a", to: "a.txt"), folder.write("b", to: "b.txt")]
        let result = try await KioskctlProgram.run(
            ["print"] + files + ["--role", "receipt", "--wait"] + (json ? ["--json"] : []), server)
        #expect(result.end == .exited(1))
        #expect(result.standardError.hasPrefix("kioskctl: job 1 was accepted and goes on; see `kioskctl job 1`\n"))
        #expect(result.standardError.contains("there is no role"))
        let shown = try result.standardOutput.split(separator: "\n").map {
            try APIJSON.decode(Job.self, from: Array($0.utf8))
        }
        #expect(shown.map(\.id) == (json ? [1] : []))
    }

    @Test func `Ctrl-C in the second document tells of the first one's job`() async throws {
        let accepted = try Samples.json(Samples.job(1))
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: accepted)
            _ = try? peer.readRequest()
        }
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            BuiltProducts.path("kioskctl"),
            ["print", try folder.write("a", to: "a.txt"), "-", "--role", "receipt", "--socket", server.path])
        try await eventually("the first job") { child.standardOutput.contains("job 1 accepted") }
        child.signal(SIGINT)
        #expect(try await child.wait() == .exited(130))
        #expect(
            child.standardError
                == "kioskctl: interrupted: - was not sent whole, and nothing of it is printed; job 1 goes on; "
                + "see `kioskctl job 1`, or stop with `kioskctl cancel 1`\n")
    }

    @Test func `a timeout ends the waiting for a daemon that is away`() async throws {
        let waiting = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            // Every later connection is closed at once.
            guard peer.number == 1 else { return }
            try peer.readRequest()
            try peer.respond(json: waiting)
        }
        let folder = try TemporaryFolder()
        let result = try await KioskctlProgram.run(
            ["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait", "--timeout", "1"], server)
        #expect(result.end == .exited(6))
        #expect(result.standardError.contains("kioskctl: job 12 is pending"))
    }

    @Test func `waits on while the daemon restarts`() async throws {
        let (waiting, done) = (try Samples.json(Samples.job()), try Samples.json(Samples.completed()))
        let server = try ScriptedServer { peer in
            if peer.number == 1 {
                try peer.readRequest()
                try peer.respond(json: waiting)
            } else if peer.number > 2 {
                try peer.readRequest()
                try peer.respond(json: done)
            }
        }
        let folder = try TemporaryFolder()
        let result = try await KioskctlProgram.run(
            ["print", try folder.write("Tea", to: "r.txt"), "--role", "receipt", "--wait"], server)
        #expect(result.end == .exited(0))
        #expect(result.standardOutput.hasPrefix("job 12 completed"))
    }

    @Test func `holds a document of 200 MB without keeping it in memory`() async throws {
        let isReleased = Mutex(false)
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            while !isReleased.withLock(\.self) { usleep(1000) }
            try peer.respond(json: job)
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
}
