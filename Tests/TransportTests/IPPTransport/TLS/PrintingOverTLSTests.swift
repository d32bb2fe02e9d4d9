import KioskIPPCodec
import KioskPrintModel
import KioskTLS
import Testing

@testable import KioskIPP

/// Printing to ipps:// when nothing goes wrong.
@Suite struct PrintingOverTLSTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)

    @Test func `a document arrives byte by byte as it was sent`() async throws {
        let document = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let taken = Recorder<[UInt8]>()
        let trust = try await TLSFixtures.get().trust
        try await TLSPrinter.with(script: { connection in
            while true {
                let request = try connection.readRequest()
                if !request.document.isEmpty { taken.add(request.document) }
                try connection.respond(to: request)
            }
        }) { it in
            let report = try await it.transport.deliver(
                .receipt("k1", document, format: .pdf), to: it.proxy.target(trust: trust)
            ) { _ in }
            #expect(report.state == .completed)
            #expect(taken.all.map { $0 == document } == [true])
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `the second connection resumes the first one's session`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let context = try TLSContext.server(fixtures.identity, version: version)
        try await TLSPrinter.with(context, script: { try $0.serve(closing: true) }) { it in
            for _ in 1...3 { _ = try await it.transport.contact(it.proxy.target(trust: fixtures.trust)) }
            #expect(it.proxy.handshakes.all.map(\.isResumed) == [false, true, true])
        }
    }

    @Test func `one connection serves contact and jobs`() async throws {
        let trust = try await TLSFixtures.get().trust
        try await TLSPrinter.with { it in
            for number in 1...3 {
                _ = try await it.transport.deliver(.receipt("k\(number)", receipt), to: it.proxy.target(trust: trust)) {
                    _ in
                }
            }
            #expect(it.printer.connectionCount == 1)
        }
    }

    @Test func `a connection that the printer closed is replaced`() async throws {
        let trust = try await TLSFixtures.get().trust
        try await TLSPrinter.with(script: { try $0.respond(to: $0.readRequest()) }) { it in
            for _ in 1...3 { _ = try await it.transport.contact(it.proxy.target(trust: trust)) }
            #expect(it.printer.connectionCount == 3)
        }
    }

    @Test func `a login goes over TLS to any address`() async throws {
        let trust = try await TLSFixtures.get().trust
        let till = ScriptedCredentials(user: "till", "geheim")
        try await TLSPrinter.with(
            credentials: till,
            script: { connection in
                while true {
                    let request = try connection.readRequest()
                    if try LoginServer.check(request) == nil {
                        try connection.demand(LoginServer.digest("SHA-256", nonce: "n"))
                    } else {
                        try connection.respond(to: request)
                    }
                }
            }
        ) { it in
            let report = try await it.transport.deliver(.receipt("k1", receipt), to: it.proxy.target(trust: trust)) {
                _ in
            }
            #expect(report.state == .completed)
        }
    }

    @Test func `closed in the middle of an exchange, the whole receipt counts as taken`() async throws {
        let trust = try await TLSFixtures.get().trust
        try await TLSPrinter.with(script: { connection in
            while true {
                let request = try connection.readRequest()
                if request.message.operation == .printJob { return }
                try connection.respond(to: request)
            }
        }) { it in
            let target = try it.proxy.target(trust: trust)
            let error = try await #require(throws: TransportError.self) {
                try await it.transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            }
            #expect(error.code == .connectionLost)
            #expect(error.bytesAccepted == Int64(receipt.count))
        }
    }
}
