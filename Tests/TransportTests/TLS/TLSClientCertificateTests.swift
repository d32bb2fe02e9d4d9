import PrintModel
import TLS
import TestSupport
import Testing

@Suite struct TLSClientCertificateTests {
    private func pair(_ client: TestCertificate?, version: TLSVersion) async throws -> TLSPair {
        let fixtures = try await TLSFixtures.get()
        return try TLSPair(
            client: .client(fixtures.trust, identity: client?.identity, version: version),
            server: .server(
                fixtures.identity, clientCAs: fixtures.authority.root, requiresClient: true, version: version))
    }

    /// A TLS 1.3 client learns of a refusal with its first read only.
    private func clientError(_ pair: TLSPair) -> TLSError? {
        do {
            try pair.shakeHands()
        } catch {
            for _ in 0..<4 {
                pair.carry(pair.server, pair.client) {}
                if case .failed(let error) = pair.client.handshake() { return error }
            }
        }
        return pair.client.drain().1.error
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `shows a certificate to a server that demands one`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let (_, server) = try await pair(fixtures.client, version: version).shakeHands()
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
        let stranger = try await fixtures.otherAuthority.issue(.init("stranger", purpose: .client))
        let error = try await clientError(pair(stranger, version: version))
        #expect(error?.code == .clientRefused)
        #expect(error?.reason.hasPrefix("it refuses our client certificate (") == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a server tells which client it refuses`(version: TLSVersion) async throws {
        let fixtures = try await TLSFixtures.get()
        let stranger = try await fixtures.otherAuthority.issue(.init("stranger", purpose: .client))
        let pair = try await pair(stranger, version: version)
        #expect(throws: TLSError.self) { try pair.shakeHands() }
        guard case .failed(let error) = pair.server.handshake() else { throw TestSupportError("the server is content") }
        #expect(error.code == .untrusted)
        #expect(error.certificate?.subject.hasPrefix("CN=stranger") == true)
        let absent = try await self.pair(nil, version: version)
        #expect(throws: TLSError.self) { try absent.shakeHands() }
        guard case .failed(let error) = absent.server.handshake() else {
            throw TestSupportError("the server is content")
        }
        #expect(error.code == .untrusted)
    }

    @Test func `a server that does not insist serves clients without one`() async throws {
        let fixtures = try await TLSFixtures.get()
        let pair = try TLSPair(
            client: .client(fixtures.trust), server: .server(fixtures.identity, clientCAs: fixtures.authority.root))
        #expect(try pair.shakeHands().server.certificate == nil)
    }
}
