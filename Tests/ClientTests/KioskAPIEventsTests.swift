import Foundation
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@Suite struct KioskClientEventsTests {
    private func client(_ server: ScriptedServer) -> KioskClient {
        var options = KioskClient.Options()
        options.reconnectDelay = .milliseconds(1)
        return KioskClient(socket: SocketLocation(path: server.path), options: options)
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func chunk(_ id: Int64, _ kind: EngineEvent.Kind = .registryReloaded) throws -> String {
        let event = EngineEvent(id: id, time: Timestamp(millisecondsSince1970: 0), kind: kind)
        let bytes = try event.serverSentEvent().encoded
        return "\(String(bytes.count, radix: 16))\r\n\(String(decoding: bytes, as: UTF8.self))\r\n"
    }

    @Test(arguments: APIClientKind.allCases)
    func `resumes behind the last event on a new connection`(_ kind: APIClientKind) async throws {
        let texts = try [chunk(1) + chunk(2), chunk(3, .jobProgress), chunk(4)]
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(Self.head + texts[min(peer.number, texts.count) - 1])
        }
        let interruptions = Mutex(0)
        let events = try await kind.client(server).readEvents(4, after: 0) { _ in interruptions.withLock { $0 += 1 } }
        #expect(events.map(\.id) == [1, 2, 3, 4])
        #expect(interruptions.withLock(\.self) == 2)
        // Progress has no id: the third connection still resumes after 2.
        #expect(server.received.map { $0.headers["last-event-id"] } == ["0", "2", "2"])
        #expect(server.received.first?.headers["accept"] == "text/event-stream")
    }

    @Test(arguments: APIClientKind.allCases)
    func `reads a stream that drips byte by byte, with signs of life between`(_ kind: APIClientKind) async throws {
        let text = Self.head + "d\r\n: still here\n\r\n" + (try chunk(1)) + (try chunk(2))
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            for byte in text.utf8 { try peer.write([byte]) }
            _ = peer.waitForEnd()
        }
        #expect(try await kind.client(server).readEvents(2, after: nil) { _ in }.map(\.id) == [1, 2])
    }

    @Test(arguments: APIClientKind.allCases)
    func `an event that cannot be read costs no other, and is told`(_ kind: APIClientKind) async throws {
        let unreadable = "id: 2\nevent: job-changed\ndata: {}\n\n"
        let text =
            Self.head + (try chunk(1)) + "\(String(unreadable.utf8.count, radix: 16))\r\n\(unreadable)\r\n"
            + (try chunk(3))
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(text)
            _ = peer.waitForEnd()
        }
        let reasons = Mutex<[String]>([])
        let ids = try await kind.client(server).readEvents(2, after: nil) { error in
            reasons.withLock { $0.append(error.message) }
        }.map(\.id)
        #expect(ids == [1, 3])
        #expect(reasons.withLock { $0.count == 1 && $0[0].contains("an event cannot be read") })
        #expect(server.received.count == 1)
    }

    @Test(arguments: APIClientKind.allCases)
    func `a daemon that is asked for too much is asked again, once it had answered`(
        _ kind: APIClientKind
    ) async throws {
        let texts = try [1: chunk(1), 3: chunk(2)]
        let refusal = try Samples.json(Problem(.tooManyRequests, detail: "one user may have 32; try again in a moment"))
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            guard let text = texts[peer.number] else { return try peer.respondProblem("429 No", refusal) }
            try peer.write(Self.head + text)
        }
        let reasons = Mutex<[String]>([])
        let ids = try await kind.client(server).readEvents(2, after: nil) { error in
            reasons.withLock { $0.append(error.message) }
        }.map(\.id)
        #expect(ids == [1, 2])
        #expect(reasons.withLock { $0.last } == "one user may have 32; try again in a moment")
        let first = try KioskctlProgram.refusing(Problem(.tooManyRequests, detail: "try again"))
        let error = try await #require(throws: KioskClientError.self) {
            _ = try await kind.client(first).readEvents(1, after: nil) { _ in }
        }
        #expect(error.retryAfter == .seconds(2))
    }

    @Test(arguments: APIClientKind.allCases)
    func `a daemon that was never there is an error at once`(_ kind: APIClientKind) async throws {
        let missing = kind.client(SocketLocation(path: "/nonexistent/kioskd.sock"))
        let error = try await #require(throws: KioskClientError.self) {
            _ = try await missing.readEvents(1, after: nil) { _ in }
        }
        #expect(error.code == .daemonNotRunning)
    }

    @Test(arguments: APIClientKind.allCases)
    func `a refusal ends the stream`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respondProblem("403 Forbidden", try Samples.json(Problem(.notAllowed, detail: "not you")))
        }
        let error = try await #require(throws: KioskClientError.self) {
            _ = try await kind.client(server).readEvents(1, after: nil) { _ in }
        }
        #expect(error.problem?.code == .notAllowed)
    }

    @Test func `events that nobody reads stay with the daemon`() async throws {
        let stream = Mutex<Peer?>(nil)
        let written = Mutex(0)
        let text = Array(try chunk(1).utf8)
        let server = try ScriptedServer { peer in
            if try peer.readRequest().path == APIPaths.events {
                try peer.write(Self.head)
                try peer.write(text)
                stream.withLock { $0 = peer }
                peer.waitForHangUp()
            } else {
                // As many events as the stream accepts, then another response on the client's same event loop.
                let count = try stream.withLock { try $0?.fill(with: text) ?? 0 }
                written.withLock { $0 += count }
                try peer.respond(json: #"{"roles":[]}"#)
            }
        }
        let client = client(server)
        let iterator = client.events().makeAsyncIterator()
        _ = try await iterator.next()
        try await eventually("the stream") { stream.withLock { $0 != nil } }
        // A client that read on would have read a buffer full of them with each response.
        for _ in 0..<64 { _ = try await client.roles() }
        #expect(written.withLock(\.self) > 0)
        #expect(written.withLock(\.self) < 4 << 20)
        #expect(try await iterator.next()?.id == 1)
        stream.withLock { $0 = nil }
    }

    @Test func `a cancelled reader ends`() async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(Self.head)
            _ = peer.waitForEnd()
        }
        let client = client(server)
        let reading = Task { for try await _ in client.events() {} }
        try await eventually("the request") { server.received.count == 1 }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}
