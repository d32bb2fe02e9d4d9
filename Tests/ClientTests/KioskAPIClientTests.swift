import Foundation
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@Suite struct KioskClientTests {
    private func client(_ server: ScriptedServer, responseTimeout: Duration = .seconds(30)) -> KioskClient {
        var options = KioskClient.Options()
        options.responseTimeout = responseTimeout
        options.eventTimeout = responseTimeout
        options.reconnectDelay = .milliseconds(1)
        return KioskClient(socket: SocketLocation(path: server.path), options: options)
    }

    private func failure(_ work: () async throws -> some Sendable) async throws -> KioskClientError {
        do {
            _ = try await work()
        } catch let error as KioskClientError {
            return error
        }
        throw TestSupportError("the call succeeded")
    }

    // MARK: One request

    @Test(arguments: APIClientKind.allCases)
    func `submits a document with its parameters and reads the job`(_ kind: APIClientKind) async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: job, status: "202 Accepted")
        }
        var parameters = SubmissionParameters()
        parameters.role = try Samples.role("receipt")
        parameters.name = "Tea & cake"
        parameters.format = .plainText
        parameters.idempotencyKey = "order-1"
        let sent = Mutex<[Int64]>([])
        let taken = try await kind.client(server).submit(.bytes(Array("Tea".utf8)), parameters) { count in
            sent.withLock { $0.append(count) }
        }
        #expect(try taken == Samples.job())
        #expect(sent.withLock(\.self) == [3])
        let request = try #require(server.received.first)
        #expect(request.method == "POST")
        #expect(request.path == "/v1/jobs?role=receipt&name=Tea%20%26%20cake")
        #expect(request.headers["content-type"] == "text/plain")
        #expect(request.headers["idempotency-key"] == "order-1")
        #expect(request.body == Array("Tea".utf8))
    }

    @Test(arguments: APIClientKind.allCases, [false, true])
    func `a long wait takes several requests, and one that fails returns what the last one told`(
        _ kind: APIClientKind, reprints: Bool
    ) async throws {
        let (waiting, printing) = (try Samples.job(), try Samples.job { $0.state = .processing })
        let jobs = [try Samples.json(waiting), try Samples.json(printing)]
        let refusal = try Samples.json(Problem(.unknownJob, detail: "there is no job 12"))
        let server = try ScriptedServer { peer in
            for job in jobs {
                try peer.readRequest()
                try peer.respond(json: job)
            }
            try peer.readRequest()
            try peer.respondProblem("404 No", refusal)
        }
        let (client, wait) = (kind.client(server), 2 * APILimits.maximumWait + 5)
        if reprints {
            var parameters = ReprintParameters()
            parameters.wait = wait
            #expect(try await client.reprint(7, parameters) == printing)
        } else {
            let role = try Samples.role("receipt")
            #expect(try await client.submit(.bytes([1]), to: role, wait: .seconds(wait)) == printing)
        }
        let longest = "wait=\(APILimits.maximumWait)"
        #expect(
            server.received.map(\.path) == [
                reprints ? "/v1/jobs/7/reprint?\(longest)" : "/v1/jobs?role=receipt&\(longest)",
                "/v1/jobs/12?\(longest)", "/v1/jobs/12?wait=5",
            ])
    }

    @Test(arguments: APIClientKind.allCases)
    func `refuses a bad ticket before anything is sent`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { _ in }
        var parameters = SubmissionParameters()
        parameters.role = try Samples.role("receipt")
        parameters.ticket.copies = 0
        let (client, refused) = (kind.client(server), parameters)
        await #expect(throws: Problem.self) { _ = try await client.submit(.bytes([1]), refused) }
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: APIClientKind.allCases)
    func `keeps the connection for the next request`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            while true {
                try peer.readRequest()
                try peer.respond(json: #"{"roles":[]}"#)
            }
        }
        let client = kind.client(server)
        for _ in 0..<10 { _ = try await client.roles() }
        #expect(server.received.count == 10)
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: APIClientKind.allCases)
    func `does not keep a connection that the daemon wants closed`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond("200 OK", #"{"roles":[]}"#, headers: "Connection: close\r\n")
            _ = peer.waitForEnd()
        }
        let client = kind.client(server)
        for _ in 0..<3 { _ = try await client.roles() }
        #expect(server.connectionCount == 3)
    }

    @Test func `many requests at once take connections of their own`() async throws {
        let server = try ScriptedServer { peer in
            while true {
                try peer.readRequest()
                try peer.respond(json: #"{"roles":[]}"#)
            }
        }
        let client = client(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { _ = try await client.roles() } }
            try await group.waitForAll()
        }
        #expect(server.received.count == 200)
    }

    // MARK: Idle connections that were closed

    @Test(arguments: APIClientKind.allCases)
    func `asks again on a new connection when the kept one was just closed`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: #"{"roles":[]}"#)
            // The second request on this connection gets no response.
            if peer.number == 1 { _ = try peer.readHead() }
        }
        let client = kind.client(server)
        _ = try await client.roles()
        _ = try await client.roles()
        #expect(server.connectionCount == 2)
    }

    @Test(arguments: APIClientKind.allCases)
    func `never submits twice without an idempotency key`(_ kind: APIClientKind) async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: job)
            if peer.number == 1 { try peer.readRequest() }
        }
        let client = kind.client(server)
        let role = try Samples.role("receipt")
        _ = try await client.submit(.bytes([1]), to: role)
        let error = try await failure { try await client.submit(.bytes([1]), to: role) }
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("kioskctl jobs"))
        #expect(server.connectionCount == 1)
        #expect(server.received.count == 2)
    }

    @Test(arguments: APIClientKind.allCases)
    func `submits again under the same idempotency key`(_ kind: APIClientKind) async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: job)
            if peer.number == 1 { try peer.readRequest() }
        }
        let client = kind.client(server)
        var parameters = SubmissionParameters()
        parameters.role = try Samples.role("receipt")
        parameters.idempotencyKey = "order-1"
        _ = try await client.submit(.bytes([1]), parameters)
        _ = try await client.submit(.bytes([1]), parameters)
        #expect(server.connectionCount == 2)
        #expect(server.received.map { $0.headers["idempotency-key"] } == ["order-1", "order-1", "order-1"])
    }

    // MARK: Bad responses

    @Test(arguments: APIClientKind.allCases)
    func `a problem becomes an error with its details`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respondProblem(
                "404 Not Found",
                #"{"type":"urn:x","title":"The role is not known","status":404,"code":"unknown-role","detail":"no role recipt"}"#
            )
        }
        let error = try await failure { try await kind.client(server).roles() }
        #expect(error.code == .refused)
        #expect(error.message == "no role recipt")
        #expect(error.problem?.code == .unknownRole)
    }

    @Test(
        arguments: APIClientKind.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"roles\":", "HTTP/1.1 200 OK\r\nContent-Le", "",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"ro",
        ])
    func `half a response is a lost connection`(
        _ kind: APIClientKind, _ text: String
    ) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(text)
        }
        #expect(try await failure { try await kind.client(server).roles() }.code == .connectionLost)
    }

    @Test(
        arguments: APIClientKind.allCases,
        [
            "SSH-2.0-OpenSSH_9.2p1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"roles\":[7}",
            "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 404 No\r\nContent-Type: application/problem+json\r\nContent-Length: 2\r\n\r\n{}",
        ])
    func `whoever does not speak the API is not kioskd`(
        _ kind: APIClientKind, _ text: String
    ) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(text)
            _ = peer.waitForEnd()
        }
        let error = try await failure { try await kind.client(server).roles() }
        #expect(error.code == .protocolViolation)
        #expect(error.message.contains(server.path))
    }

    @Test(arguments: APIClientKind.allCases)
    func `an endless response is refused at its bound`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true { try peer.write("10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n") }
        }
        #expect(try await failure { try await kind.client(server).roles() }.code == .responseTooLarge)
    }

    @Test(arguments: APIClientKind.allCases)
    func `a daemon that never answers runs into the deadline`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            _ = peer.waitForEnd()
        }
        let error = try await failure { try await kind.client(server, responseTimeout: .milliseconds(50)).roles() }
        #expect(error.code == .timedOut)
    }

    @Test(arguments: APIClientKind.allCases)
    func `skips an interim response`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write("HTTP/1.1 102 Processing\r\n\r\n")
            try peer.respond(json: #"{"roles":[]}"#)
        }
        #expect(try await kind.client(server).roles().isEmpty)
    }

    // MARK: No daemon

    @Test(arguments: APIClientKind.allCases)
    func `says which socket it tried and how to start the daemon`(_ kind: APIClientKind) async throws {
        let folder = try TemporaryFolder()
        let missing = SocketLocation(path: folder.appending("kioskd.sock"), origin: .stateDirectory)
        let error = try await failure { try await kind.client(missing).roles() }
        #expect(error.code == .daemonNotRunning)
        #expect(error.message.contains(missing.path))
        #expect(error.message.contains("kioskd --state-dir \(folder.path)`"))
        let left = SocketLocation(path: try folder.write("", to: "file.sock"))
        #expect(try await failure { try await kind.client(left).roles() }.code == .daemonNotRunning)
    }

    @Test(arguments: APIClientKind.allCases)
    func `a path too long for a socket is named`(_ kind: APIClientKind) async throws {
        let long = SocketLocation(path: "/tmp/" + String(repeating: "s", count: 108))
        #expect(try await failure { try await kind.client(long).roles() }.code == .socketUnusable)
    }

    // MARK: Cancelling

    @Test func `a cancelled call ends and closes its connection`() async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            _ = peer.waitForEnd()
        }
        let client = client(server)
        let call = Task { try await client.roles() }
        try await eventually("the request") { server.received.count == 1 }
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
    }

    // MARK: Waiting

    @Test(arguments: APIClientKind.allCases)
    func `waits in requests that the daemon allows until the job is settled`(_ kind: APIClientKind) async throws {
        let (waiting, done) = (try Samples.json(Samples.job()), try Samples.json(Samples.completed()))
        let server = try ScriptedServer { peer in
            for response in [waiting, done] {
                try peer.readRequest()
                try peer.respond(json: response)
            }
        }
        let job = try await kind.client(server).job(12, wait: .seconds(1000))
        #expect(job.state == .completed)
        #expect(server.received.map(\.path) == ["/v1/jobs/12?wait=600", "/v1/jobs/12?wait=400"])
    }

    @Test(arguments: APIClientKind.allCases)
    func `a submission that waits longer than one request may goes on to wait for its job`(
        _ kind: APIClientKind
    ) async throws {
        let (waiting, done) = (try Samples.json(Samples.job()), try Samples.json(Samples.completed()))
        let server = try ScriptedServer { peer in
            for response in [waiting, waiting, done] {
                try peer.readRequest()
                try peer.respond(json: response)
            }
        }
        let role = try Samples.role("receipt")
        let job = try await kind.client(server).submit(.bytes([1]), to: role, wait: .seconds(1300))
        #expect(job.state == .completed)
        #expect(
            server.received.map(\.path) == [
                "/v1/jobs?role=receipt&wait=600", "/v1/jobs/12?wait=600", "/v1/jobs/12?wait=100",
            ])
    }

    @Test(arguments: APIClientKind.allCases)
    func `a reprint that waits longer than one request may goes on to wait for its job`(
        _ kind: APIClientKind
    ) async throws {
        let (waiting, done) = (try Samples.json(Samples.job()), try Samples.json(Samples.completed()))
        let server = try ScriptedServer { peer in
            for response in [waiting, done] {
                try peer.readRequest()
                try peer.respond(json: response)
            }
        }
        var parameters = ReprintParameters()
        parameters.wait = 700
        #expect(try await kind.client(server).reprint(11, parameters).state == .completed)
        #expect(server.received.map(\.path) == ["/v1/jobs/11/reprint?wait=600", "/v1/jobs/12?wait=100"])
    }

    @Test(arguments: APIClientKind.allCases)
    func `an accepted job is returned as last known where waiting on breaks off`(_ kind: APIClientKind) async throws {
        let waiting = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            let request = try peer.readRequest()
            if request.method == "POST" { try peer.respond(json: waiting) }
        }
        let job = try await kind.client(server).submit(
            .bytes([1]), to: try Samples.role("receipt"), wait: .seconds(601))
        #expect(job.id == 12)
        #expect(job.state == .pending)
    }
}
