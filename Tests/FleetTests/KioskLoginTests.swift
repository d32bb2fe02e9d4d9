import KioskTestSupport
import Testing

@testable import KioskFleet

/// Which tokens a kiosk takes that the hub has for it.
@Suite struct KioskLoginTests {
    private let authority: FleetAuthority
    private let site: SiteName
    private let key: NKeyPair
    private let login: KioskLogin

    init() throws {
        authority = FleetAuthority(name: "fleet", keys: try FleetAuthority.Keys())
        (site, key) = (try SiteName("0147"), try NKeyPair(newOf: .user))
        login = KioskLogin(try authority.admit(key.publicKey, to: site, at: 1000, until: 2000), key)
    }

    private func token(
        by authority: FleetAuthority? = nil, for other: NKey? = nil, _ site: SiteName? = nil, until end: Int64 = 3000
    ) throws -> [UInt8] {
        let token = try (authority ?? self.authority).admit(
            other ?? key.publicKey, to: site ?? self.site, at: 1500, until: end)
        return Array(token.text.utf8)
    }

    private func isRefused(_ offer: [UInt8], because reason: String) {
        let refusal = #expect(throws: FleetError.self) { try login.renewed(with: offer) }
        #expect(refusal?.code == .invalidKey && refusal?.description.contains(reason) == true, "\(reason)")
    }

    @Test func `a token of the same authority, key and site that ends later is taken`() throws {
        let renewed = try #require(try login.renewed(with: token()))
        #expect(renewed.token.expiresAt == 3000 && renewed.token.publicKey == key.publicKey)
        let file = try renewed.text()
        #expect(file.contains(try key.seedText()))
        #expect(try KioskLogin(Array(file.utf8)).token == renewed.token)
        #expect(try renewed.renewed(with: token()) == nil)
    }

    @Test func `the token that the kiosk has is no new one`() throws {
        #expect(try login.renewed(with: Array(login.token.text.utf8)) == nil)
    }

    @Test func `any other is refused, with the reason`() throws {
        let stranger = FleetAuthority(name: "fleet", keys: try FleetAuthority.Keys())
        isRefused(try token(by: stranger), because: "another authority")
        isRefused(try token(for: NKeyPair(newOf: .user).publicKey), because: "another key")
        isRefused(try token(SiteName("0148")), because: "another site")
        isRefused(try token(until: 2000), because: "no later")
        isRefused(try token(until: 1999), because: "no later")
        isRefused([], because: "is none")
        isRefused(Array("\(try login.text())".utf8), because: "is none")
        isRefused(try token() + Array("\n".utf8), because: "is none")
        isRefused(Array(repeating: UInt8(ascii: "a"), count: 4097), because: "4097 bytes")
        isRefused(Array(try authority.account(at: 1, revocations: [:]).utf8), because: "is none")
    }

    /// The signing key is one that the hub knows, and the account another: such as of a hub of several fleets.
    @Test func `a token of another account is refused, though the same key has signed it`() throws {
        let keys = try FleetAuthority.Keys()
        func authority(_ account: NKeyPair) -> FleetAuthority {
            FleetAuthority(
                name: "fleet",
                keys: .init(
                    operator: keys.operator, systemAccount: keys.systemAccount, account: account, kiosks: keys.kiosks))
        }
        let first = try authority(keys.account).admit(key.publicKey, to: site, at: 1000, until: 2000)
        let second = try authority(NKeyPair(newOf: .account)).admit(key.publicKey, to: site, at: 1500, until: 3000)
        #expect(first.issuer == second.issuer && first.account != second.account)
        #expect(throws: FleetError.self) { try KioskLogin(first, key).renewed(with: Array(second.text.utf8)) }
    }

    @Test func `a token with any one character changed is refused`() throws {
        let text = try token()
        for index in text.indices {
            var changed = text
            changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: FleetError.self, "\(index)") { try login.renewed(with: changed) }
        }
    }

    @Test func `a file without a seed is no login, and no message shows a seed`() throws {
        let seed = try key.seedText()
        let (text, other) = (try login.text(), try NKeyPair(newOf: .account).seedText())
        for file in [
            login.token.text, text.replacing(seed, with: ""), text.replacing(seed, with: String(seed.dropLast())),
            text.replacing(seed, with: other), text.replacing("NKEY SEED", with: "SEED"), "",
        ] {
            let refusal = #expect(throws: FleetError.self, "\(file)") { try KioskLogin(Array(file.utf8)) }
            #expect(refusal?.code == .invalidKey)
            for secret in [seed, other] { #expect(refusal?.description.contains(secret.dropLast()) == false) }
        }
    }

    /// As NATS's own `nsc` writes it.
    @Test func `a file with other text around is read`() throws {
        let file = """
            -----BEGIN NATS USER JWT-----
            \(login.token.text)
            ------END NATS USER JWT------

            ************************* IMPORTANT *************************
            NKEY Seed printed below can be used to sign and prove identity.
            NKEYs are sensitive and should be treated as secrets.

            -----BEGIN USER NKEY SEED-----
            \(try key.seedText())
            ------END USER NKEY SEED------

            *************************************************************

            """
        #expect(try KioskLogin(Array(file.utf8)).text() == login.text())
    }
}
