import Foundation
import Testing

@testable import KioskFleet

/// Keys and tokens by themselves. Servers have their say in `EnrolmentTests`.
@Suite struct NKeyTests {
    /// From the tests and the documentation of nats-io/nkeys.
    private static let vectors = [
        (
            "SUAMLK2ZNL35WSMW37E7UD4VZ7ELPKW7DHC3BWBSD2GCZ7IUQQXZIORRBU",
            "UCK5N7N66OBOINFXAYC2ACJQYFSOD4VYNU6APEJTAVFZB2SVHLKGEW7L"
        ),
        (
            "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
            "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
        ),
    ]

    @Test(arguments: vectors) func `a seed has the public key that others find`(seed: String, key: String) throws {
        let pair = try NKeyPair(seedText: seed, of: .user)
        #expect(pair.publicKey.text == key)
        #expect(try pair.seedText() == seed)
        #expect(try NKey(key, of: .user) == pair.publicKey)
    }

    @Test func `a signature is the one that others make`() throws {
        let pair = try NKeyPair(seedText: Self.vectors[0].0, of: .user)
        let nonce = Array("PXoWU7zWAMt75FY".utf8)
        let signature = try pair.signature(of: nonce)
        #expect(
            Data(signature).base64EncodedString()
                == "ZaAiVDgB5CeYoXoQ7cBCmq+ZllzUnGUoDVb8C7PilWvCs8XKfUchAUhz2P4BYAF++Dg3w05CqyQFRDiGL6LrDw==")
        #expect(try pair.publicKey.hasSigned(nonce, signature))
        #expect(try !pair.publicKey.hasSigned(nonce + [0], signature))
        #expect(try !pair.publicKey.hasSigned(nonce, Array(signature.dropLast())))
        #expect(try !NKey(Self.vectors[1].1, of: .user).hasSigned(nonce, signature))
    }

    @Test(arguments: [(NKeyRole.user, "U", "SU"), (.account, "A", "SA"), (.operator, "O", "SO")])
    func `new keys are written with their role, and read again`(role: NKeyRole, key: String, seed: String) throws {
        let pair = try NKeyPair(newOf: role)
        #expect(pair.publicKey.text.hasPrefix(key) && pair.publicKey.text.count == 56)
        #expect(try pair.seedText().hasPrefix(seed) && pair.seedText().count == 58)
        #expect(try NKeyPair(seedText: pair.seedText(), of: role).publicKey == pair.publicKey)
        #expect(try NKeyPair(newOf: role).publicKey != pair.publicKey)
        for other in [NKeyRole.user, .account, .operator] where other != role {
            #expect(throws: FleetError.self) { try NKey(pair.publicKey.text, of: other) }
            #expect(throws: FleetError.self) { try NKeyPair(seedText: pair.seedText(), of: other) }
        }
    }

    @Test func `a key with any one character changed is none`() throws {
        let (seed, key) = Self.vectors[0]
        for index in key.indices {
            var changed = key
            changed.replaceSubrange(index...index, with: key[index] == "A" ? "B" : "A")
            #expect(throws: FleetError.self, "\(changed)") { try NKey(changed, of: .user) }
        }
        for index in seed.indices {
            var changed = seed
            changed.replaceSubrange(index...index, with: seed[index] == "A" ? "B" : "A")
            let refusal = #expect(throws: FleetError.self) { try NKeyPair(seedText: changed, of: .user) }
            #expect(refusal?.code == .invalidKey && refusal?.description.contains(changed.suffix(20)) == false)
        }
        for text in ["", "U", key + "A", key.lowercased(), String(key.dropLast()), String(repeating: "U", count: 56)] {
            #expect(throws: FleetError.self) { try NKey(text, of: .user) }
        }
    }

    // MARK: Tokens

    private func token(until end: Int64 = 2000) throws -> (token: UserToken, key: NKeyPair) {
        let authority = FleetAuthority(name: "fleet", keys: try FleetAuthority.Keys())
        let key = try NKeyPair(newOf: .user)
        return (try authority.admit(key.publicKey, to: SiteName("0147"), at: 1000, until: end), key)
    }

    @Test func `a kiosk's token says whose it is, and until when`() throws {
        let (token, key) = try token()
        #expect(token.name == "0147" && token.publicKey == key.publicKey)
        #expect(token.issuedAt == 1000 && token.expiresAt == 2000)
        #expect(!token.isExpired(at: 1999) && token.isExpired(at: 2000))
        #expect(try UserToken(token.text) == token)
        let file = Array(try CredentialsFile.text(token, key).utf8)
        #expect(try CredentialsFile.token(in: file) == token)
        #expect(try CredentialsFile.token(in: Array("\(token.text)\n".utf8)) == token)
        #expect(String(decoding: file, as: UTF8.self).contains(try key.seedText()))
    }

    @Test func `a token that was changed anywhere is refused`() throws {
        let text = Array(try token().token.text.utf8)
        for index in text.indices {
            var changed = text
            changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: FleetError.self, "\(index)") { try UserToken(String(decoding: changed, as: UTF8.self)) }
        }
        for length in 0..<text.count {
            #expect(throws: FleetError.self) { try UserToken(String(decoding: text[..<length], as: UTF8.self)) }
        }
        #expect(throws: FleetError.self) { try UserToken(String(repeating: "a.", count: 20_000)) }
    }

    @Test func `a token of another kind is no user's`() throws {
        let authority = FleetAuthority(name: "fleet", keys: try FleetAuthority.Keys())
        let refusal = #expect(throws: FleetError.self) {
            try UserToken(try authority.account(at: 1, revocations: [:]))
        }
        #expect(refusal?.code == .invalidKey)
    }

    /// Random bytes, and tokens with random bytes in them: an error, and nothing else.
    @Test func `whatever is read ends with an error or a token`() throws {
        let (token, key) = try token()
        let file = Array(try CredentialsFile.text(token, key).utf8)
        for round in 0..<3000 {
            var bytes = round % 2 == 0 ? (0..<Int.random(in: 0...200)).map { _ in UInt8.random(in: 0...255) } : file
            for _ in 0..<Int.random(in: 1...4) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: 0...255)
            }
            if let read = try? CredentialsFile.token(in: bytes) { #expect(read == token) }
            let text = String(decoding: bytes.prefix(58), as: UTF8.self)
            if round % 2 == 0 {
                #expect(throws: FleetError.self) { try NKey(text, of: .user) }
                #expect(throws: FleetError.self) { try NKeyPair(seedText: text, of: .user) }
            }
            _ = HubRefusal(errorText: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The content of a token's JSON may be anything, since whoever has a key can sign it.
    @Test(arguments: [
        "{}", "[]", "null", "{\"nats\":{}}", "{\"iss\":1}", String(repeating: "[", count: 600),
        "{\"exp\":1e400}", "{\"exp\":99999999999999999999}",
    ])
    func `content that is no user's is refused`(content: String) {
        func encode(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
        let text = "\(encode("{\"alg\":\"ed25519-nkey\",\"typ\":\"JWT\"}")).\(encode(content)).\(encode("signature"))"
        #expect(throws: FleetError.self) { try UserToken(text) }
    }

    @Test func `the hub's refusals are read as both versions write them`() {
        let publish = HubRefusal(errorText: "Permissions Violation for Publish to \"reports.0148.x\"")
        #expect(publish?.action == .publish && publish?.subject == "reports.0148.x")
        let subscription = HubRefusal(
            errorText: "Permissions Violation for Subscription to \"jobs.>\" using queue \"q\"")
        #expect(subscription?.action == .subscribe && subscription?.subject == "jobs.>")
        #expect(HubRefusal(errorText: "User Authentication Expired") == nil)
        #expect(HubRefusal(errorText: "Permissions Violation for Publish to reports") == nil)
    }
}
