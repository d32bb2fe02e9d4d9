import Foundation
import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Testing

/// Each kind of trust against nginx: accepted, or refused before anything is sent.
@Suite struct TrustTests {
    /// The error of a delivery through nginx with this certificate, and the requests that nginx saw.
    private func ask(
        _ certificate: TestCertificate, trust: Trust, uri: (NginxGateway) -> String = \.secureURI
    ) async throws -> (TransportError, [GatewayRequest]) {
        // Nothing listens behind it: no request may get there.
        let gateway = try await NginxGateway(.init(certificate: certificate), upstreamPort: 9)
        var error: TransportError?
        try await withTransport { transport in
            error = try await transport.refusal(of: .open(uri(gateway), trust: trust))
        }
        let refused = try #require(error)
        #expect(refused.identity?.certificate?.fingerprint == Fingerprint(certificate.fingerprint))
        #expect(refused.identity?.certificate?.keyFingerprint == Fingerprint(certificate.keyFingerprint))
        return (refused, try gateway.requests())
    }

    /// Prints through nginx with a certificate.
    private func printing(
        _ certificate: TestCertificate, trust: Trust, uri: (NginxGateway) -> String = \.secureURI
    ) async throws {
        let printer = try await EvePrinter()
        let gateway = try await NginxGateway(.init(certificate: certificate), upstreamPort: printer.port)
        try await withTransport { transport in
            try await transport.print(GatewaySample.receipt, on: .open(uri(gateway), trust: trust))
        }
        #expect(try printer.kept() == [GatewaySample.receipt])
    }

    @Test(arguments: TestCertificate.Key.allCases)
    func `a CA file holds for what it issued`(key: TestCertificate.Key) async throws {
        let authority = try await TestAuthority()
        let certificate = try await authority.issue(.init("localhost", names: ["localhost", "127.0.0.1"], key: key))
        try await printing(certificate, trust: .caFile(path: authority.root))
    }

    @Test func `a CA file holds for an address, and through an authority in between`() async throws {
        let root = try await TestAuthority()
        let certificate = try await TestAuthority("Office", under: root).issue()
        try await printing(certificate, trust: .caFile(path: root.root)) { "ipps://127.0.0.1:\($0.port)/ipp/print" }
    }

    @Test(arguments: TestCertificate.Validity.allCases)
    func `a pinned key holds whatever names and dates stand beside it`(validity: TestCertificate.Validity) async throws
    {
        let own = try await TestAuthority.selfSigned(.init("BRN001122334455", validity: validity))
        let pin = try #require(Fingerprint(own.keyFingerprint))
        let other = try #require(Fingerprint(octets: Array(repeating: 7, count: 32)))
        try await printing(own, trust: .pinned([other, pin]))
    }

    @Test func `no trust takes any certificate`() async throws {
        try await printing(
            try await TestAuthority.selfSigned(.init("BRN001122334455", validity: .expired)), trust: .none)
    }

