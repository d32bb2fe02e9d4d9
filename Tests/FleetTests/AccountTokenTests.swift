import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskFleet

/// What is read of an account's token, as hubs have it.
@Suite struct AccountTokenTests {
    private let keys: FleetAuthority.Keys
    private let authority: FleetAuthority

    init() throws {
        keys = try FleetAuthority.Keys()
        authority = FleetAuthority(name: "fleet", keys: keys)
    }

    /// The account as the authority signs it, but for what `change` does.
    private func text(
        by signer: NKeyPair? = nil, _ change: (inout AccountClaims) -> Void = { _ in }
    ) throws -> String {
        var claims = try NATSToken.read(authority.account(at: 1000, revocations: [:]), as: AccountClaims.self)
        change(&claims)
        return try NATSToken.sign(claims, by: signer ?? keys.operator)
    }

    private func givesRights(_ text: String) throws -> Bool {
        authority.givesKiosksTheirRights(try AccountToken(text))
    }

    @Test func `an account of today gives kiosks their rights, and is this operator's`() throws {
        let account = try AccountToken(text())
        #expect(account.publicKey == authority.accountKey && account.issuedAt == 1000)
        #expect(authority.givesKiosksTheirRights(account) && authority.hasSigned(account))
    }

    @Test(arguments: KioskRights.template.publish + KioskRights.template.subscribe)
    func `an account without one of them does not`(right: String) throws {
        #expect(
            try !givesRights(
                text { claims in
                    claims.nats.signing_keys?[0].template.pub.allow?.removeAll { $0 == right }
                    claims.nats.signing_keys?[0].template.sub.allow?.removeAll { $0 == right }
                }))
    }

    @Test func `an account with more than is needed, or without a list, gives them`() throws {
        #expect(try givesRights(text { $0.nats.signing_keys?[0].template.pub.allow?.append("more") }))
        #expect(try givesRights(text { $0.nats.signing_keys?[0].template.pub.allow = nil }))
    }

    @Test func `an account that does not know who signs kiosks gives them nothing`() throws {
        let stranger = try NKeyPair(newOf: .account).publicKey.text
        #expect(try !givesRights(text { $0.nats.signing_keys?[0].key = stranger }))
        #expect(try !givesRights(text { $0.nats.signing_keys = nil }))
    }

    @Test func `an account that another operator has signed is told apart`() throws {
        #expect(try !authority.hasSigned(AccountToken(text(by: NKeyPair(newOf: .operator)))))
    }

    /// An account as nsc writes it: a key without a scope is its text alone, and what is nothing is left out.
    private struct ForeignClaims: TokenClaims {
        static let type = AccountClaims.type
        static let issuer = AccountClaims.issuer
        var jti = ""
        var iss = ""
        var sub: String
        var iat: Int64 = 1
        var nats: Content

        struct Content: TokenContent {
            var type = AccountClaims.type
            var version = AccountClaims.version
            var signing_keys: [String]
        }
    }

    @Test func `an account with keys that have no template is read, and gives no kiosk's rights`() throws {
        let claims = ForeignClaims(
            sub: keys.account.publicKey.text, nats: .init(signing_keys: [keys.kiosks.publicKey.text]))
        #expect(try !givesRights(NATSToken.sign(claims, by: keys.operator)))
    }

    @Test func `an account with thousands of revocations is read`() throws {
        var revoked: [String: Int64] = [:]
        for number in 0..<5000 { revoked["U" + String(repeating: "A", count: 50) + "\(10_000 + number)"] = 1 }
        let long = try text { $0.nats.revocations = revoked }
        #expect(long.utf8.count > 256 * 1024)
        #expect(try givesRights(long))
    }

    @Test func `what is none is refused`() throws {
        let whole = try text()
        let user = try authority.admit(
            NKeyPair(newOf: .user).publicKey, to: SiteName("0147"), at: 1000, until: 2000)
        for offer in [
            "", "a.b.c", String(whole.dropLast()), whole + "A", user.text, String(repeating: "a", count: 1 << 21),
        ] {
            let refusal = #expect(throws: FleetError.self) { try AccountToken(offer) }
            #expect(refusal?.code == .invalidKey)
        }
    }
}
