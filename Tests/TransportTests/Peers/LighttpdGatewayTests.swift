import TestSupport
import Testing

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
        let served = try await CurlQuestion.ask(uri, trust + ["--digest", "-u", "till:swordfish"])
        #expect(served.isSuccessful, "\(served.said)\(gateway.log)")
        let used = algorithm == .both ? "SHA-256" : algorithm.rawValue
        #expect(served.authorization?.contains("algorithm=\(used)") == true, "\(served.said)")
        let refused = try await CurlQuestion.ask(uri, trust + ["--digest", "-u", "till:wrong"])
        #expect(refused.status == 401)
        let nobody = try await CurlQuestion.ask(uri, trust)
        #expect(nobody.status == 401)
        #expect(nobody.said.contains("qop=\"auth\""))
    }

    @Test func `it takes a nonce of ten minutes ago for stale`() async throws {
        let printer = try await EvePrinter()
        var options = LighttpdGateway.Options(.sha256, login: login)
        let gateway = try await LighttpdGateway(options, upstreamPort: printer.port)
        let served = try await CurlQuestion.ask(gateway.uri, ["--digest", "-u", "till:swordfish"])
        let again = ["-H", try #require(served.authorization)]
        let still = try await CurlQuestion.ask(gateway.uri, again)
        #expect(still.isSuccessful, "\(still.said)")
        try await gateway.stop()
        options.clockAhead = 660
        try await gateway.start(options)
        let stale = try await CurlQuestion.ask(gateway.uri, again)
        #expect(stale.status == 401)
        #expect(stale.said.contains("stale=true"), "\(stale.said)")
        let anew = try await CurlQuestion.ask(gateway.uri, ["--digest", "-u", "till:swordfish"])
        #expect(anew.isSuccessful, "\(anew.said)")
    }
}

extension CurlQuestion {
    /// The header line that curl logged in with.
    fileprivate var authorization: String? {
        said.split(whereSeparator: \.isNewline).first { $0.hasPrefix("> Authorization: Digest") }.map {
            String($0.dropFirst(2))
        }
    }
}
