import IPP
import PrintModel
import TestSupport
import Testing

/// A CUPS queue as the printer: subscriptions, and TLS by upgrade.
@Suite struct CupsServerDeliveryTests {
    @Test func `documents arrive byte for byte, and the end of the job is learnt`() async throws {
        let server = try await CupsServer()
        try await withTransport { transport in
            let report = try await transport.print(GatewaySample.long, on: .open(server.uri))
            #expect(report.state == .completed)
        }
        #expect(try server.keptFiles().map { try readFile($0) } == [GatewaySample.long])
    }

    @Test(.enabled(if: CupsServer.outsideAddress != nil, "cupsd demands TLS from nobody on loopback"))
    func `a server that demands TLS gets it by upgrade, and nothing before`() async throws {
        let address = try #require(CupsServer.outsideAddress)
        let authority = try await TestAuthority()
        var options = CupsServer.Options()
        options.demandsTLS = true
        options.certificate = try await authority.issue(.init("localhost", names: ["localhost", address]))
        let server = try await CupsServer(options)
        // A trust that is named would begin with the upgrade, and never be told.
        let target = try PrinterTarget.open(server.uri(scheme: "ipp", at: address), trust: .none)
        try await withTransport { transport in
            let report = try await transport.print(GatewaySample.receipt, on: target)
            #expect(report.state == .completed)
        }
        #expect(try server.keptFiles().map { try readFile($0) } == [GatewaySample.receipt])
        #expect(server.accessLog.contains(" 426 "), "\(server.accessLog)")
    }

    @Test(.enabled(if: CupsServer.outsideAddress != nil, "cupsd demands TLS from nobody on loopback"))
    func `a certificate that is not trusted is refused after the upgrade too`() async throws {
        let address = try #require(CupsServer.outsideAddress)
        let authority = try await TestAuthority()
        var options = CupsServer.Options()
        options.demandsTLS = true
        options.certificate = try await authority.issue(.init("localhost", names: ["localhost", address]))
        let server = try await CupsServer(options)
        let stranger = try await TestAuthority("Another Authority")
        let target = try PrinterTarget.open(server.uri(scheme: "ipp", at: address), trust: .caFile(path: stranger.root))
        try await withTransport { transport in
            let error = try await transport.refusal(of: target)
            #expect(error.code == .certificateUntrusted)
            #expect(
                error.identity?.certificate?.fingerprint == Fingerprint(try #require(options.certificate).fingerprint))
        }
        #expect(try server.keptFiles().isEmpty)
    }
}
