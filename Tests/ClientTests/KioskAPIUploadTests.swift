import Foundation
import Glibc
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Synchronization
import Testing

@Suite struct KioskClientUploadTests {
    private static let length: Int64 = 24 << 20

    private func bigFile(_ folder: TemporaryFolder) throws -> String {
        let path = try folder.write("%PDF-", to: "big.pdf")
        guard truncate(path, off_t(Self.length)) == 0 else { throw TestSupportError.errno("truncate", errno) }
        return path
    }

    private func parameters() throws -> SubmissionParameters {
        var parameters = SubmissionParameters()
        parameters.role = try Samples.role("document")
        return parameters
    }

    private func client(_ server: ScriptedServer) -> KioskClient {
        KioskClient(socket: SocketLocation(path: server.path))
    }

    @Test(arguments: APIClientKind.allCases)
    func `streams a large file with its length and tells how far it is`(_ kind: APIClientKind) async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: job)
        }
        let folder = try TemporaryFolder()
        let sent = Mutex<[Int64]>([])
        let source = try DocumentSource.file(try bigFile(folder))
        #expect(source.length == Self.length)
        _ = try await kind.client(server).submit(source, parameters()) { count in sent.withLock { $0.append(count) } }
        let request = try #require(server.received.first)
        #expect(request.headers["content-length"] == String(Self.length))
        #expect(request.bodyLength == Int(Self.length))
        #expect(request.body.starts(with: Array("%PDF-\0".utf8)))
        let steps = sent.withLock(\.self)
        #expect(steps.last == Self.length)
        #expect(steps == steps.sorted())
    }

    @Test func `reads no further than the daemon takes`() async throws {
        let isReleased = Mutex(false)
        let job = try Samples.json(Samples.job())
        let taken = 1 << 20
        let server = try ScriptedServer { peer in
            if peer.number == 1 {
                _ = try peer.readHead()
                try peer.skip(taken)
                while !isReleased.withLock(\.self) { usleep(1000) }
                try peer.skip(Int(Self.length) - taken)
                try peer.respond(json: job)
            }
            while true {
                try peer.readRequest()
                try peer.respond(json: job)
            }
        }
        let folder = try TemporaryFolder()
        let sent = Mutex<Int64>(0)
        let source = try DocumentSource.file(try bigFile(folder))
        let (client, parameters) = (client(server), try parameters())
        let call = Task { try await client.submit(source, parameters) { count in sent.withLock { $0 = count } } }
        try await eventually("what the daemon takes") { sent.withLock(\.self) >= Int64(taken) }
        // Other submissions use the same threads and the same event loop, which work in turn: with each of them, an
        // upload that did not wait for the daemon would advance by a piece of 128 kB.
        let small = try DocumentSource.file(try folder.write("Tea", to: "tea.txt"))
        for _ in 0..<64 { _ = try await client.submit(small, parameters) }
        #expect(sent.withLock(\.self) < 4 << 20)
        isReleased.withLock { $0 = true }
        // The response comes when all of it has been read.
        _ = try await call.value
    }

    @Test(arguments: APIClientKind.allCases)
    func `stops sending when the daemon refuses early`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            _ = try peer.readHead()
            try peer.respondProblem(
                "413 Too Large", try Samples.json(Problem(.documentTooLarge, detail: "at most 1 MB")))
            // The daemon leaves the rest unread.
            peer.waitForHangUp()
        }
        let folder = try TemporaryFolder()
        let source = try DocumentSource.file(try bigFile(folder))
        let (client, parameters) = (kind.client(server), try parameters())
        let error = try await #require(throws: KioskClientError.self) {
            _ = try await client.submit(source, parameters)
        }
        #expect(error.problem?.code == .documentTooLarge)
    }

    @Test(arguments: APIClientKind.allCases)
    func `a daemon that dies in the middle is a lost connection`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in _ = try peer.readHead() }
        let folder = try TemporaryFolder()
        let source = try DocumentSource.file(try bigFile(folder))
        let (client, parameters) = (kind.client(server), try parameters())
        let error = try await #require(throws: KioskClientError.self) {
            _ = try await client.submit(source, parameters)
        }
        #expect(error.code == .connectionLost)
    }

    @Test(arguments: APIClientKind.allCases)
    func `a file that became shorter makes no job`(_ kind: APIClientKind) async throws {
        let isAborted = Mutex(false)
        let server = try ScriptedServer { peer in
            do { try peer.readRequest() } catch { isAborted.withLock { $0 = true } }
        }
        let folder = try TemporaryFolder()
        let path = try bigFile(folder)
        let source = try DocumentSource.file(path)
        guard truncate(path, 1000) == 0 else { throw TestSupportError.errno("truncate", errno) }
        let (client, parameters) = (kind.client(server), try parameters())
        let error = try await #require(throws: KioskClientError.self) {
            _ = try await client.submit(source, parameters)
        }
        #expect(error.code == .documentUnreadable)
        #expect(error.message.contains("1000 of"))
        try await eventually("the aborted upload") { isAborted.withLock(\.self) }
        #expect(server.received.isEmpty)
    }

    @Test func `reads a small file at once, and says what cannot be opened`() throws {
        let folder = try TemporaryFolder()
        #expect(try DocumentSource.file(try folder.write("Tea", to: "tea.txt")).length == 3)
        let missing = #expect(throws: DocumentSourceError.self) {
            _ = try DocumentSource.file(folder.appending("none"))
        }
        #expect(missing?.description.contains("No such file") == true)
        let directory = #expect(throws: DocumentSourceError.self) { _ = try DocumentSource.file(folder.path) }
        #expect(directory?.description.contains("Is a directory") == true)
    }
}
