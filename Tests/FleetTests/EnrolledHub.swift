import Foundation
import KioskTestSupport
import Testing

@testable import KioskFleet

/// A hub in operator mode, and the authority whose tokens it believes.
struct EnrolledHub {
    let server: NATSServer
    let authority: FleetAuthority
    private let folder: TemporaryFolder

    static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    init(_ version: NATSServer.Version) async throws {
        folder = try TemporaryFolder("authority")
        authority = FleetAuthority(name: "fleet", keys: try FleetAuthority.Keys())
        let accounts = try authority.hubConfiguration(
            account: authority.account(at: Self.now, revocations: [:]), folder: folder.appending("accounts"),
            at: Self.now)
        server = try await NATSServer(version, more: accounts)
        var options = NATSLink.Options.test([server.url])
        options.authentication = .credentials(file: try credentials(of: .admin))
        try await server.waitUntilItLetsIn(options)
    }

    /// A file of credentials.
    func credentials(of office: FleetAuthority.Office) throws -> String {
        try folder.writePrivately(authority.credentials(of: office, at: Self.now).utf8, to: "\(office).creds")
    }

    /// The same of a new kiosk of the site.
    func credentials(ofKioskOf site: SiteName) throws -> String {
        let key = try NKeyPair(newOf: .user)
        let token = try authority.admit(key.publicKey, to: site, at: Self.now, until: Self.now + 86_400)
        return try folder.writePrivately(CredentialsFile.text(token, key).utf8, to: "\(key.publicKey).creds")
    }

    /// Begins to connect.
    func link(
        _ credentials: String, inboxPrefix: String = "_INBOX",
        onRefusal: @escaping @Sendable (HubRefusal) -> Void = { _ in }
    ) throws -> NATSLink {
        var options = NATSLink.Options.test([server.url])
        (options.authentication, options.inboxPrefix) = (.credentials(file: credentials), inboxPrefix)
        return try NATSLink(options, onRefusal: onRefusal)
    }
}
