import PrintModel
import Synchronization
import TLS
import TestSupport
import Testing

@Suite struct TLSResumptionTests {
    /// Shakes hands, lets the tickets through, and closes.
    private func connect(
        _ client: TLSContext, _ server: TLSContext, _ sessions: TLSSessionCache, host: String = "localhost",
        endsBare: Bool = false
    ) throws -> TLSHandshake {
        let pair = try TLSPair(client: client, server: server, host: host, sessions: sessions)
        let handshake = try pair.shakeHands().client
        _ = pair.client.drain()
        if endsBare {
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
        let handshakes = try (0..<3).map { _ in try connect(client, server, sessions, endsBare: true) }
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
        // Without it, or as somebody else, the session is not ours.
        let anonymous = try TLSContext.client(fixtures.trust, version: version)
        let pair = try TLSPair(client: anonymous, server: server, sessions: sessions)
        #expect(throws: TLSError.self) { try pair.shakeHands() }
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
    func `judges a kept certificate again`(version: TLSVersion) async throws {
        // The same file now holds another CA: the terms are the same, but the kept certificate does not hold any more.
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
    func `shakes hands in full every ten minutes, however often it resumed in between`(version: TLSVersion) async throws
    {
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
