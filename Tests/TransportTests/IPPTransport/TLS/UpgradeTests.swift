import IPPCodec
import PrintModel
import TLS
import Testing

@testable import IPP

/// RFC 2817: TLS on the port of plain IPP.
@Suite struct UpgradeTests {
    @Test func `a printer that demands it is spoken to in TLS from then on`() async throws {
        let trust = try await TLSFixtures.get().trust
        try await TLSPrinter.with(mode: .upgrade(isRefused: false), script: { try $0.serve(closing: true) }) { it in
            let target = try it.front.target("ipp", trust: trust)
            for number in 1...2 {
                _ = try await it.transport.deliver(.receipt("k\(number)", Array("Coffee".utf8)), to: target) { _ in }
            }
            let clear = it.front.clear.all
            #expect(clear.filter { !$0.hasPrefix("OPTIONS * HTTP/1.1") }.count == 1)
            #expect(!clear.contains { $0.contains("Coffee") })
            #expect(it.front.handshakes.all.map(\.isResumed) == [false, true, true])
        }
    }

    @Test func `the trust rules are the same`() async throws {
        try await TLSPrinter.with(mode: .upgrade(isRefused: false)) { it in
            let target = try it.front.target("ipp", trust: .ask)
            let error = await it.contactError(target)
            #expect(error?.code == .certificateNotAccepted)
            #expect(it.printer.connectionCount == 0)
            let shown = try await TLSFixtures.get().identity.certificate
            let answer = try await it.transport.certificate(of: target)
            #expect(answer == shown)
        }
    }

    @Test func `a printer that demands TLS and does not upgrade wants ipps`() async throws {
        try await TLSPrinter.with(mode: .upgrade(isRefused: true)) { it in
            let target = try it.front.target("ipp", trust: .none)
            for _ in 1...2 {
                let error = try #require(await it.contactError(target))
                #expect(error.code == .tlsRequired)
                #expect(error.message.contains("ipps://"))
            }
            let error = try await #require(throws: TransportError.self) {
                try await it.transport.deliver(.receipt("k1", Array("Coffee".utf8)), to: target) { _ in }
            }
            #expect(error.code == .tlsRequired)
            #expect(!it.front.clear.all.contains { $0.contains("Coffee") })
        }
    }
}

@Suite struct TLSUpgradeStateTests {
    private func feed(_ upgrade: inout TLSUpgrade, _ text: String) -> TLSUpgrade.Action { upgrade.received(Array(text.utf8)) }

    @Test func `goes over, and takes the answer to the request itself`() {
        var upgrade = TLSUpgrade()
        let first = feed(&upgrade, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: TLS/1.0\r\n\r\n")
        upgrade.handshakeDone()
        let steps = ["HTTP/1.1 200 OK\r\nContent-Len", "gth: 5\r\n\r\nhel", "lo"].map { feed(&upgrade, $0) }
        #expect(first == .startTLS)
        #expect(steps == [.none, .none, .done])
    }

    @Test func `what is slipped in behind the 101 ends it`() {
        var upgrade = TLSUpgrade()
        let action = feed(&upgrade, "HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
        guard case .malformed = action else {
            Issue.record("\(action)")
            return
        }
    }

    @Test(arguments: [
        "SSH-2.0\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 9999999999999999999999 x\r\n\r\n", "HTTP/1.1 -1 x\r\n\r\n", "\r\n\r\n",
        String(repeating: "x", count: 20_000),
    ])
    func `what is no HTTP ends it`(text: String) {
        var upgrade = TLSUpgrade()
        guard case .malformed = feed(&upgrade, text) else {
            Issue.record("taken")
            return
        }
    }

    @Test(arguments: ["Transfer-Encoding: chunked", "Content-Length: -1", "Content-Length: 99999999", "Content-Length: x"])
    func `an answer without a sane length ends it`(field: String) {
        var upgrade = TLSUpgrade()
        _ = feed(&upgrade, "HTTP/1.1 101 x\r\n\r\n")
        upgrade.handshakeDone()
        guard case .malformed = feed(&upgrade, "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n") else {
            Issue.record("taken")
            return
        }
    }
}
