import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Testing

/// `ipps://` to Debian's ippeveprinter, which speaks TLS through GnuTLS.
@Suite struct SecureRealPrinterTests {
    @Test(arguments: TestCertificate.Key.allCases)
    func `documents arrive byte for byte`(key: TestCertificate.Key) async throws {
        let authority = try await TestAuthority()
        var options = EvePrinter.Options()
        options.certificate = try await authority.issue(.init("localhost", names: ["localhost"], key: key))
        let printer = try await EvePrinter(options)
        let target = try PrinterTarget.open(printer.secureURI, trust: .caFile(path: authority.root))
        try await withTransport { transport in
            let report = try await transport.contact(target)
            #expect(report.description.name == "Test Printer")
            for (index, document) in [GatewaySample.receipt, GatewaySample.long].enumerated() {
                let printed = try await transport.print(document, on: target, id: "k\(index)")
                #expect(printed.state == .completed)
                #expect(printed.evidence == .printed)
            }
        }
        #expect(try printer.kept() == [GatewaySample.receipt, GatewaySample.long])
    }

    @Test func `a printer that was away prints when it is back`() async throws {
        let authority = try await TestAuthority()
        var options = EvePrinter.Options()
        options.certificate = try await authority.issue()
        let printer = try await EvePrinter(options)
        let target = try PrinterTarget.open(printer.secureURI, trust: .caFile(path: authority.root))
        try await withTransport { transport in
            try await transport.print(GatewaySample.receipt, on: target)
            try await printer.stop()
            let error = try await transport.refusal(of: target)
            #expect(error.code == .connectionRefused)
            try await printer.start()
            try await transport.print(GatewaySample.receipt, on: target, id: "k2")
        }
        #expect(try printer.kept().count == 2)
    }

    @Test func `the certificate that a printer signed itself is shown, and its key can be pinned`() async throws {
        let printer = try await EvePrinter()
        let target = try PrinterTarget.open(printer.secureURI, trust: .ask)
        try await withTransport { transport in
            let shown = try #require(try await transport.identity(of: target)?.identity.certificate)
            #expect(shown.isSelfSigned)
            let refused = try await transport.refusal(of: target)
            #expect(refused.code == .certificateNotAccepted)
            #expect(refused.identity == .certificate(shown))
            var pinned = target
            pinned.trust = .pinned([shown.keyFingerprint])
            try await transport.print(GatewaySample.receipt, on: pinned)
        }
        #expect(try printer.kept() == [GatewaySample.receipt])
    }
}

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
        let server = try await CupsServer.demandingTLS(at: address).server
        // With a named trust the client would upgrade first, and the server never demand it.
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
        let (server, certificate, _) = try await CupsServer.demandingTLS(at: address)
        let stranger = try await TestAuthority("Another Authority")
        let target = try PrinterTarget.open(server.uri(scheme: "ipp", at: address), trust: .caFile(path: stranger.root))
        try await withTransport { transport in
            let error = try await transport.refusal(of: target)
            #expect(error.code == .certificateUntrusted)
            #expect(error.identity?.certificate?.fingerprint == Fingerprint(certificate.fingerprint))
        }
        #expect(try server.keptFiles().isEmpty)
    }
}
