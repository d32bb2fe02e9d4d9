import KioskTestSupport
import Testing

/// A Get-Printer-Attributes request sent with `curl`, encoded by hand (RFC 8010): uses neither our client nor our
/// codec.
struct CurlRequest {
    /// The HTTP status; 0 where there is none.
    var status: Int
    var body: [UInt8]
    /// The output of `curl -v`.
    var log: String

    var isSuccessful: Bool { status == 200 && body.count > 8 && Array(body[2..<4]) == [0, 0] }

    static func send(_ uri: String, _ arguments: [String] = []) async throws -> CurlRequest {
        let folder = try TemporaryFolder("curl")
        let request = try folder.write(getPrinterAttributes(of: "ipp://localhost/ipp/print"), to: "request")
        let url = uri.replacing("ipps://", with: "https://").replacing("ipp://", with: "http://")
        let result = try await ChildProcess.run(
            try InstalledProgram.path("curl", package: "curl"),
            [
                "-sv", "--http1.1", "--max-time", "30", "-H", "Content-Type: application/ipp", "--data-binary",
                "@\(request)",
            ]
                + ["-o", folder.appending("answer"), "-w", "%{http_code}"] + arguments + [url])
        return CurlRequest(
            status: Int(result.standardOutput) ?? 0, body: (try? folder.read("answer")) ?? [],
            log: result.standardError)
    }

    private static func getPrinterAttributes(of uri: String) -> [UInt8] {
        func text(_ value: String) -> [UInt8] {
            [UInt8(value.utf8.count >> 8), UInt8(value.utf8.count & 0xFF)] + Array(value.utf8)
        }
        let head: [UInt8] = [1, 1, 0x00, 0x0B, 0, 0, 0, 1, 0x01]
        let charset = [0x47] + text("attributes-charset") + text("utf-8")
        let language = [0x48] + text("attributes-natural-language") + text("en")
        return head + charset + language + [0x45] + text("printer-uri") + text(uri) + [0x03]
    }
}

/// The print-release gateway as curl, ipptool and `openssl s_client` see it.
@Suite struct NginxGatewayTests {
    private let login = TestLogin("till", "swordfish")

    @Test func `it serves whoever has certificate and login, and nobody else`() async throws {
        let authority = try await TestAuthority()
        let printer = try await EvePrinter()
        let gateway = try await NginxGateway(
            .init(certificate: authority.issue(), clientAuthority: authority.root, login: login),
            upstreamPort: printer.port)
        let client = try await authority.issue(.init("till 3", purpose: .client))
        let stranger = try await TestAuthority("Another Authority").issue(.init("till 4", purpose: .client))
        let trust = ["--cacert", authority.root]
        let name = ["-u", "till:swordfish"]
        func certificate(_ of: TestCertificate) -> [String] { ["--cert", of.chain, "--key", of.key] }

        let served = try await CurlRequest.send(gateway.secureURI, trust + name + certificate(client))
        #expect(served.isSuccessful, "\(served.log)\(gateway.log)")
        let bundle = try await client.pkcs12(.modern, passphrase: "p12")
        let packed = try await CurlRequest.send(
            gateway.secureURI, trust + name + ["--cert-type", "P12", "--cert", "\(bundle):p12"])
        #expect(packed.isSuccessful, "\(packed.log)")

        let withoutLogin = try await CurlRequest.send(gateway.secureURI, trust + certificate(client))
        #expect(withoutLogin.status == 401)
        let wrongLogin = try await CurlRequest.send(
            gateway.secureURI, trust + ["-u", "till:wrong"] + certificate(client))
        #expect(wrongLogin.status == 401)
        // nginx ends the handshake well and refuses the request: 400, with the reason in words.
        let withoutCertificate = try await CurlRequest.send(gateway.secureURI, trust + name)
        #expect(withoutCertificate.status == 400)
        #expect(
            String(decoding: withoutCertificate.body, as: UTF8.self).contains("No required SSL certificate was sent"))
        let wrongCertificate = try await CurlRequest.send(gateway.secureURI, trust + name + certificate(stranger))
        #expect(wrongCertificate.status == 400)
        #expect(String(decoding: wrongCertificate.body, as: UTF8.self).contains("The SSL certificate error"))
        let untrusted = try await CurlRequest.send(gateway.secureURI, name + certificate(client))
        #expect(untrusted.status == 0)

