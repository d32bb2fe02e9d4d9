import KioskIPPCodec
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTLS
import KioskTestSupport
import Testing

@testable import KioskIPP

/// TLS on the port of plain IPP (RFC 2817).
@Suite struct UpgradeTests {
    @Test func `a printer that demands it is spoken to in TLS from then on`() async throws {
        try await TLSPrinter.with(mode: .upgrade(isRefused: false), script: { try $0.serve(closing: true) }) { it in
            let target = try it.proxy.target("ipp", trust: .none)
            for number in 1...2 {
                _ = try await it.transport.deliver(.receipt("k\(number)", Array("Coffee".utf8)), to: target) { _ in }
            }
            let clear = it.proxy.clear.all
            #expect(clear.filter { !$0.hasPrefix("OPTIONS * HTTP/1.1") }.count == 1)
            #expect(!clear.contains { $0.contains("Coffee") })
            #expect(it.proxy.handshakes.all.map(\.isResumed) == [false, true, true])
        }
    }

    @Test func `the simulated printer takes a document by its upgrade only, and a new key is seen there too`()
        async throws
    {
        var options = SimulatedPrinter.Options()
        options.tls = PrinterTLSOptions()
        options.tls?.byUpgrade = true
        let printer = try await SimulatedPrinter.start(options)
        let key = try #require(try await printer.certificate?.keyFingerprint)
        let relay = try await RecordingRelay(to: printer.port)
        func target(_ trust: Trust) throws -> PrinterTarget {
            try PrinterTarget.open("ipp://localhost:\(relay.port)/ipp/print", trust: trust)
        }
        try await withTransport { transport in
            let report = try await transport.print(Array("Coffee".utf8), on: target(.pinned([key])))
            #expect(report.state == .completed)
        }
        try await printer.perform(.newCertificate)
        // Another transport, since the relay may not have passed on the end of a kept connection yet.
        try await withTransport { transport in
            let error = try await transport.refusal(of: target(.pinned([key])))
            #expect(error.code == .certificateChanged)
        }
        #expect(try await printer.documents.map { try readFile($0.path) } == [Array("Coffee".utf8)])
        let clear = relay.connections.map { String(decoding: $0.toServer, as: UTF8.self) }
        #expect(clear.contains { $0.hasPrefix("OPTIONS * HTTP/1.1") })
        #expect(!clear.contains { $0.contains("Coffee") })
        try await relay.stop()
        try await printer.stop()
    }

