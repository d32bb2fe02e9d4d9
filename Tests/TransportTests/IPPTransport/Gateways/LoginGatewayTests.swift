import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Testing

/// A print-release gateway: nginx with `ssl_verify_client on` and Basic login in front of ippeveprinter, `POST
/// /ipp/print`.
@Suite struct PrintReleaseGatewayTests {
    private let login = TestLogin("till", "swordfish")

    /// The file format of a client certificate.
    enum Form: CaseIterable {
        case pem
        case pemWithKeyApart
        case pemWithPassphrase
        case pkcs12
        case pkcs12WithoutPassphrase
    }

    private func saved(_ certificate: TestCertificate, as form: Form) async throws -> Credentials.ClientCertificate {
        let passphrase = Secret("p12 secret")
        return switch form {
        case .pem: .init(path: try await certificate.bundledPEM())
        case .pemWithKeyApart: .init(path: certificate.chain, keyPath: certificate.key)
        case .pemWithPassphrase:
            .init(path: try await certificate.bundledPEM(passphrase: passphrase.reveal()), passphrase: passphrase)
        case .pkcs12:
            .init(path: try await certificate.pkcs12(.modern, passphrase: passphrase.reveal()), passphrase: passphrase)
        case .pkcs12WithoutPassphrase: .init(path: try await certificate.pkcs12(.modern))
        }
    }

    @Test(arguments: Form.allCases)
    func `a job goes through with certificate and login`(form: Form) async throws {
        let root = try await TestAuthority()
        let clients = try await TestAuthority("Tills", under: root)
        let client = try await clients.issue(.init("till 3", purpose: .client, key: .rsa2048))
        let printer = try await EvePrinter()
        let gateway = try await NginxGateway(
            .init(certificate: root.issue(), clientAuthority: root.root, login: login), upstreamPort: printer.port)
        let target = try PrinterTarget.gateway(gateway.secureURI, trust: .caFile(path: root.root))
        try await withTransport(SavedCredentials(login, saved(client, as: form))) { transport in
            let report = try await transport.print(GatewaySample.receipt, on: target)
            #expect(report.evidence == .printed)
        }
        #expect(try printer.kept() == [GatewaySample.receipt])
        try await eventually("a request in nginx's log") { try gateway.requests().contains { $0.status == 200 } }
        let served = try gateway.requests().filter { $0.status == 200 }
        for request in served {
            #expect(request.line == "POST /ipp/print HTTP/1.1")
            #expect(request.user == "till")
            #expect(request.clientVerification == "SUCCESS" && request.clientSubject.contains("CN=till 3"))
            #expect(request.tlsVersion == "TLSv1.3" && request.serverName == "localhost")
        }
        // At most one request goes without a login: its response says that one is wanted, and which.
        #expect(try gateway.requests().filter { $0.status != 200 }.map(\.status).count <= 1)
    }

    @Test(arguments: [true, false], ["TLSv1.2", "TLSv1.3"])
    func `a long document goes through`(buffersRequests: Bool, version: String) async throws {
        let authority = try await TestAuthority()
        let client = try await authority.issue(.init("till 3", purpose: .client))
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(
            certificate: try await authority.issue(), clientAuthority: authority.root, login: login)
        options.buffersRequests = buffersRequests
        options.protocols = version
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let target = try PrinterTarget.gateway(gateway.secureURI, trust: .caFile(path: authority.root))
        try await withTransport(SavedCredentials(login, saved(client, as: .pem))) { transport in
            try await transport.print(GatewaySample.long, on: target)
        }
        #expect(try printer.kept() == [GatewaySample.long])
        #expect(Set(try await gateway.requests(atLeast: 1).map(\.tlsVersion)) == [version])
    }

    private func refusal(
        _ credentials: (TestAuthority) async throws -> SavedCredentials, named name: String? = "gateway"
    ) async throws -> (TransportError, [GatewayRequest]) {
        let authority = try await TestAuthority()
        let gateway = try await NginxGateway(
            .init(certificate: authority.issue(), clientAuthority: authority.root, login: login), upstreamPort: 9)
        var target = try PrinterTarget.gateway(gateway.secureURI, trust: .caFile(path: authority.root))
        target.credentials = name
        var error: TransportError?
        try await withTransport(credentials(authority)) { error = try await $0.refusal(of: target) }
        let refused = try #require(error)
        for secret in ["swordfish", "wrong", "p12 secret"] where refused.message.contains(" \(secret)") {
            Issue.record("the message holds a secret: \(refused.message)")
        }
        return (refused, try gateway.requests())
    }

