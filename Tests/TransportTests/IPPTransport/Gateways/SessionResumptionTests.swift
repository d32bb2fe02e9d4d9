import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Testing

/// New connections resume their TLS session: as nginx sees it.
@Suite struct SessionResumptionTests {
    enum Way: CaseIterable {
        case ticket
        case cache
    }

    @Test(arguments: Way.allCases, ["TLSv1.2", "TLSv1.3"])
    func `connections after the first resume its session`(way: Way, version: String) async throws {
        let authority = try await TestAuthority()
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(certificate: try await authority.issue())
        options.protocols = version
        options.hasSessionTickets = way == .ticket
        options.hasSessionCache = way == .cache
        // Each request is the last of its connection.
        options.requestsPerConnection = 1
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let target = try PrinterTarget.open(gateway.secureURI, trust: .caFile(path: authority.root))
        try await withTransport { transport in
            for _ in 0..<4 { _ = try await transport.contact(target) }
        }
        let requests = try await gateway.requests(atLeast: 4)
        #expect(Set(requests.map(\.connection)).count == 4)
        #expect(requests.map(\.isSessionReused) == [false, true, true, true])
    }

    @Test func `a server that forgot its sessions gets a full handshake, and no error`() async throws {
        let authority = try await TestAuthority()
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(certificate: try await authority.issue())
        options.requestsPerConnection = 1
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let target = try PrinterTarget.open(gateway.secureURI, trust: .caFile(path: authority.root))
        try await withTransport { transport in
            _ = try await transport.contact(target)
            // A killed nginx logs nothing any more.
            _ = try await gateway.requests(atLeast: 1)
            try await gateway.stop()
            // Its ticket keys are new, its cache is empty.
            try await gateway.start(options)
            _ = try await transport.contact(target)
            _ = try await transport.contact(target)
        }
        #expect(try await gateway.requests(atLeast: 3).map(\.isSessionReused) == [false, false, true])
    }

    @Test func `a session is resumed with the client certificate of its beginning`() async throws {
        let authority = try await TestAuthority()
        let client = try await authority.issue(.init("till 3", purpose: .client))
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(certificate: try await authority.issue(), clientAuthority: authority.root)
        options.requestsPerConnection = 1
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let target = try PrinterTarget.gateway(gateway.secureURI, trust: .caFile(path: authority.root))
        let certificate = Credentials.ClientCertificate(path: try await client.bundledPEM())
        try await withTransport(SavedCredentials(nil, certificate)) { transport in
            for _ in 0..<3 { _ = try await transport.contact(target) }
        }
        let requests = try await gateway.requests(atLeast: 3)
        #expect(requests.map(\.isSessionReused) == [false, true, true])
        #expect(requests.allSatisfy { $0.clientVerification == "SUCCESS" && $0.clientSubject.contains("CN=till 3") })
    }

    @Test(arguments: Way.allCases, ["TLSv1.2", "TLSv1.3"])
    func `a gateway that reloads with another certificate does not go on with a session`(
        way: Way, version: String
    ) async throws {
        let first = try await TestAuthority.selfSigned()
        let second = try await TestAuthority.selfSigned()
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(certificate: first)
        options.protocols = version
        options.hasSessionTickets = way == .ticket
        options.hasSessionCache = way == .cache
        options.hasMaster = true
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let target = try PrinterTarget.open(
            gateway.secureURI, trust: .pinned([try #require(Fingerprint(first.keyFingerprint))]))
        try await withTransport { transport in
            _ = try await transport.contact(target)
            try await gateway.reload(options)
            _ = try await transport.contact(target)
            let requests = try await gateway.requests(atLeast: 2)
            #expect(Set(requests.map(\.connection)).count == 2)
            // A session in nginx's cache outlives the reload; its tickets' keys do not.
            #expect(requests.last?.isSessionReused == (way == .cache))
            options.certificate = second
            try await gateway.reload(options)
            #expect(try await transport.refusal(of: target).code == .certificateChanged)
            #expect(try gateway.requests().count == requests.count)
        }
    }

    @Test func `a swapped certificate is seen in spite of the sessions that are kept`() async throws {
        let first = try await TestAuthority.selfSigned()
        let second = try await TestAuthority.selfSigned()
        let printer = try await EvePrinter()
        let gateway = try await NginxGateway(.init(certificate: first), upstreamPort: printer.port)
        let target = try PrinterTarget.open(
            gateway.secureURI, trust: .pinned([try #require(Fingerprint(first.keyFingerprint))]))
        try await withTransport { transport in
            try await transport.print(GatewaySample.receipt, on: target)
            try await gateway.stop()
            let before = try gateway.requests().count
            try await gateway.start(.init(certificate: second))
            let error = try await transport.refusal(of: target)
            #expect(error.code == .certificateChanged)
            #expect(error.identity?.certificate?.keyFingerprint == Fingerprint(second.keyFingerprint))
            #expect(try gateway.requests().count == before)
        }
        #expect(try printer.kept() == [GatewaySample.receipt])
    }
}