    /// Runs in a separate process, since the trusted CAs are set by an environment variable.
    @Test func `the system's store holds for what its authorities issued`() async throws {
        await #expect(processExitsWith: .success) {
            let authority = try await TestAuthority()
            setenv("SSL_CERT_FILE", authority.root, 1)
            let printer = try await EvePrinter()
            let gateway = try await NginxGateway(.init(certificate: authority.issue()), upstreamPort: printer.port)
            try await withTransport { transport in
                try await transport.print(GatewaySample.receipt, on: .open(gateway.secureURI))
            }
            guard try printer.kept() == [GatewaySample.receipt] else { throw TestSupportError("other bytes were kept") }
        }
    }

    @Test func `the system's store refuses an authority that it does not know`() async throws {
        let (error, requests) = try await ask(try await TestAuthority().issue(), trust: .system)
        #expect(error.code == .certificateUntrusted)
        #expect(error.message.contains("kioskctl printers trust"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `a CA file refuses what another authority issued`() async throws {
        let stranger = try await TestAuthority("Another Authority").issue()
        let (error, requests) = try await ask(stranger, trust: .caFile(path: try await TestAuthority().root))
        #expect(error.code == .certificateUntrusted)
        #expect(error.message.contains("issuer"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test(arguments: [(TestCertificate.Validity.expired, "expired"), (.notYet, "not yet valid")])
    func `a CA file refuses what is outside its dates`(validity: TestCertificate.Validity, words: String) async throws {
        let authority = try await TestAuthority()
        let certificate = try await authority.issue(.init("localhost", names: ["localhost"], validity: validity))
        let (error, requests) = try await ask(certificate, trust: .caFile(path: authority.root))
        #expect(error.code == .certificateUntrusted)
        #expect(error.message.contains(words), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a CA file refuses a certificate of another host`(host: String) async throws {
        let authority = try await TestAuthority()
        let names = ["localhost", "127.0.0.1"].filter { $0 != host } + ["printer.example"]
        let certificate = try await authority.issue(.init("printer", names: names))
        let (error, requests) = try await ask(certificate, trust: .caFile(path: authority.root)) {
            "ipps://\(host):\($0.port)/ipp/print"
        }
        #expect(error.code == .certificateUntrusted)
        #expect(error.message.contains("printer.example"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `a pin refuses another key, and says which it was and is`() async throws {
        let authority = try await TestAuthority()
        let certificate = try await authority.issue()
        let other = try await authority.issue()
        let pin = try #require(Fingerprint(other.keyFingerprint))
        let (error, requests) = try await ask(certificate, trust: .pinned([pin]))
        #expect(error.code == .certificateChanged)
        #expect(error.message.contains(other.keyFingerprint), "\(error.message)")
        #expect(error.message.contains(certificate.keyFingerprint), "\(error.message)")
        #expect(error.message.contains("kioskctl printers trust"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `whoever asks first gets the certificate to look at, and sends nothing`() async throws {
        let (error, requests) = try await ask(try await TestAuthority().issue(), trust: .ask)
        #expect(error.code == .certificateNotAccepted)
        #expect(error.message.contains("kioskctl printers trust"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `a CA file that is not there is named`() async throws {
        let gateway = try await NginxGateway(.init(certificate: TestAuthority().issue()), upstreamPort: 9)
        try await withTransport { transport in
            let error = try await transport.refusal(
                of: .open(gateway.secureURI, trust: .caFile(path: "/nowhere/ca.pem")))
            #expect(error.message.contains("/nowhere/ca.pem"), "\(error.message)")
        }
        #expect(try gateway.requests().isEmpty)
    }

    @Test func `a CA file that was edited counts for the next connection`() async throws {
        let (authority, stranger) = (try await TestAuthority(), try await TestAuthority("Stranger"))
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(certificate: try await authority.issue())
        options.requestsPerConnection = 1
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let folder = try TemporaryFolder("trust")
        let file = try folder.write(readFile(authority.root), to: "ca.pem")
        let target = try PrinterTarget.open(gateway.secureURI, trust: .caFile(path: file))
        try await withTransport { transport in
            _ = try await transport.contact(target)
            _ = try folder.write(readFile(stranger.root), to: "ca.pem")
            #expect(try await transport.refusal(of: target).code == .certificateUntrusted)
            #expect(try gateway.requests().count <= 1)
            _ = try folder.write(readFile(stranger.root) + readFile(authority.root), to: "ca.pem")
            _ = try await transport.contact(target)
            try FileManager.default.removeItem(atPath: file)
            #expect(try await transport.refusal(of: target).message.contains(file))
        }
        #expect(try await gateway.requests(atLeast: 2).count == 2)
    }

    @Test func `the certificate is shown without a request, trusted or not`() async throws {
        let certificate = try await TestAuthority().issue()
        let gateway = try await NginxGateway(.init(certificate: certificate), upstreamPort: 9)
        try await withTransport { transport in
            for trust in [Trust.system, .ask, .none, .pinned([try #require(Fingerprint(certificate.fingerprint))])] {
                let shown = try #require(
                    try await transport.identity(of: .open(gateway.secureURI, trust: trust))?.identity.certificate)
                #expect(shown.fingerprint == Fingerprint(certificate.fingerprint))
                #expect(shown.names == ["localhost", "127.0.0.1", "::1"])
                #expect(!shown.isSelfSigned && shown.key == "EC P-256")
            }
        }
        #expect(try gateway.requests().isEmpty)
    }

    @Test func `what speaks no TLS is told apart`() async throws {
        let gateway = try await NginxGateway(.init(), upstreamPort: 9)
        try await withTransport { transport in
            let error = try await transport.refusal(of: .open(gateway.secureURI))
            #expect(error.code == .tlsFailed)
        }
    }
}
