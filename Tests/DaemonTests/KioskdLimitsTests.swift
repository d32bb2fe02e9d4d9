import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

@testable import kioskd

/// One user cannot stop the others: what another user takes up is bounded, and root and printing keep their places.
@Suite(.enabled(if: geteuid() == 0)) struct KioskdLimitsTests {
    private static let events = "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func jsonHead(_ length: Int) -> String {
        "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
    }

    private func expectPrinting(_ daemon: KioskdFixture, _ printer: SimulatedPrinter, _ text: String) async throws {
        #expect(try await daemon.curl("/v1/health").status == 200)
        let response = try await daemon.submit(text, "role=receipt&wait=300")
        #expect(response.status == 200, "\(response.text)")
        #expect(try response.json(Job.self).state == .completed)
        #expect(try await printer.documents.map { try readFile($0.path) }.contains(Array(text.utf8)))
    }

    @Test func `512 event streams of one user leave room for root, printing and other users`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture.open(registry: KioskdFixture.registry([printer.uri]))
        let other = try OtherUser(daemon, sends: Self.events, on: 512)
        let responses = try await other.responses { $0["0", default: 0] == 0 && $0.isEmpty == false }
        #expect(responses["200"] == 32, "\(responses)")
        #expect(responses["429"] == 480, "\(responses)")
        #expect(responses["problems"] == 480, "\(responses)")
        try await expectPrinting(daemon, printer, "TEA")
        // Those that were refused are gone, so the user itself prints, too.
        let own = try await OtherUser.curl(
            daemon, "/v1/jobs?role=receipt", ["-H", "Content-Type: text/plain", "--data-binary", "COFFEE"])
        #expect(own.status == 202, "\(own.text)")
        let refused = try await OtherUser.curl(daemon, "/v1/events")
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"] == "2")
        let problem = try refused.json(Problem.self)
        #expect(problem.code == .tooManyRequests)
        for words in ["user 65534", "event streams", "(32)", "try again"] {
            #expect(problem.detail?.contains(words) == true, "\(problem)")
        }
        try await other.end()
        let later = try OtherUser(daemon, sends: Self.events, on: 1)
        #expect(try await later.responses { $0["0"] == nil && !$0.isEmpty } == ["200": 1])
    }

    @Test func `connections that ask nothing are bounded per user, and those beyond are told why`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture.open(registry: KioskdFixture.registry([printer.uri]))
        let idle = try OtherUser(daemon, sends: "G", on: 600)
        // 128 are kept; the others have been told, or were closed since they asked nothing.
        let responses = try await idle.responses { $0["0"] == 128 }
        #expect(responses["429", default: 0] + responses["-1", default: 0] == 472, "\(responses)")
        try await expectPrinting(daemon, printer, "TEA")
        let refused = try await OtherUser.curl(daemon, "/v1/health")
        #expect(refused.status == 429, "\(refused)")
        #expect(try refused.json(Problem.self).detail?.contains("connections") == true)
        try await idle.end()
        try await eventually("a place") { try await OtherUser.curl(daemon, "/v1/health").status == 200 }
    }

    @Test func `half JSON bodies take a bounded part of the memory, and give it back in time`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture.open(
            registry: KioskdFixture.registry([printer.uri]), arguments: ["--idle-timeout", "4"])
        let length = APILimits.maximumJSONSubmission
        let half =
            Self.jsonHead(length) + #"{"role":"receipt","document":{"text":""# + String(repeating: "x", count: 200_000)
        let other = try OtherUser(daemon, sends: half, on: 100)
        let refused = try await other.responses { $0["429"] == 98 }
        #expect(refused["problems", default: 0] >= 98, "\(refused)")
        let response = try await daemon.curlJSON(
            "POST", "/v1/jobs?wait=300", #"{"role":"receipt","document":{"text":"TEA"}}"#)
        #expect(try response.json(Job.self).state == .completed)
        // What was taken is given up: it came too slowly.
        #expect(try await other.responses { $0["408", default: 0] > 0 && $0["0"] == nil }["408"] == 2)
        try await eventually("the user's next") {
            try await OtherUser.curl(
                daemon, "/v1/jobs", ["--json", #"{"role":"receipt","document":{"text":"COFFEE"}}"#]
            ).status == 202
        }
    }

    @Test func `a body that comes drop by drop is cut off in words`() async throws {
        let daemon = try await KioskdFixture(arguments: ["--idle-timeout", "4"])
        let connection = try RawConnection(daemon.socket)
        try await connection.send(Self.jsonHead(1000))
        let drops = Task {
            while !Task.isCancelled {
                try await connection.send(" ")
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        defer { drops.cancel() }
        let response = try await connection.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 408"), "\(response)")
        #expect(response.contains("body-too-slow") && response.contains("within 2 s"), "\(response)")
    }

    @Test func `waits are bounded per user`() async throws {
        let daemon = try await KioskdFixture.open(
            registry: KioskdFixture.registry(["ipp://localhost:\(try freePort())/ipp/print"]))
        let job = try await daemon.client().submit(text: "TEA")
        let other = try OtherUser(daemon, sends: "GET /v1/jobs/\(job.id)?wait=600 HTTP/1.1\r\nHost: x\r\n\r\n", on: 70)
        #expect(try await other.responses { $0["429"] == 6 } == ["0": 64, "429": 6, "problems": 6])
        // What is sent is accepted all the same.
        let sent = try await OtherUser.curl(
            daemon, "/v1/jobs?role=receipt&wait=600", ["-H", "Content-Type: text/plain", "--data-binary", "COFFEE"])
        #expect(sent.status == 202, "\(sent.text)")
        #expect(try await daemon.curl("/v1/jobs/\(job.id)?wait=1").status == 200)
    }

    @Test func `a body of a million values is refused before they are read`() async throws {
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        let values = String(repeating: "1,", count: 1_000_000)
        let file = try daemon.folder.write(
            "{\"role\":\"receipt\",\"document\":{\"text\":\"TEA\"},\"ticket\":[\(values)1]}", to: "body")
        let response = try await daemon.curl(
            "/v1/jobs", ["-H", "Content-Type: application/json", "--data-binary", "@\(file)"])
        #expect(response.status == 400)
        #expect(try response.json(Problem.self).detail?.contains("more than 20000 values") == true, "\(response.text)")
    }
}

/// Out of descriptors: answering goes on.
@Suite(.enabled(if: geteuid() == 0)) struct KioskdDescriptorTests {
    @Test func `of the last descriptors root is served, others are told, and the log has a line a second`() async throws
    {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture.open(registry: KioskdFixture.registry([printer.uri]))
        #expect(try await daemon.submit("TEA", "role=receipt&wait=300").status == 200)
        let begin = ContinuousClock.now
        // Few numbers are left, and as many as callers get are taken by somebody who asks nothing.
        try await daemon.limitDescriptors(leaving: 160)
        var idle = [try OtherUser(daemon, sends: "G", on: 126)]
        _ = try await idle[0].responses { $0["503", default: 0] > 0 }
        try await eventually("another's refusal") {
            // A place that became free when a refused connection ended.
            idle.append(try OtherUser(daemon, sends: "G", on: 1))
            let refused = try await OtherUser.curl(daemon, "/v1/health")
            return refused.status == 503 && refused.text.contains("out of file descriptors")
        }
        for text in ["COFFEE", "MILK", "WATER"] {
            let response = try await daemon.submit(text, "role=receipt&wait=300")
            #expect(response.status == 200, "\(response.text)")
            #expect(try response.json(Job.self).state == .completed)
        }
        let lines = daemon.log.components(separatedBy: "connections are refused").count - 1
        #expect((1...Int((ContinuousClock.now - begin).components.seconds) + 1).contains(lines))
        for user in idle { try await user.end() }
        try await daemon.limitDescriptors(to: 1024)
        try await eventually("descriptors") { try await OtherUser.curl(daemon, "/v1/health").status == 200 }
    }
}

/// Previews that nobody waits for any more.
@Suite struct KioskdAbandonedPreviewTests {
    /// A request with words that were never drawn before.
    private static func request(_ number: Int) -> String {
        let lines = (0..<40).map { "चाय \(number)-\($0) | 2.50" }.joined(separator: "\n")
        return
            "POST /v1/preview?columns=48 HTTP/1.1\r\nHost: x\r\nAccept: image/png\r\nContent-Type: text/receiptline\r\nContent-Length: \(lines.utf8.count)\r\n\r\n\(lines)"
    }

    private func helper(of daemon: KioskdFixture) throws -> Int32? {
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        return all.first { process in
            guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                status.contains("(kiosk-draw)")
            else { return false }
            return status.split(separator: ")").last?.split(separator: " ").dropFirst().first.flatMap { Int32($0) }
                == (try? daemon.process.processID)
        }
    }

    /// Bytes that it was asked to draw (proc(5)); nil where it has ended.
    private func asked(_ process: Int32) throws -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8) else { return nil }
        let count: Int = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("rchar: ") }.flatMap { Int($0.dropFirst(7)) })
        return count
    }

    /// Draws a preview. Where the places of clients that have just gone are still taken, it is asked for again.
    private func preview(_ daemon: KioskdFixture, _ number: Int) async throws {
        try await eventually("a place for the preview") {
            let connection = try RawConnection(daemon.socket)
            try await connection.send(Self.request(number))
            do {
                return try await connection.read(until: "IEND").contains("HTTP/1.1 200")
            } catch let error as TestSupportError where "\(error)".contains("HTTP/1.1 503") {
                return false
            }
        }
    }

    /// Whether all places for previews are free; takes them for a moment with requests without bodies.
    private func allPlacesAreFree(_ daemon: KioskdFixture) async throws -> Bool {
        var connections: [RawConnection] = []
        for _ in 0..<CallerLimits().previews.bounds.total {
            let connection = try RawConnection(daemon.socket)
            try await connection.send(
                "POST /v1/preview HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
            guard try await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100") else { return false }
            connections.append(connection)
        }
        return true
    }

    /// How many previews are drawn, for one that is waited for, after the clients of as many as there is space for have
    /// gone. Nil where this took so long that the daemon ended the helper, which makes no progress meanwhile.
    private func drawnPreviews(by daemon: KioskdFixture, from first: Int) async throws -> Double? {
        try await preview(daemon, first)
        guard let process = try helper(of: daemon), let before = try asked(process) else { return nil }
        try await preview(daemon, first + 1)
        guard let one = try asked(process).map({ $0 - before }) else { return nil }
        #expect(one > 1000)
        guard kill(process, SIGSTOP) == 0 else { return nil }
        do {
            defer { kill(process, SIGCONT) }
            var clients: [RawConnection] = []
            for number in 0..<CallerLimits().previews.bounds.total {
                let client = try RawConnection(daemon.socket)
                try await client.send(Self.request(first + 3 + number))
                clients.append(client)
            }
            // One more has no place, so all of them are in progress.
            try await eventually("a refusal") {
                if try helper(of: daemon) != process { return true }
                return try await daemon.curl(
                    "/v1/preview", ["-H", "Content-Type: text/receiptline", "--data-binary", "tea"]
                ).status == 503
            }
            clients = []
            try await eventually("their places") { try await allPlacesAreFree(daemon) }
        }
        guard let stopped = try asked(process) else { return nil }
        try await preview(daemon, first + 2)
        return try asked(process).map { Double($0 - stopped) / Double(one) }
    }

    @Test func `those of clients that are gone are not drawn`() async throws {
        let daemon = try await KioskdFixture()
        var first = 0
        let drawn = try await eventuallyValue("a helper that was not stopped for too long") {
            first += 100
            return try await drawnPreviews(by: daemon, from: first)
        }
        // Itself, and what the helper had begun to read of one of the others.
        #expect(drawn < 3, "\(drawn) previews were drawn")
    }
}