        let requests = try await gateway.requests(atLeast: 6)
        #expect(requests.map(\.status) == [200, 200, 401, 401, 400, 400])
        let first = try #require(requests.first)
        #expect(
            first.user == "till" && first.clientSubject.contains("CN=till 3") && first.clientVerification == "SUCCESS")
        #expect(first.tlsVersion == "TLSv1.3" && first.serverName == "localhost")
        #expect(requests.map(\.clientVerification).last?.hasPrefix("FAILED") == true)
    }

    @Test(arguments: [true, false])
    func `it passes documents on, read whole before or on their way`(buffersRequests: Bool) async throws {
        let folder = try TemporaryFolder()
        let receipt = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = try folder.write(receipt, to: "receipt.txt")
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(certificate: try await TestAuthority().issue(), login: login)
        options.buffersRequests = buffersRequests
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let uri = gateway.secureURI.replacing("ipps://", with: "ipps://till:swordfish@")
        let printed = try await Ipptool.run("print-job.test", on: uri, file: path)
        #expect(printed.end.isSuccess, "\(printed.standardOutput)\(gateway.log)")
        try await eventually { try printer.keptFiles().count == 1 }
        #expect(try printer.keptFiles().map { try readFile($0) } == [receipt])
    }

    @Test func `it speaks TLS 1.2 alone where it is told to, and plain HTTP without a certificate`() async throws {
        let authority = try await TestAuthority()
        let printer = try await EvePrinter()
        var options = NginxGateway.Options(
            certificate: try await authority.issue(.init("localhost", names: ["localhost"], key: .rsa2048)))
        options.protocols = "TLSv1.2"
        let old = try await NginxGateway(options, upstreamPort: printer.port)
        let trust = ["--cacert", authority.root]
        let response = try await CurlRequest.send(old.secureURI, trust)
        #expect(response.isSuccessful, "\(response.log)")
        let refused = try await CurlRequest.send(old.secureURI, trust + ["--tlsv1.3"])
        #expect(refused.status == 0)
        #expect(try await old.requests(atLeast: 1).map(\.tlsVersion) == ["TLSv1.2"])
        let plain = try await NginxGateway(.init(), upstreamPort: printer.port)
        let open = try await CurlRequest.send(plain.uri)
        #expect(open.isSuccessful, "\(open.log)")
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"], [true, false])
    func `it resumes a session from a ticket or from its cache, and tells so`(
        version: String, hasTickets: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority()
        var options = NginxGateway.Options(certificate: try await authority.issue())
        options.hasSessionTickets = hasTickets
        options.hasSessionCache = !hasTickets
        let gateway = try await NginxGateway(options, upstreamPort: 9)
        let connect = ["s_client", "-connect", "127.0.0.1:\(gateway.port)", "-ign_eof", version]
        let ask = "GET / HTTP/1.0\r\n\r\n"
        try await OpenSSLTool.run(connect + ["-sess_out", folder.appending("session")], input: ask)
        try await OpenSSLTool.run(connect + ["-sess_in", folder.appending("session")], input: ask)
        #expect(try await gateway.requests(atLeast: 2).map(\.isSessionReused) == [false, true])
    }

    @Test func `it comes back on its port with another certificate`() async throws {
        let authority = try await TestAuthority()
        let printer = try await EvePrinter()
        let gateway = try await NginxGateway(.init(certificate: authority.issue()), upstreamPort: printer.port)
        let trust = ["--cacert", authority.root]
        let before = try await CurlRequest.send(gateway.secureURI, trust)
        #expect(before.isSuccessful)
        try await gateway.stop()
        let away = try await CurlRequest.send(gateway.secureURI, trust)
        #expect(away.status == 0)
        try await gateway.start(.init(certificate: TestAuthority.selfSigned()))
        let untrusted = try await CurlRequest.send(gateway.secureURI, trust)
        #expect(untrusted.status == 0)
        let unchecked = try await CurlRequest.send(gateway.secureURI, ["--insecure"])
        #expect(unchecked.isSuccessful)
    }
}

/// The Digest gateway as curl sees it.
@Suite struct LighttpdGatewayTests {
    private let login = TestLogin("till", "swordfish")

    @Test(arguments: LighttpdGateway.Algorithm.allCases, [true, false])
    func `it asks for a Digest login and knows a wrong one`(
        algorithm: LighttpdGateway.Algorithm, hasTLS: Bool
    ) async throws {
        let authority = try await TestAuthority()
        let printer = try await EvePrinter()
        let certificate = hasTLS ? try await authority.issue() : nil
        let gateway = try await LighttpdGateway(
            .init(algorithm, login: login, certificate: certificate), upstreamPort: printer.port)
        let uri = hasTLS ? gateway.secureURI : gateway.uri
        let trust = ["--cacert", authority.root]
        let served = try await CurlRequest.send(uri, trust + ["--digest", "-u", "till:swordfish"])
        #expect(served.isSuccessful, "\(served.log)\(gateway.log)")
        let used = algorithm == .both ? "SHA-256" : algorithm.rawValue
        #expect(served.authorization?.contains("algorithm=\(used)") == true, "\(served.log)")
        let refused = try await CurlRequest.send(uri, trust + ["--digest", "-u", "till:wrong"])
        #expect(refused.status == 401)
        let nobody = try await CurlRequest.send(uri, trust)
        #expect(nobody.status == 401)
        #expect(nobody.log.contains("qop=\"auth\""))
    }

    @Test func `it takes a nonce of ten minutes ago for stale`() async throws {
        let printer = try await EvePrinter()
        var options = LighttpdGateway.Options(.sha256, login: login)
        let gateway = try await LighttpdGateway(options, upstreamPort: printer.port)
        let served = try await CurlRequest.send(gateway.uri, ["--digest", "-u", "till:swordfish"])
        let again = ["-H", try #require(served.authorization)]
        let still = try await CurlRequest.send(gateway.uri, again)
        #expect(still.isSuccessful, "\(still.log)")
        try await gateway.stop()
        options.clockAhead = 660
        try await gateway.start(options)
        let stale = try await CurlRequest.send(gateway.uri, again)
        #expect(stale.status == 401)
        #expect(stale.log.contains("stale=true"), "\(stale.log)")
        let anew = try await CurlRequest.send(gateway.uri, ["--digest", "-u", "till:swordfish"])
        #expect(anew.isSuccessful, "\(anew.log)")
    }
}

extension CurlRequest {
    /// The header line that curl logged in with.
    fileprivate var authorization: String? {
        log.split(whereSeparator: \.isNewline).first { $0.hasPrefix("> Authorization: Digest") }.map {
            String($0.dropFirst(2))
        }
    }
}
