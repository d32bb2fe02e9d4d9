import KioskPrintModel
import KioskTLS
import KioskTestSupport
import Testing

@Suite struct TLSTrustTests {
    /// The client's failure with a server. Expects that the client writes no data after a failure.
    private func failure(
        _ trust: Trust, _ certificate: TestCertificate, host: String = "localhost", version: TLSVersion = .tls13
    ) throws -> TLSError? {
        let identity = try TLSIdentity.load(
            .init(path: certificate.chain, keyPath: certificate.key), ignoringDates: true)
        let pair = try TLSPair(
            client: .client(trust, version: version), server: .server(identity, version: version), host: host)
        do throws(TLSError) {
            try pair.performHandshake()
            return nil
        } catch {
            guard case .failed = pair.client.put(Array("secret".utf8)) else {
                throw TestSupportError("the client writes after a failure")
            }
            return error
        }
    }

    @Test(
        arguments: ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "::1", "::1%lo"], [TLSVersion.tls12, .tls13])
    func `trusts a certificate of its CA that names the host`(host: String, version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        #expect(try failure(fixtures.trust, fixtures.server, host: host, version: version) == nil)
    }

    @Test(arguments: [
        ("printer.example", 62), ("127.0.0.2", 64), ("::2", 64), ("localhost.example", 62), ("local", 62),
    ])
    func `refuses a certificate that names another host`(host: String, code: Int) async throws {
        let fixtures = try await TLSFixtures.get()
        let error = try failure(fixtures.trust, fixtures.server, host: host)
        #expect(error?.code == .untrusted)
        #expect(error?.native == .certificateVerification(code))
        #expect(error?.reason == (code == 62 ? "hostname mismatch" : "IP address mismatch"))
        #expect(error?.certificate?.names == ["localhost", "127.0.0.1", "::1"])
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "x", count: 300)])
    func `takes no host that is none`(host: String) async throws {
        let context = try TLSContext.client(.system)
        #expect(throws: TLSError.self) { try TLSSession(client: context, host: host) }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `refuses what another CA issued`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        for trust in [Trust.caFile(path: fixtures.otherAuthority.root), .system] {
            let error = try failure(trust, fixtures.server, version: version)
            #expect(error?.code == .untrusted)
            #expect(error?.native == .certificateVerification(20))
            #expect(error?.reason == "unable to get local issuer certificate")
            #expect(error?.certificate?.issuer.contains("CN=Kiosk CA") == true)
        }
    }

    @Test func `trusts a chain, and a printer's own certificate in the file`() async throws {
        let fixtures = try await TLSFixtures.get()
        let intermediate = try await TestAuthority("Office CA", under: fixtures.authority)
        #expect(try await failure(fixtures.trust, intermediate.issue()) == nil)
        let own = try await TestAuthority.selfSigned()
        #expect(try failure(.caFile(path: own.certificate), own) == nil)
        // The file may also contain a leaf certificate that another CA issued.
        #expect(try failure(.caFile(path: fixtures.server.certificate), fixtures.server) == nil)
        #expect(try failure(.caFile(path: own.certificate), own, host: "elsewhere")?.reason == "hostname mismatch")
        let stranger = try failure(fixtures.trust, own)
        #expect(stranger?.native == .certificateVerification(18))
        #expect(stranger?.certificate?.isSelfSigned == true)
    }

    @Test func `refuses a certificate that is for clients only`() async throws {
        let fixtures = try await TLSFixtures.get()
        let certificate = try await fixtures.authority.issue(.init("localhost", names: ["localhost"], purpose: .client))
        #expect(try failure(fixtures.trust, certificate)?.native == .certificateVerification(26))
        #expect(try failure(certificate.pin, certificate) == nil)
    }

    @Test(arguments: [(TestCertificate.Validity.expired, 10), (.notYet, 9)])
    func `refuses certificates out of their time, except where their key is pinned`(
        validity: TestCertificate.Validity, code: Int
    ) async throws {
        let fixtures = try await TLSFixtures.get()
        var request = TestCertificate.Request.localhost
        request.validity = validity
        let certificate = try await fixtures.authority.issue(request)
        let error = try failure(fixtures.trust, certificate)
        #expect(error?.code == .untrusted)
        #expect(error?.native == .certificateVerification(code))
        #expect(try failure(certificate.pin, certificate, host: "any.example") == nil)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `names the old and the new key when a pinned one changed`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let old = try await TestAuthority.selfSigned()
        let new = try await TestAuthority.selfSigned()
        #expect(try failure(old.pin, old, host: "192.0.2.7", version: version) == nil)
        let error = try failure(old.pin, new, version: version)
        let pin = try #require(Fingerprint(old.keyFingerprint))
        #expect(error?.code == .changed(from: [pin]))
        #expect(error?.certificate?.keyFingerprint == Fingerprint(new.keyFingerprint))
        #expect(error?.reason.contains(old.keyFingerprint) == true)
        #expect(error?.reason.contains(new.keyFingerprint) == true)
        // One of several is enough.
        let both = Trust.pinned([pin, try #require(Fingerprint(fixtures.server.keyFingerprint))])
        #expect(try failure(both, fixtures.server, version: version) == nil)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `shows the certificate that nobody has accepted, and goes no further`(version: TLSVersion) async throws {
        let own = try await TestAuthority.selfSigned(.init("NPI4E0F1C", names: ["npi4e0f1c.local"], key: .rsa2048))
        let error = try failure(.ask, own, version: version)
        #expect(error?.code == .notAccepted)
        let shown = try #require(error?.certificate)
        #expect(shown.subject == "CN=NPI4E0F1C,O=Kiosk Print Tests")
        #expect(shown.names == ["npi4e0f1c.local"])
        #expect(shown.keyFingerprint == Fingerprint(own.keyFingerprint))
        #expect(shown.key == "RSA 2048")
        #expect(try failure(.none, own, host: "anywhere.example", version: version) == nil)
    }

    @Test func `asks for no name in the handshake when it connects to an address`() async throws {
        let context = try TLSContext.client(.ask)
        for (host, isNamed) in [("printer.example", true), ("192.0.2.7", false), ("2001:db8::7", false)] {
            let session = try TLSSession(client: context, host: host)
            _ = session.handshake()
            #expect((session.output().firstRange(of: Array(host.utf8)) != nil) == isNamed)
        }
    }

    @Test func `a CA file that is missing, empty or no PEM is our own fault and is named`() async throws {
        let folder = try TemporaryFolder("ca")
        for path in [
            folder.appending("none"), try folder.write("", to: "empty"), try folder.write("hello", to: "text"),
            "/dev/zero",
        ] {
            let error = #expect(throws: TLSError.self) { try TLSContext.client(.caFile(path: path)) }
            #expect(error?.code == .unusableTrust)
            #expect(error?.reason.contains(path) == true)
        }
    }
}

@Suite struct TLSClientCertificateTests {
    private func pair(_ client: TestCertificate?, version: TLSVersion) async throws -> TLSPair {
        let fixtures = try await TLSFixtures.get()
        return try TLSPair(
            client: .client(fixtures.trust, identity: client?.identity, version: version),
            server: .server(
                fixtures.identity, clientCAs: fixtures.authority.root, requiresClient: true, version: version))
    }

    /// A TLS 1.3 client receives a refusal only with its first read.
    private func clientError(_ pair: TLSPair) -> TLSError? {
        do {
            try pair.performHandshake()
        } catch {
            for _ in 0..<4 {
                pair.transfer(pair.server, pair.client) {}
                if case .failed(let error) = pair.client.handshake() { return error }
            }
        }
        return pair.client.drain().1.error
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `shows a certificate to a server that demands one`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let (_, server) = try await pair(fixtures.client, version: version).performHandshake()
        #expect(server.certificate?.subject == "CN=till-7,O=Kiosk Print Tests")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `says that a client certificate is wanted`(version: TLSVersion) async throws {
        let error = try await clientError(pair(nil, version: version))
        #expect(error?.code == .clientRefused)
        #expect(error?.reason.hasPrefix("it wants a client certificate (") == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `says that its client certificate is refused`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let otherClient = try await fixtures.otherAuthority.issue(.init("stranger", purpose: .client))
        let error = try await clientError(pair(otherClient, version: version))
        #expect(error?.code == .clientRefused)
        #expect(error?.reason.hasPrefix("it refuses our client certificate (") == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a server tells which client it refuses`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let otherClient = try await fixtures.otherAuthority.issue(.init("stranger", purpose: .client))
        let pair = try await pair(otherClient, version: version)
        #expect(throws: TLSError.self) { try pair.performHandshake() }
        guard case .failed(let error) = pair.server.handshake() else {
            throw TestSupportError("the server accepted the client")
        }
        #expect(error.code == .untrusted)
        #expect(error.certificate?.subject.hasPrefix("CN=stranger") == true)
        let absent = try await self.pair(nil, version: version)
        #expect(throws: TLSError.self) { try absent.performHandshake() }
        guard case .failed(let error) = absent.server.handshake() else {
            throw TestSupportError("the server accepted the client")
        }
        #expect(error.code == .untrusted)
    }

    @Test func `a server that does not insist serves clients without one`() async throws {
        let fixtures = try await TLSFixtures.get()
        let pair = try TLSPair(
            client: .client(fixtures.trust), server: .server(fixtures.identity, clientCAs: fixtures.authority.root))
        #expect(try pair.performHandshake().server.certificate == nil)
    }
}

extension TestCertificate {
    var pin: Trust { .pinned([Fingerprint(keyFingerprint)].compactMap(\.self)) }
}
