import PrintModel
import TLS
import TestSupport

/// The certificates that TLS tests share: making one takes a dozen runs of `openssl`.
struct TLSFixtures: Sendable {
    let authority: TestAuthority
    let otherAuthority: TestAuthority
    /// For localhost, 127.0.0.1 and ::1.
    let server: TestCertificate
    let client: TestCertificate

    static let shared = Task {
        async let authority = TestAuthority("Kiosk CA")
        async let other = TestAuthority("Another CA")
        let (one, two) = try await (authority, other)
        async let server = one.issue()
        async let client = one.issue(.init("till-7", purpose: .client))
        return try await TLSFixtures(authority: one, otherAuthority: two, server: server, client: client)
    }

    static func get() async throws -> TLSFixtures { try await shared.value }

    var identity: TLSIdentity { get throws { try server.identity } }
    var trust: Trust { .caFile(path: authority.root) }
}

extension TestCertificate {
    var identity: TLSIdentity {
        get throws(TLSError) { try TLSIdentity.load(.init(path: chain, keyPath: key)) }
    }
}

extension TLSContext {
    static func client(
        _ trust: Trust, identity: TLSIdentity? = nil, version: TLSVersion = .tls13, protocols: [String] = ["http/1.1"]
    ) throws(TLSError) -> TLSContext {
        var configuration = TLSClientConfiguration(trust: trust, identity: identity, applicationProtocols: protocols)
        configuration.highestVersion = version
        return try TLSContext(configuration)
    }

    static func server(
        _ identity: TLSIdentity, clientCAs: String? = nil, requiresClient: Bool = false, version: TLSVersion = .tls13,
        protocols: [String] = ["http/1.1"]
    ) throws(TLSError) -> TLSContext {
        var configuration = TLSServerConfiguration(
            identity: identity, clientCAFile: clientCAs, requiresClientCertificate: requiresClient,
            applicationProtocols: protocols)
        configuration.highestVersion = version
        return try TLSContext(configuration)
    }
}
