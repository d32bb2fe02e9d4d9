import Foundation
import Glibc
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet
@testable import kioskd

/// What a kiosk makes of responses that no real store gives on demand.
@Suite struct HTTPDocumentFetcherTests {
    private static let start = "HTTP/1.1 200 OK\r\n"

    /// Fetches `TEA` from a server that gives this response.
    private func fetch(_ response: String) async throws -> String {
        let server = try RespondingServer(response)
        let address = try DocumentAddress("http://127.0.0.1:\(server.port)/a?X-Amz-Signature=secret")
        var bytes: [UInt8] = []
        try await HTTPDocumentFetcher().fetch(address, length: 3) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        "\(start)Content-Length: 3\r\n\r\nTEA",
        "HTTP/1.1 200 Here it is\r\ncontent-length: 3\r\nConnection: keep-alive\r\n\r\nTEA",
        "\(start)Transfer-Encoding: chunked\r\n\r\n1\r\nT\r\n2\r\nEA\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nTEA",
        "HTTP/1.1 100 Continue\r\n\r\n\(start)Content-Length: 3\r\n\r\nTEA",
        "\(start)Content-Length: 3\r\n\r\nTEAHTTP/1.1 404 Not Found\r\n\r\n",
    ])
    func `takes a document however it is framed`(response: String) async throws {
        #expect(try await fetch(response) == "TEA")
    }

    @Test(arguments: [
        (
            "HTTP/1.1 301 Moved Permanently\r\nLocation: https://other/?secret\r\nContent-Length: 0\r\n\r\n",
            "redirect (301"
        ),
        ("HTTP/1.1 304 Not Modified\r\n\r\n", "redirect (304"),
        ("HTTP/1.1 400 Bad Request\r\nContent-Length: 6\r\n\r\nsecret", "400 Bad Request"),
        ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", "its address has expired"),
        ("HTTP/1.1 204 No Content\r\n\r\n", "204 No Content"),
        ("HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n\r\nTEA", "206 Partial Content"),
        ("\(start)Content-Length: 4\r\n\r\nTEAS", "sends 4 bytes"),
        ("\(start)Content-Length: 2\r\n\r\nTE", "sends 2 bytes"),
        ("\(start)Transfer-Encoding: chunked\r\n\r\n4\r\nTEAS\r\n0\r\n\r\n", "sends more"),
        ("HTTP/1.0 200 OK\r\n\r\nTEAS", "sends more"),
    ])
    func `refuses what will not become the document`(response: String, said: String) async throws {
        let error = await #expect(throws: FleetError.self) { try await fetch(response) }
        #expect(error?.code == .storeRefused && error?.description.contains(said) == true, "\(error as Any)")
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        ("", "has closed the connection"), (start, "has closed the connection"),
        ("\(start)Content-Length: 3\r\n\r\nTE", "has closed the connection"),
        ("\(start)Transfer-Encoding: chunked\r\n\r\n3\r\nTE", "has closed the connection"),
        ("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", "408"),
        ("HTTP/1.1 429 Slow Down\r\nContent-Length: 0\r\n\r\n", "429"),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 6\r\n\r\nsecret", "500"),
        ("SSH-2.0-OpenSSH_9.2 secret\r\n", "what is not HTTP"),
        ("\(start)Content-Length: 3\r\nContent-Length: 4\r\n\r\nTEA", "what is not HTTP"),
        ("\(start)X-Padding: \(String(repeating: "secret", count: 20_000))\r\n\r\n", "what is not HTTP"),
    ])
    func `asks again where a response breaks off, is none or says so`(response: String, said: String) async throws {
        let error = await #expect(throws: FleetError.self) { try await fetch(response) }
        #expect(error?.code == .storeUnavailable && error?.description.contains(said) == true, "\(error as Any)")
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `asks again where nobody listens`() async throws {
        let error = await #expect(throws: FleetError.self) {
            try await HTTPDocumentFetcher().fetch(
                DocumentAddress("https://127.0.0.1:\(freePort())/a?secret"), length: 3
            ) { _ in }
        }
        #expect(error?.code == .storeUnavailable, "\(error as Any)")
        #expect(error?.description.contains("cannot be reached (Connection refused)") == true, "\(error as Any)")
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `a server without TLS proves nothing`() async throws {
        let server = try RespondingServer("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        let error = await #expect(throws: FleetError.self) {
            try await HTTPDocumentFetcher().fetch(
                DocumentAddress("https://127.0.0.1:\(server.port)/a"), length: 3
            ) { _ in }
        }
        #expect(
            error?.code == .storeUnavailable && error?.description.contains("fails the TLS handshake") == true,
            "\(error as Any)")
    }

    @Test func `a store that says nothing behind the handshake of TLS is given up`() async throws {
        let authority = try await TestAuthority()
        let certificate = try await authority.issue()
        // It sends two tickets for sessions, and then waits for what is typed.
        let store = try ChildProcess(
            InstalledProgram.path("openssl", package: "openssl"),
            ["s_server", "-accept", "127.0.0.1:0", "-tls1_3", "-cert_chain", certificate.chain]
                + ["-cert", certificate.certificate, "-key", certificate.key])
        let line = try await store.lineBehind("ACCEPT 127.0.0.1:")
        let address = try DocumentAddress("https://localhost:\(line.prefix { $0.isNumber })/a?secret")
        let fetcher = HTTPDocumentFetcher(readTimeout: .seconds(1), trust: .caFile(path: authority.root))
        let error = await #expect(throws: FleetError.self) { try await fetcher.fetch(address, length: 3) { _ in } }
        #expect(
            error?.code == .storeUnavailable && error?.description.contains("has sent nothing for 1 s") == true,
            "\(error as Any)")
        store.kill()
    }

    @Test func `a connection that is being made is not waited for`() async throws {
        let full = try FullListener()
        let before = try full.waiting
        let address = try DocumentAddress("http://127.0.0.1:\(full.port)/a")
        let fetch = Task { try await HTTPDocumentFetcher().fetch(address, length: 3) { _ in } }
        try await eventually("the connection") { try full.waiting > before }
        fetch.cancel()
        await #expect(throws: CancellationError.self) { try await fetch.value }
    }

    @Test func `what takes the document ends the fetch`() async throws {
        struct Full: Error {}
        let server = try RespondingServer("\(Self.start)Content-Length: 3\r\n\r\nTEA")
        let address = try DocumentAddress("http://127.0.0.1:\(server.port)/a")
        await #expect(throws: Full.self) {
            try await HTTPDocumentFetcher().fetch(address, length: 3) { _ in throw Full() }
        }
    }
}

/// A TCP server on loopback that reads each request, or whatever comes first, gives its one response, and closes.
final class RespondingServer: Sendable {
    let port: Int
    private let listener: Int32

    /// `pause`: how long it takes for each response.
    init(_ response: String, after pause: Duration = .zero) throws {
        (listener, port) = try listenOnLoopback()
        let (listener, bytes) = (listener, Array(response.utf8))
        Thread.detachNewThread {
            // It alone closes the listener, so that it never accepts at another one that got its number.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.sleep(forTimeInterval: pause / .seconds(1))
                Self.respond(bytes, on: connection)
                close(connection)
            }
        }
    }

    /// Ends the thread.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func respond(_ response: [UInt8], on connection: Int32) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        // A handshake of TLS begins with 22.
        while request.first != 22, !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            request += buffer[..<count]
        }
        var sent = 0
        while sent < response.count {
            let count = response[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
        // Closed once the other side has closed: to close before would take the response away where something is unread.
        shutdown(connection, Int32(SHUT_WR))
        while read(connection, &buffer, buffer.count) > 0 {}
    }
}