    private func client(_ authority: TestAuthority) async throws -> Credentials.ClientCertificate {
        try await saved(authority.issue(.init("till 3", purpose: .client)), as: .pem)
    }

    @Test func `a wrong password is told apart`() async throws {
        let (error, requests) = try await refusal { SavedCredentials(TestLogin("till", "wrong"), try await client($0)) }
        #expect(error.code == .loginRefused)
        #expect(error.underlying == .httpStatus(401))
        #expect(error.message.contains("\"till\"") && error.message.contains("secrets file"), "\(error.message)")
        #expect(requests.allSatisfy { $0.status == 401 } && requests.count <= 2)
    }

    @Test func `a missing login is told apart`() async throws {
        let (error, _) = try await refusal { SavedCredentials(nil, try await client($0)) }
        #expect(error.code == .credentialsUnusable)
        #expect(error.message.contains("Print release"), "names what it is for: \(error.message)")
    }

    @Test func `a missing client certificate is told apart`() async throws {
        let (error, requests) = try await refusal { _ in SavedCredentials(login) }
        #expect(error.code == .authenticationRequired)
        #expect(error.message.contains("client certificate"), "\(error.message)")
        #expect(requests.allSatisfy { $0.status == 400 && $0.clientVerification == "NONE" })
    }

    @Test func `a client certificate of another authority is told apart`() async throws {
        let (error, requests) = try await refusal { _ in
            SavedCredentials(login, try await client(TestAuthority("Another Authority")))
        }
        #expect(error.code == .loginRefused)
        #expect(error.message.contains("client certificate"), "\(error.message)")
        #expect(requests.allSatisfy { $0.status == 400 && $0.clientVerification.hasPrefix("FAILED") })
    }

    @Test func `an expired client certificate is told before it is sent`() async throws {
        let (error, requests) = try await refusal { authority in
            let old = try await authority.issue(.init("till 3", purpose: .client, validity: .expired))
            return SavedCredentials(login, .init(path: try await old.bundledPEM()))
        }
        #expect(error.code == .credentialsUnusable)
        #expect(error.message.contains("expired"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test(arguments: [nil, "wrong"])
    func `a missing or wrong passphrase of a PKCS#12 file is told apart`(passphrase: String?) async throws {
        let (error, requests) = try await refusal { authority in
            let client = try await authority.issue(.init("till 3", purpose: .client))
            let path = try await client.pkcs12(.modern, passphrase: "p12 secret")
            return SavedCredentials(login, .init(path: path, passphrase: passphrase.map { Secret($0) }))
        }
        #expect(error.code == .credentialsUnusable)
        #expect(error.message.contains("passphrase") && error.message.contains(".p12"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `a PKCS#12 file of the old kind says how to convert it`() async throws {
        let (error, requests) = try await refusal { authority in
            let client = try await authority.issue(.init("till 3", purpose: .client))
            let path = try await client.pkcs12(.legacy, passphrase: "p12 secret")
            return SavedCredentials(login, .init(path: path, passphrase: Secret("p12 secret")))
        }
        #expect(error.code == .credentialsUnusable)
        #expect(error.message.contains("openssl pkcs12"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `a PKCS#12 file that anybody could have changed is not taken`() async throws {
        let (error, requests) = try await refusal { authority in
            let client = try await authority.issue(.init("till 3", purpose: .client))
            return SavedCredentials(login, .init(path: try await client.pkcs12(.open)))
        }
        #expect(error.code == .credentialsUnusable)
        #expect(error.message.contains("no MAC") && error.message.contains("export it again"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `a name that has no credentials is told apart`() async throws {
        let (error, requests) = try await refusal({ _ in SavedCredentials(login) }, named: "nobody")
        #expect(error.code == .credentialsUnusable)
        #expect(error.message.contains("nobody"), "\(error.message)")
        #expect(requests.isEmpty)
    }

    @Test func `a path where no printer is, is told apart`() async throws {
        let authority = try await TestAuthority()
        let gateway = try await NginxGateway(.init(certificate: authority.issue()), upstreamPort: 9)
        let target = try PrinterTarget.open(
            "ipps://localhost:\(gateway.port)/printers/receipt", trust: .caFile(path: authority.root))
        try await withTransport { transport in
            let error = try await transport.refusal(of: target)
            #expect(error.code == .printerNotFound)
        }
    }
}

/// Digest logins (RFC 7616) at lighttpd in front of ippeveprinter.
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
