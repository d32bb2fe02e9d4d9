import Foundation
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Testing

/// Both clients over TCP and TLS, against a server that is none of ours.
@Suite struct KioskAPIRemoteTests {
    private static let kinds = APIClientKind.allCases

    private static func server() throws -> ScriptedServer {
        try ScriptedServer { peer in
            while true {
                try peer.readRequest()
                try peer.respond(json: #"{"roles":[]}"#)
            }
        }
    }

    private func failure(_ work: () async throws -> some Any) async throws -> KioskClientError {
        do {
            _ = try await work()
        } catch let error as KioskClientError {
            return error
        }
        throw TestSupportError("nothing failed")
    }

    @Test(arguments: kinds) func `speaks TLS with the host whose key is pinned, and sends its token`(
        _ kind: APIClientKind
    ) async throws {
        let server = try Self.server()
        let certificate = try await TestAuthority.selfSigned()
        let tunnel = try await TLSTunnel(to: server.path, certificate: certificate)
        let host = try RemoteHost(
            "https://127.0.0.1:\(tunnel.port)", fingerprint: Fingerprint(certificate.keyFingerprint),
            token: Secret("kiosk_abc"))
        let client = kind.client(.host(host))
        #expect(try await client.roles().isEmpty)
        #expect(try await client.roles().isEmpty)
        #expect(server.received.count == 2)
        #expect(server.received[1].headers["authorization"] == "Bearer kiosk_abc")
        #expect(server.received[1].headers["host"] == "127.0.0.1:\(tunnel.port)")
        #expect(server.connectionCount == 1, "the connection is kept")
    }

    @Test(arguments: kinds) func `a certificate that nobody vouches for gets nothing, and its key is said`(
        _ kind: APIClientKind
    ) async throws {
        let server = try Self.server()
        let certificate = try await TestAuthority.selfSigned()
        let tunnel = try await TLSTunnel(to: server.path, certificate: certificate)
        let host = try RemoteHost("https://127.0.0.1:\(tunnel.port)", token: Secret("kiosk_abc"))
        let error = try await failure { try await kind.client(.host(host)).roles() }
        #expect(error.code == .certificateNotTrusted)
        #expect(error.message.contains("--host-fingerprint sha256:\(certificate.keyFingerprint)"))
        #expect(server.received.isEmpty)
    }

    @Test(arguments: kinds) func `a host with another key than the pinned one gets nothing`(
        _ kind: APIClientKind
    ) async throws {
        let server = try Self.server()
        let certificate = try await TestAuthority.selfSigned()
        let tunnel = try await TLSTunnel(to: server.path, certificate: certificate)
        let url = "https://127.0.0.1:\(tunnel.port)"
        // Also the fingerprint of the certificate itself, which is said to be that.
        for (pin, words) in [
            (String(repeating: "0", count: 64), "somebody may be in the way"),
            (certificate.fingerprint, "is the fingerprint of its certificate"),
        ] {
            let host = try RemoteHost(url, fingerprint: Fingerprint(pin), token: Secret("kiosk_abc"))
            let error = try await failure { try await kind.client(.host(host)).roles() }
            #expect(error.code == .certificateNotTrusted)
            #expect(error.message.contains("sha256:\(certificate.keyFingerprint)"))
            #expect(error.message.contains(words))
        }
        #expect(server.received.isEmpty)
    }

    @Test(arguments: kinds) func `a host without TLS is said to have none`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let tunnel = try await TLSTunnel(to: server.path, certificate: nil)
        let host = try RemoteHost("https://127.0.0.1:\(tunnel.port)", token: Secret("kiosk_abc"))
        let error = try await failure { try await kind.client(.host(host)).roles() }
        #expect(error.code == .tlsFailed)
        #expect(server.received.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test(arguments: kinds) func `speaks to loopback without TLS`(_ kind: APIClientKind) async throws {
        let server = try Self.server()
        let tunnel = try await TLSTunnel(to: server.path, certificate: nil)
        #expect(try await kind.client(.host(RemoteHost("http://127.0.0.1:\(tunnel.port)"))).roles().isEmpty)
    }

    @Test(arguments: kinds) func `a port where nobody listens, and a name that nobody knows`(
        _ kind: APIClientKind
    ) async throws {
        let closed = try RemoteHost("https://127.0.0.1:\(try freePort())")
        #expect(try await failure { try await kind.client(.host(closed)).roles() }.code == .daemonNotRunning)
        let unknown = try RemoteHost("https://no-such-host.invalid")
        #expect(try await failure { try await kind.client(.host(unknown)).roles() }.code == .hostUnreachable)
    }

    @Test(arguments: kinds) func `a document of many records comes whole`(_ kind: APIClientKind) async throws {
        let job = try Samples.json(Samples.job())
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respond(json: job)
        }
        let certificate = try await TestAuthority.selfSigned()
        let tunnel = try await TLSTunnel(to: server.path, certificate: certificate)
        let host = try RemoteHost(
            "https://127.0.0.1:\(tunnel.port)", fingerprint: Fingerprint(certificate.keyFingerprint))
        let folder = try TemporaryFolder()
        let length = 5_000_000
        let file = try folder.write([UInt8](repeating: 65, count: length), to: "long.txt")
        var parameters = SubmissionParameters()
        parameters.role = RoleName(rawValue: "receipt")
        _ = try await kind.client(.host(host)).submit(.file(file), parameters)
        #expect(server.received.first?.bodyLength == length)
    }

    @Test(arguments: kinds) func `a response that is cut off is no whole one`(_ kind: APIClientKind) async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.write(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"roles\":[")
        }
        let certificate = try await TestAuthority.selfSigned()
        let tunnel = try await TLSTunnel(to: server.path, certificate: certificate)
        let host = try RemoteHost(
            "https://127.0.0.1:\(tunnel.port)", fingerprint: Fingerprint(certificate.keyFingerprint))
        let error = try await failure { try await kind.client(.host(host)).roles() }
        #expect(error.code == .connectionLost)
    }
}
