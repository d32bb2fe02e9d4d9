import PrintModel
import TLS
import TestSupport
import Testing

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
        // What the server says in a whole handshake, cut off after every so many octets.
        let whole = try await pair(version)
        try whole.shakeHands()
        for cut in Swift.stride(from: 0, to: whole.serverSent, by: 61) {
            let pair = try await pair(version)
            _ = pair.client.handshake()
            var received = 0
            var outcome = TLSSession.HandshakeOutcome.wantsInput
            while received < cut {
                pair.carry(pair.client, pair.server) { _ = pair.server.handshake() }
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
        try pair.shakeHands()
        _ = pair.server.put(answer)
        let length = pair.server.output().count
        for cut in 0...length {
            let pair = try await self.pair(version)
            try pair.shakeHands()
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
        try pair.shakeHands()
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
    func `what is no TLS is said to be none`(garbage: String) async throws {
        let pair = try await pair(.tls13)
        _ = pair.client.handshake()
        _ = pair.client.feed(Array(garbage.utf8))
        let failure = error(pair.client.handshake())
        #expect(failure?.code == .handshakeFailed)
        #expect(failure?.reason.contains("no TLS") == true, "\(failure?.reason ?? "")")
    }

    @Test func `any flipped bit in the handshake or in data is an error, never wrong data`() async throws {
        for position in Swift.stride(from: 0, to: 700, by: 13) {
            let pair = try await pair(.tls13)
            _ = pair.client.handshake()
            pair.carry(pair.client, pair.server) { _ = pair.server.handshake() }
            var flight = pair.server.output()
            let at = position % flight.count
            flight[at] ^= 1 << UInt8(position % 8)
            _ = pair.client.feed(flight)
            pair.client.receiveEnd()
            #expect(error(pair.client.handshake()) != nil, "octet \(at)")
        }
        let pair = try await pair(.tls13)
        try pair.shakeHands()
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
        pair.carry(pair.client, pair.server) { _ = pair.server.handshake() }
        pair.carry(pair.server, pair.client) {}
        #expect(error(pair.client.handshake())?.code == .untrusted)
        _ = pair.server.feed(pair.client.output())
        let failure = error(pair.server.handshake())
        #expect(failure?.code == .handshakeFailed)
        #expect(failure?.reason == "tlsv1 alert unknown ca")
        // Nothing more is taken or given.
        #expect(pair.client.feed([1, 2, 3]) == 3)
        guard case .failed = pair.client.put([1]) else { throw TestSupportError("it writes after a failure") }
    }

    @Test func `peers without a common protocol refuse each other`() async throws {
        let fixtures = try await TLSFixtures.get()
        let pair = try TLSPair(
            client: .client(fixtures.trust, protocols: ["h2"]),
            server: .server(fixtures.identity, protocols: ["http/1.1"]))
        #expect(throws: TLSError.self) { try pair.shakeHands() }
        let silent = try TLSPair(client: .client(fixtures.trust, protocols: []), server: .server(fixtures.identity))
        #expect(try silent.shakeHands().client.applicationProtocol == nil)
        let choosy = try TLSPair(
            client: .client(fixtures.trust, protocols: ["h2", "http/1.1"]), server: .server(fixtures.identity))
        #expect(try choosy.shakeHands().client.applicationProtocol == "http/1.1")
    }
}