    /// Libcups's server, in two printers that others wrote: the response to the upgrade promises chunks and has none.
    @Test(arguments: ["ippeveprinter", "PAPPL"])
    func `a printer on libcups is asked for trust over its upgrade, and prints when its key is pinned`(
        peer: String
    ) async throws {
        let pappl = peer == "PAPPL" ? try await PAPPLPrinter() : nil
        let eve = peer == "PAPPL" ? nil : try await EvePrinter()
        let port = try #require(eve?.port ?? pappl?.port)
        let format = DocumentFormat(pappl == nil ? "application/vnd.escpos" : "application/vnd.test-commands")
        let relay = try await RecordingRelay(to: port)
        func target(_ trust: Trust) throws -> PrinterTarget {
            try PrinterTarget.open("ipp://localhost:\(relay.port)/ipp/print", trust: trust)
        }
        try await withTransport { transport in
            let refused = try await #require(throws: TransportError.self) { try await transport.contact(target(.ask)) }
            #expect(refused.code == .certificateNotAccepted)
            let shown = try #require(refused.identity?.certificate)
            #expect(try await transport.identity(of: target(.ask))?.identity == .certificate(shown))
            let pinned = try target(.pinned([shown.keyFingerprint]))
            #expect(try await transport.contact(pinned).availability.state == .ready)
            for job in ["k1", "k2"] {
                let taken = try await transport.deliver(
                    .receipt(job, Array("Coffee".utf8), format: try #require(format)), to: pinned
                ) { _ in }
                let report = try await transport.follow(try #require(taken.remoteJob), on: pinned) { _ in }
                #expect(report.state == .completed)
            }
        }
        let clear = relay.connections.map { String(decoding: $0.toServer, as: UTF8.self) }
        #expect(clear.allSatisfy { $0.hasPrefix("OPTIONS * HTTP/1.1") && !$0.contains("Coffee") })
        let kept = try eve?.keptFiles().map { try readFile($0) }
        let printed = try pappl?.printed().compactMap { if case .raw(let bytes) = $0 { bytes } else { nil } }
        #expect(kept ?? printed == [Array("Coffee".utf8), Array("Coffee".utf8)])
        try await relay.stop()
    }

    @Test func `the trust rules are the same`() async throws {
        try await TLSPrinter.with(mode: .upgrade(isRefused: false)) { it in
            let target = try it.proxy.target("ipp", trust: .ask)
            let error = await it.contactError(target)
            #expect(error?.code == .certificateNotAccepted)
            #expect(it.printer.connectionCount == 0)
            let shown = try await TLSFixtures.get().identity.certificate
            let judged = try await it.transport.identity(of: target)
            #expect(judged?.identity == .certificate(shown))
            #expect(judged?.refusal?.code == .certificateNotAccepted)
        }
    }

    @Test func `a named trust demands it although the printer does not`() async throws {
        let fixtures = try await TLSFixtures.get()
        let key = try fixtures.identity.certificate.keyFingerprint
        for trust in [fixtures.trust, .pinned([key])] {
            try await TLSPrinter.with(mode: .upgrade(isRefused: false), script: { try $0.serve(closing: true) }) { it in
                _ = try await it.transport.deliver(
                    .receipt("k1", Array("Coffee".utf8)), to: it.proxy.target("ipp", trust: trust)
                ) { _ in }
                #expect(it.proxy.clear.all.allSatisfy { $0.hasPrefix("OPTIONS * HTTP/1.1") })
            }
        }
    }

    /// What printers without RFC 2817 send for the upgrade: an error, the response to OPTIONS itself, or nothing.
    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "",
    ])
    func `a printer that offers no TLS gets no IPP under a named trust`(response: String) async throws {
        let came = Recorder<String>()
        let printer = try ScriptedPrinter { connection in
            try came.add(connection.readHead())
            try connection.send(response)
            if !response.isEmpty { connection.waitForClose() }
        }
        defer { printer.stop() }
        let pin = try #require(Fingerprint(octets: [UInt8](repeating: 7, count: 32)))
        try await withTransport { transport in
            for trust in [Trust.ask, .pinned([pin]), .caFile(path: try await TLSFixtures.get().authority.root)] {
                let target = PrinterTarget(url: try printer.target.url, trust: trust)
                let contact = try await #require(throws: TransportError.self) { try await transport.contact(target) }
                let delivery = try await #require(throws: TransportError.self) {
                    try await transport.deliver(.receipt("k1", Array("Coffee".utf8)), to: target) { _ in }
                }
                for error in [contact, delivery] {
                    #expect(error.code == .tlsRequired)
                    #expect(error.bytesAccepted == 0)
                    for words in ["ipps://", "`trust"] { #expect(error.message.contains(words)) }
                }
                let shown = try await #require(throws: TransportError.self) { try await transport.identity(of: target) }
                #expect(shown.code == .tlsRequired)
            }
        }
        #expect(came.all.count == 9)
        #expect(came.all.allSatisfy { $0.hasPrefix("OPTIONS * HTTP/1.1\r\n") && !$0.contains("application/ipp") })
    }

    @Test func `a printer that demands TLS for documents alone gets none in clear, whatever else it serves`()
        async throws
    {
        let documents = Recorder<Int>()
        let printer = try ScriptedPrinter { connection in
            // The upgrade is not IPP, and ends the script.
            while true {
                let request = try connection.readRequest()
                guard request.message.operation == .printJob else {
                    try connection.respond(to: request)
                    continue
                }
                documents.add(request.document.count)
                try connection.send(
                    "HTTP/1.1 426 Upgrade Required\r\nUpgrade: TLS/1.2\r\nConnection: Upgrade\r\n"
                        + "Content-Length: 0\r\n\r\n"
                )
            }
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let target = try printer.target
            for _ in 1...3 {
                let error = try await #require(throws: TransportError.self) {
                    try await transport.deliver(.receipt("k1", Array("Coffee".utf8)), to: target) { _ in }
                }
                #expect(error.code == .tlsRequired)
                #expect(error.bytesAccepted == 0)
                _ = try await transport.contact(target)
            }
        }
        #expect(documents.all == [6])
    }

    @Test func `a printer that demands TLS and does not upgrade wants ipps`() async throws {
        try await TLSPrinter.with(mode: .upgrade(isRefused: true)) { it in
            let target = try it.proxy.target("ipp", trust: .none)
            for _ in 1...2 {
                let error = try #require(await it.contactError(target))
                #expect(error.code == .tlsRequired)
                #expect(error.message.contains("ipps://"))
            }
            let error = try await #require(throws: TransportError.self) {
                try await it.transport.deliver(.receipt("k1", Array("Coffee".utf8)), to: target) { _ in }
            }
            #expect(error.code == .tlsRequired)
            #expect(!it.proxy.clear.all.contains { $0.contains("Coffee") })
        }
    }
}

