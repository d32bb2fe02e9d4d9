import PrintModel
import TLS
import TestSupport
import Testing

@Suite struct TLSSessionTests {
    private func pair(
        _ version: TLSVersion = .tls13, clientCAs: Bool = false, protocols: [String] = ["http/1.1"]
    ) async throws -> TLSPair {
        let fixtures = try await TLSFixtures.get()
        return try TLSPair(
            client: .client(fixtures.trust, identity: clientCAs ? fixtures.client.identity : nil, version: version),
            server: .server(
                fixtures.identity, clientCAs: clientCAs ? fixtures.authority.root : nil, requiresClient: clientCAs,
                version: version, protocols: protocols))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `two sessions shake hands in memory`(version: TLSVersion) async throws {
        let pair = try await pair(version)
        let (client, server) = try pair.shakeHands()
        #expect(client.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
        #expect(server.version == client.version)
        #expect(client.cipher == server.cipher)
        #expect(client.applicationProtocol == "http/1.1")
        #expect(server.applicationProtocol == "http/1.1")
        #expect(!client.isResumed)
        let fixtures = try await TLSFixtures.get()
        #expect(client.certificate?.fingerprint == Fingerprint(fixtures.server.fingerprint))
        #expect(client.certificate?.keyFingerprint == Fingerprint(fixtures.server.keyFingerprint))
        #expect(server.certificate == nil)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [1, 2, 3, 5, 7, 64, 1000])
    func `shakes hands and talks whatever the pieces are`(version: TLSVersion, stride: Int) async throws {
        let pair = try await pair(version, clientCAs: true)
        pair.stride = stride
        try pair.shakeHands()
        let words = Array("POST /ipp/print HTTP/1.1\r\n\r\n".utf8)
        #expect(try pair.send(words, from: pair.client, to: pair.server) == words)
        #expect(try pair.send(words, from: pair.server, to: pair.client) == words)
        pair.client.shutdown()
        pair.carry(pair.client, pair.server) {}
        #expect(pair.server.drain().1.isClosed)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `shakes hands wherever its flights are cut in two`(version: TLSVersion) async throws {
        var (split, longest) = (1, 2)
        while split < longest {
            let pair = try await pair(version, clientCAs: true)
            pair.split = split
            try pair.shakeHands()
            longest = max(longest, pair.longestFlight)
            // Each boundary is met one octet at a time above already; a whole handshake for each takes too long.
            split += split < 64 ? 1 : 13
        }
        #expect(split > 1000)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `carries a million bytes both ways`(version: TLSVersion) async throws {
        let pair = try await pair(version)
        try pair.shakeHands()
        var generator = SystemRandomNumberGenerator()
        let document = (0..<1_000_000 / 8).flatMap { _ in withUnsafeBytes(of: generator.next(), Array.init) }
        #expect(try pair.send(document, from: pair.client, to: pair.server) == document)
        #expect(try pair.send(document, from: pair.server, to: pair.client) == document)
    }

    @Test func `takes and keeps no more than its limits`() async throws {
        let pair = try await pair()
        try pair.shakeHands()
        let record = [UInt8](repeating: 7, count: 16_384)
        var written = 0
        while case .written(let count) = pair.client.put(record) { written += count }
        guard case .full = pair.client.put(record) else { throw TestSupportError("it takes more and more") }
        #expect(pair.client.pendingOutput < (64 << 10) + 17_000)
        let ciphertext = pair.client.output()
        var given = 0
        while true {
            let taken = pair.server.feed(Array(ciphertext[given...]))
            guard taken > 0 else { break }
            given += taken
        }
        #expect(given == 64 << 10)
        #expect(pair.server.drain().0.count == 3 * 16_384)
        #expect(pair.server.feed(Array(ciphertext[given...])) == ciphertext.count - given)
    }
}
