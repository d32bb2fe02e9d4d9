import KioskPrintModel
import KioskTLS
import KioskTestSupport
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
    func `two sessions complete a handshake in memory`(version: TLSVersion) async throws {
        let pair = try await pair(version)
        let (client, server) = try pair.performHandshake()
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
    func `completes the handshake and transfers data in any pieces`(version: TLSVersion, stride: Int) async throws {
        let pair = try await pair(version, clientCAs: true)
        pair.stride = stride
        try pair.performHandshake()
        let words = Array("POST /ipp/print HTTP/1.1\r\n\r\n".utf8)
        #expect(try pair.send(words, from: pair.client, to: pair.server) == words)
        #expect(try pair.send(words, from: pair.server, to: pair.client) == words)
        pair.client.shutdown()
        pair.transfer(pair.client, pair.server) {}
        #expect(pair.server.drain().1.isClosed)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `completes the handshake wherever its flights are split in two`(version: TLSVersion) async throws {
        var (split, longest) = (1, 2)
        while split < longest {
            let pair = try await pair(version, clientCAs: true)
            pair.split = split
            try pair.performHandshake()
            longest = max(longest, pair.maximumFlight)
            // The test above already covers each octet's boundary; a whole handshake for each would take too long.
            split += split < 64 ? 1 : 13
        }
        #expect(split > 1000)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `carries a million bytes both ways`(version: TLSVersion) async throws {
        let pair = try await pair(version)
        try pair.performHandshake()
        var generator = SystemRandomNumberGenerator()
        let document = (0..<1_000_000 / 8).flatMap { _ in withUnsafeBytes(of: generator.next(), Array.init) }
        #expect(try pair.send(document, from: pair.client, to: pair.server) == document)
        #expect(try pair.send(document, from: pair.server, to: pair.client) == document)
    }

    @Test func `takes and keeps no more than its limits`() async throws {
        let pair = try await pair()
        try pair.performHandshake()
        let record = [UInt8](repeating: 7, count: 16_384)
        var written = 0
        while case .written(let count) = pair.client.put(record) { written += count }
        guard case .full = pair.client.put(record) else { throw TestSupportError("the session has no output limit") }
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

@Suite struct TLSTruncationTests {
    private func pair(_ version: TLSVersion) async throws -> TLSPair {
        let fixtures = try await TLSFixtures.get()
        return try TLSPair(
            client: .client(fixtures.trust, version: version), server: .server(fixtures.identity, version: version))
    }

    private func error(_ outcome: TLSSession.HandshakeOutcome) -> TLSError? {
        if case .failed(let error) = outcome { error } else { nil }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `an end anywhere in the handshake is an error of its own`(version: TLSVersion) async throws {
        // The server's part of a whole handshake, cut off after every 61 octets.
        let whole = try await pair(version)
        try whole.performHandshake()
        for cut in Swift.stride(from: 0, to: whole.serverSent, by: 61) {
            let pair = try await pair(version)
            _ = pair.client.handshake()
            var received = 0
            var outcome = TLSSession.HandshakeOutcome.wantsInput
            while received < cut {
                pair.transfer(pair.client, pair.server) { _ = pair.server.handshake() }
                let flight = pair.server.output().prefix(cut - received)
                guard !flight.isEmpty else { break }
                received += pair.client.feed(Array(flight))
                outcome = pair.client.handshake()
            }
            if case .done = outcome { break }
            pair.client.receiveEnd()
            #expect(error(pair.client.handshake())?.code == .truncated, "after \(cut) octets")
            #expect(error(pair.client.handshake())?.code == .truncated, "and it stays so")
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `an end in any record is an error of its own, and gives nothing of the record`(
        version: TLSVersion
    ) async throws {
        let answer = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        let pair = try await pair(version)
        try pair.performHandshake()
        _ = pair.server.put(answer)
        let length = pair.server.output().count
        for cut in 0...length {
            let pair = try await self.pair(version)
            try pair.performHandshake()
            _ = pair.server.put(answer)
            _ = pair.client.feed(Array(pair.server.output().prefix(cut)))
            pair.client.receiveEnd()
            let (octets, end) = pair.client.drain()
            #expect(octets == (cut == length ? answer : []))
            #expect(end.error?.code == .truncated)
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `an end after close_notify is none`(version: TLSVersion) async throws {
        let pair = try await pair(version)
        try pair.performHandshake()
        _ = pair.server.put(Array("bye".utf8))
        pair.server.shutdown()
        _ = pair.client.feed(pair.server.output())
        pair.client.receiveEnd()
        let (octets, end) = pair.client.drain()
        #expect(octets == Array("bye".utf8))
        #expect(end.isClosed)
        // The other direction is still open.
        #expect(try pair.send(Array("still here".utf8), from: pair.client, to: pair.server) == Array("still here".utf8))
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\nServer: none\r\n\r\n", "SSH-2.0-OpenSSH_9.2p1 Debian\r\n",
        "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ])
    func `what is not TLS is said not to be`(garbage: String) async throws {
        let pair = try await pair(.tls13)
        _ = pair.client.handshake()
        _ = pair.client.feed(Array(garbage.utf8))
        let failure = error(pair.client.handshake())
        #expect(failure?.code == .handshakeFailed)
        #expect(failure?.reason.contains("does not speak TLS") == true, "\(failure?.reason ?? "")")
    }

    @Test func `any flipped bit in the handshake or in data is an error, never wrong data`() async throws {
        for position in Swift.stride(from: 0, to: 700, by: 13) {
            let pair = try await pair(.tls13)
            _ = pair.client.handshake()
            pair.transfer(pair.client, pair.server) { _ = pair.server.handshake() }
            var flight = pair.server.output()
            let at = position % flight.count
            flight[at] ^= 1 << UInt8(position % 8)
            _ = pair.client.feed(flight)
            pair.client.receiveEnd()
            #expect(error(pair.client.handshake()) != nil, "octet \(at)")
        }
        let pair = try await pair(.tls13)
        try pair.performHandshake()
        _ = pair.server.put(Array("pay 10".utf8))
        var record = pair.server.output()
        record[record.count - 20] ^= 1
        _ = pair.client.feed(record)
        let (octets, end) = pair.client.drain()
        #expect(octets.isEmpty)
        #expect(end.error?.code == .broken)
    }

    @Test func `an alert of the other side is told in its words`() async throws {
        let fixtures = try await TLSFixtures.get()
        // The client does not know this CA: the server gets its alert.
        let pair = try TLSPair(
            client: .client(.caFile(path: fixtures.otherAuthority.root)), server: .server(fixtures.identity))
        _ = pair.client.handshake()
        pair.transfer(pair.client, pair.server) { _ = pair.server.handshake() }
        pair.transfer(pair.server, pair.client) {}
        #expect(error(pair.client.handshake())?.code == .untrusted)
        _ = pair.server.feed(pair.client.output())
        let failure = error(pair.server.handshake())
        #expect(failure?.code == .handshakeFailed)
        #expect(failure?.reason == "tlsv1 alert unknown ca")
        // Nothing more is taken or given.
        #expect(pair.client.feed([1, 2, 3]) == 3)
        guard case .failed = pair.client.put([1]) else { throw TestSupportError("the client writes after a failure") }
    }

    @Test func `peers without a common protocol refuse each other`() async throws {
        let fixtures = try await TLSFixtures.get()
        let pair = try TLSPair(
            client: .client(fixtures.trust, protocols: ["h2"]),
            server: .server(fixtures.identity, protocols: ["http/1.1"]))
        #expect(throws: TLSError.self) { try pair.performHandshake() }
        let silent = try TLSPair(client: .client(fixtures.trust, protocols: []), server: .server(fixtures.identity))
        #expect(try silent.performHandshake().client.applicationProtocol == nil)
        let several = try TLSPair(
            client: .client(fixtures.trust, protocols: ["h2", "http/1.1"]), server: .server(fixtures.identity))
        #expect(try several.performHandshake().client.applicationProtocol == "http/1.1")
    }
}