@Suite struct TLSUpgradeStateTests {
    private func feed(_ upgrade: inout TLSUpgrade, _ text: String) -> TLSUpgrade.Action {
        upgrade.received(Array(text.utf8))
    }

    @Test func `goes over, and takes the response to the request itself`() {
        var upgrade = TLSUpgrade()
        let first = feed(&upgrade, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: TLS/1.0\r\n\r\n")
        upgrade.handshakeDone()
        let steps = ["HTTP/1.1 200 OK\r\nContent-Len", "gth: 5\r\n\r\nhel", "lo"].map { feed(&upgrade, $0) }
        #expect(first == .startTLS)
        #expect(steps == [.none, .none, .done])
    }

    @Test func `what is sent behind the response to the request ends it`() {
        var upgrade = TLSUpgrade()
        _ = feed(&upgrade, "HTTP/1.1 101 x\r\n\r\n")
        upgrade.handshakeDone()
        guard case .malformed = feed(&upgrade, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxyz") else {
            Issue.record("taken")
            return
        }
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
        "SSH-2.0\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 9999999999999999999999 x\r\n\r\n", "HTTP/1.1 -1 x\r\n\r\n",
        "\r\n\r\n",
        String(repeating: "x", count: 20_000),
    ])
    func `what is not HTTP ends it`(text: String) {
        var upgrade = TLSUpgrade()
        guard case .malformed = feed(&upgrade, text) else {
            Issue.record("taken")
            return
        }
    }

    /// A state that has got the head of libcups's response.
    private func promised() -> TLSUpgrade {
        var upgrade = TLSUpgrade()
        _ = feed(&upgrade, "HTTP/1.1 101 x\r\n\r\n")
        upgrade.handshakeDone()
        let action = feed(&upgrade, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(action == .done)
        #expect(upgrade.mayGetBody)
        return upgrade
    }

    @Test func `a head that promises chunks completes it, and no chunk has to come`() {
        var upgrade = promised()
        let remainder = upgrade.remainder(in: Array("HTTP/1.1 200 OK\r\n".utf8))
        #expect(remainder == .over(bodyLength: 0))
        #expect(!upgrade.mayGetBody)
    }

    @Test func `chunks that come after all are dropped, whole or drip-fed, and what follows is the next response`() {
        let body = "3;a=b\r\nabc\r\nB\r\nHTTP/1.1 20\r\n0\r\nDigest: x\r\n\r\n"
        var upgrade = promised()
        let whole = upgrade.remainder(in: Array("\(body)HTTP/1.1 200 OK".utf8))
        #expect(whole == .over(bodyLength: body.utf8.count))
        upgrade = promised()
        let steps = body.utf8.map { upgrade.remainder(in: [$0]) }
        #expect(steps.dropLast().allSatisfy { $0 == .body })
        #expect(steps.last == .over(bodyLength: 1))
        // In one piece with the head.
        upgrade = TLSUpgrade()
        _ = feed(&upgrade, "HTTP/1.1 101 x\r\n\r\n")
        upgrade.handshakeDone()
        let action = feed(&upgrade, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
        #expect(action == .done)
        #expect(!upgrade.mayGetBody)
    }

    @Test(arguments: ["1x\r\n", "fffffffffffffffffff\r\n", "10001\r\n", String(repeating: "0", count: 70_000)])
    func `chunks that are broken or endless end it`(body: String) {
        var upgrade = promised()
        let remainder = upgrade.remainder(in: Array(body.utf8))
        guard case .malformed = remainder else {
            Issue.record("\(remainder)")
            return
        }
    }

    @Test(arguments: [
        "Transfer-Encoding: gzip", "Content-Length: -1", "Content-Length: 99999999", "Content-Length: x",
    ])
    func `a response without a sane length ends it`(field: String) {
        var upgrade = TLSUpgrade()
        _ = feed(&upgrade, "HTTP/1.1 101 x\r\n\r\n")
        upgrade.handshakeDone()
        guard case .malformed = feed(&upgrade, "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n") else {
            Issue.record("taken")
            return
        }
    }
}
