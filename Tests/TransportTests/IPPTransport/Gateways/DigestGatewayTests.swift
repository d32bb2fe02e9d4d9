import IPP
import PrintModel
import TestSupport
import Testing

/// Digest logins (RFC 7616) at lighttpd before ippeveprinter.
@Suite struct DigestGatewayTests {
    private let login = TestLogin("till", "swordfish")

    @Test(arguments: LighttpdGateway.Algorithm.allCases, [true, false])
    func `documents go through`(algorithm: LighttpdGateway.Algorithm, hasTLS: Bool) async throws {
        let authority = try await TestAuthority()
        let printer = try await EvePrinter()
        let certificate = hasTLS ? try await authority.issue() : nil
        let gateway = try await LighttpdGateway(
            .init(algorithm, login: login, certificate: certificate), upstreamPort: printer.port)
        let target = try PrinterTarget.gateway(
            hasTLS ? gateway.secureURI : gateway.uri, trust: hasTLS ? .caFile(path: authority.root) : .system)
        try await withTransport(SavedCredentials(login)) { transport in
            try await transport.print(GatewaySample.receipt, on: target, id: "k1")
            try await transport.print(GatewaySample.long, on: target, id: "k2")
        }
        #expect(try printer.kept() == [GatewaySample.receipt, GatewaySample.long])
        // lighttpd writes its log about once a second.
        try await eventually("the log") { try gateway.requests().contains { $0.hasSuffix(" till") } }
        #expect(try gateway.requests().filter { $0.hasPrefix("401") }.count == 1)
    }

    @Test func `a stale nonce is renewed without a word`() async throws {
        let printer = try await EvePrinter()
        var options = LighttpdGateway.Options(.sha256, login: login)
        let gateway = try await LighttpdGateway(options, upstreamPort: printer.port)
        let target = try PrinterTarget.gateway(gateway.uri)
        try await withTransport(SavedCredentials(login)) { transport in
            try await transport.print(GatewaySample.receipt, on: target, id: "k1")
            try await gateway.stop()
            options.clockAhead = 660
            try await gateway.start(options)
            try await transport.print(GatewaySample.long, on: target, id: "k2")
        }
        #expect(try printer.kept() == [GatewaySample.receipt, GatewaySample.long])
    }

    @Test(arguments: LighttpdGateway.Algorithm.allCases)
    func `a wrong password is refused once, and told apart`(algorithm: LighttpdGateway.Algorithm) async throws {
        let gateway = try await LighttpdGateway(.init(algorithm, login: login), upstreamPort: 9)
        try await withTransport(SavedCredentials(TestLogin("till", "wrong"))) { transport in
            let error = try await transport.refusal(of: .gateway(gateway.uri))
            #expect(error.code == .loginRefused)
            #expect(error.message.contains("\"till\"") && !error.message.contains("wrong"), "\(error.message)")
        }
        try await eventually("the log") { try gateway.requests().count >= 2 }
        #expect(try gateway.requests().count == 2)
    }

    @Test func `a missing login is told apart`() async throws {
        let gateway = try await LighttpdGateway(.init(.sha256, login: login), upstreamPort: 9)
        try await withTransport { transport in
            let error = try await transport.refusal(of: .open(gateway.uri))
            #expect(error.code == .authenticationRequired)
            #expect(error.message.contains("Digest") && error.message.contains("Print release"), "\(error.message)")
        }
    }
}
