import KioskPrintModel
import KioskTLS
import KioskTestSupport
import NIOCore
import Testing

/// The handler with independent TLS peers: `openssl s_server` and `openssl s_client`.
@Suite struct TLSPeerTests {
    private func flag(_ version: TLSVersion) -> String { version == .tls12 ? "-tls1_2" : "-tls1_3" }
    private var program: String { get throws { try InstalledProgram.path("openssl", package: "openssl") } }

    /// Starts `openssl s_server` and returns its port.
    private func server(_ certificate: TestCertificate, _ more: [String]) async throws -> (ChildProcess, Int) {
        let child = try ChildProcess(
            program,
            ["s_server", "-accept", "127.0.0.1:0", "-cert_chain", certificate.chain, "-cert", certificate.certificate]
                + ["-key", certificate.key] + more)
        let line = try await child.lineBehind("ACCEPT 127.0.0.1:")
        return (child, try #require(Int(line.prefix { $0.isNumber })))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client of s_server, in full and resumed`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let (child, port) = try await server(fixtures.server, [flag(version), "-www"])
        let context = try TLSContext.client(fixtures.trust, protocols: [])
        let sessions = TLSSessionCache()
        for round in 0..<3 {
            let client = try await SocketClient(context, port: port, sessions: sessions)
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            // It waits for our close_notify before it closes the socket.
            try await eventually("the end of the answer") { client.log.events.contains("peer closed") }
            #expect(client.log.text.contains(round == 0 ? "New, TLSv1." : "Reused, TLSv1."))
            #expect(client.log.handshake?.isResumed == (round > 0))
            #expect(client.log.handshake?.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
            #expect(client.log.error == nil)
            try await client.finish()
        }
        child.kill()
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client that s_server demands a certificate of`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let (child, port) = try await server(
            fixtures.server,
            [flag(version), "-www", "-Verify", "3", "-verify_return_error", "-CAfile", fixtures.authority.root])
        let known = try await SocketClient(.client(fixtures.trust, identity: fixtures.client.identity), port: port)
        try await known.send("GET / HTTP/1.0\r\n\r\n")
        try await eventually("the answer") { known.log.text.contains("New, TLSv1.") }
        try await known.finish()
        let stranger = try await fixtures.otherAuthority.issue(.init("stranger", purpose: .client))
        for identity in [nil, try stranger.identity] {
            let client = try await SocketClient(.client(fixtures.trust, identity: identity), port: port)
            try await eventually("the refusal") { client.log.isInactive }
            #expect(client.log.error?.code == .clientRefused, "\(client.log.events)")
        }
        child.kill()
    }

    @Test func `a server that asks for renegotiation does not get it`() async throws {
        let fixtures = try await TLSFixtures.get()
        let (child, port) = try await server(fixtures.server, ["-tls1_2"])
        let client = try await SocketClient(.client(fixtures.trust), port: port)
        _ = try await client.handshake.get()
        try child.write("before\n")
        try await eventually("the line before") { client.log.text.contains("before") }
        try child.write("r\n")
        // s_server gives up for good.
        try await eventually("the server's last word") { client.log.isInactive }
        #expect(client.log.events == ["handshake", "error broken", "inactive"])
        try await client.finish()
        child.kill()
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `s_client as a client, in full and resumed`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity))
        let folder = try TemporaryFolder("session")
        let session = folder.appending("session.pem")
        for round in 0..<2 {
            let child = try ChildProcess(
                program,
                ["s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", "localhost", flag(version)]
                    + ["-CAfile", fixtures.authority.root, "-verify_return_error", "-verify_hostname", "localhost"]
                    + ["-alpn", "h2,http/1.1", round == 0 ? "-sess_out" : "-sess_in", session])
            try child.write("hello from openssl\n")
            try await eventually("the echo") { child.standardOutput.contains("\nhello from openssl") }
            try child.write("Q\n")
            try await child.wait()
            #expect(child.standardOutput.contains(round == 0 ? "New, TLSv1." : "Reused, TLSv1."))
            #expect(
                child.standardOutput.contains("Verify return code: 0 (ok)")
                    || child.standardOutput.contains("Verification: OK"))
            #expect(child.standardOutput.contains("ALPN protocol: http/1.1"))
            try await eventually("the server's end") { server.logs.last?.isInactive == true }
            #expect(server.logs.last?.handshake?.isResumed == (round > 0))
            #expect(server.logs.last?.text == "hello from openssl\n")
        }
        try await server.channel.close()
    }

    @Test func `s_client's renegotiation is refused`() async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity))
        let child = try ChildProcess(
            program,
            ["s_client", "-connect", "127.0.0.1:\(server.port)", "-tls1_2", "-CAfile", fixtures.authority.root])
        try child.write("hello\n")
        try await eventually("the echo") { child.standardOutput.contains("\nhello") }
        try child.write("R\n")
        try await child.wait()
        #expect((child.standardError + child.standardOutput).contains("no renegotiation"))
        try await eventually("the server's end") { server.logs.last?.isInactive == true }
        #expect(server.logs.last?.events.filter { $0 == "handshake" }.count == 1)
        try await server.channel.close()
    }

    @Test func `s_client may change its keys, and have ours changed`() async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try await SocketServer(.server(fixtures.identity))
        let child = try ChildProcess(
            program,
            ["s_client", "-connect", "127.0.0.1:\(server.port)", "-tls1_3", "-CAfile", fixtures.authority.root])
        for (round, command) in ["", "k\n", "K\n"].enumerated() {
            try child.write(command)
            // s_client takes a command only if it is alone in a read.
            try await eventually("the command's end") {
                child.standardError.split(separator: "KEYUPDATE").count > round
            }
            try child.write("line \(round)\n")
            try await eventually("the echo") { child.standardOutput.contains("\nline \(round)") }
        }
        try child.write("Q\n")
        try await child.wait()
        try await eventually("the server's end") { server.logs.last?.isInactive == true }
        #expect(server.logs.last?.events == ["handshake", "peer closed", "input closed", "inactive"])
        try await server.channel.close()
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func `versions before TLS 1.2 are refused`(flag: String) async throws {
        let fixtures = try await TLSFixtures.get()
        let (child, port) = try await server(fixtures.server, [flag, "-cipher", "DEFAULT:@SECLEVEL=0"])
        let client = try await SocketClient(.client(.none), port: port)
        let error = await #expect(throws: TLSError.self) { try await client.handshake.get() }
        #expect(error?.code == .handshakeFailed)
        #expect(
            error?.reason.contains("protocol version") == true
                || error?.reason.contains("unsupported protocol") == true, "\(error?.reason ?? "")")
        child.kill()
    }
}
