import KioskPrintModel
import KioskTLS
import KioskTestSupport
import Synchronization
import Testing

@Suite struct TLSResumptionTests {
    /// Completes a handshake, transfers the tickets and closes.
    private func connect(
        _ client: TLSContext, _ server: TLSContext, _ sessions: TLSSessionCache, host: String = "localhost",
        withoutCloseNotify: Bool = false
    ) throws -> TLSHandshake {
        let pair = try TLSPair(client: client, server: server, host: host, sessions: sessions)
        let handshake = try pair.performHandshake().client
        _ = pair.client.drain()
        if withoutCloseNotify {
            pair.client.receiveEnd()
            #expect(pair.client.drain().1.error?.code == .truncated)
        }
        return handshake
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `resumes, over and over`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let client = try TLSContext.client(fixtures.trust, version: version)
        let server = try TLSContext.server(fixtures.identity, version: version)
        let sessions = TLSSessionCache()
        #expect(try connect(client, server, sessions).isResumed == false)
        for _ in 0..<8 {
            let again = try connect(client, server, sessions)
            #expect(again.isResumed)
            #expect(again.certificate?.fingerprint == Fingerprint(fixtures.server.fingerprint))
            #expect(again.applicationProtocol == "http/1.1")
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `resumes after a connection that ended without close_notify`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let client = try TLSContext.client(fixtures.trust, version: version)
        let server = try TLSContext.server(fixtures.identity, version: version)
        let sessions = TLSSessionCache()
        let handshakes = try (0..<3).map { _ in try connect(client, server, sessions, withoutCloseNotify: true) }
        #expect(handshakes.map(\.isResumed) == [false, true, true])
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `resumes with a client certificate that the server demanded`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let client = try TLSContext.client(fixtures.trust, identity: fixtures.client.identity, version: version)
        let server = try TLSContext.server(
            fixtures.identity, clientCAs: fixtures.authority.root, requiresClient: true, version: version)
        let sessions = TLSSessionCache()
        _ = try connect(client, server, sessions)
        #expect(try connect(client, server, sessions).isResumed)
        // A client without the certificate must not resume the session.
        let anonymous = try TLSContext.client(fixtures.trust, version: version)
        let pair = try TLSPair(client: anonymous, server: server, sessions: sessions)
        #expect(throws: TLSError.self) { try pair.performHandshake() }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `does not resume across another pin, trust or host`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let server = try TLSContext.server(fixtures.identity, version: version)
        let pinned = try TLSContext.client(fixtures.server.pin, version: version)
        let sessions = TLSSessionCache()
        _ = try connect(pinned, server, sessions)
        #expect(try connect(pinned, server, sessions).isResumed)
        let other = try TLSContext.client(fixtures.client.pin, version: version)
        let error = #expect(throws: TLSError.self) { try connect(other, server, sessions) }
        guard case .changed = error?.code else { throw TestSupportError("\(String(describing: error))") }
        _ = try connect(pinned, server, sessions)
        let authority = try TLSContext.client(fixtures.trust, version: version)
        #expect(try !connect(authority, server, sessions).isResumed)
        #expect(try !connect(authority, server, sessions, host: "127.0.0.1").isResumed)
        _ = try connect(authority, server, sessions)
        #expect(throws: TLSError.self) { try connect(authority, server, sessions, host: "elsewhere") }
        #expect(throws: TLSError.self) { try connect(.client(.ask, version: version), server, sessions) }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `verifies a cached certificate again`(version: TLSVersion) async throws {
        // The same file now has another CA: the session's key is the same, but its certificate is not trusted any more.
        let fixtures = try await TLSFixtures.get()
        let folder = try TemporaryFolder("trust")
        let path = try folder.write(readFile(fixtures.authority.root), to: "ca.pem")
        let server = try TLSContext.server(fixtures.identity, version: version)
        let sessions = TLSSessionCache()
        let before = try TLSContext.client(.caFile(path: path), version: version)
        _ = try connect(before, server, sessions)
        #expect(try connect(before, server, sessions).isResumed)
        try folder.write(readFile(fixtures.otherAuthority.root), to: "ca.pem")
        let error = #expect(throws: TLSError.self) {
            try connect(.client(.caFile(path: path), version: version), server, sessions)
        }
        #expect(error?.code == .untrusted)
        #expect(sessions.isEmpty)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `makes a full handshake every ten minutes, however often it resumed`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let clock = Mutex(ContinuousClock.Instant.now)
        let sessions = TLSSessionCache { clock.withLock(\.self) }
        let client = try TLSContext.client(fixtures.trust, version: version)
        let server = try TLSContext.server(fixtures.identity, version: version)
        for _ in 1...2 {
            #expect(try !connect(client, server, sessions).isResumed)
            for _ in 1...2 {
                clock.withLock { $0 += .seconds(299) }
                #expect(try connect(client, server, sessions).isResumed)
            }
            clock.withLock { $0 += .seconds(2) }
        }
    }

    @Test func `a server that lost its ticket keys is met with a full handshake`() async throws {
        let fixtures = try await TLSFixtures.get()
        let client = try TLSContext.client(fixtures.trust)
        let sessions = TLSSessionCache()
        _ = try connect(client, .server(fixtures.identity), sessions)
        #expect(try !connect(client, .server(fixtures.identity), sessions).isResumed)
    }
}
