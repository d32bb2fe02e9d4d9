import PrintModel
import Testing

@testable import IPP

@Suite struct LoginMemoryTests {
    private let md5 = #"Digest realm="r", nonce="n1", qop="auth", algorithm=MD5"#
    private let sha256 = #"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-256"#
    private let basic = #"Basic realm="r""#

    private func login(_ user: String = "till", _ password: String = "geheim") throws -> UserLogin {
        try UserLogin(Credentials(user: user, password: Secret(password)), name: "office")
    }

    private func memory(_ challenges: String..., login: UserLogin) throws -> LoginMemory {
        var memory = LoginMemory()
        try memory.adopt(AuthenticationChallenge.parse(challenges), login, isPrivate: true)
        return memory
    }

    private func next(_ memory: inout LoginMemory) -> (text: String, sent: LoginMemory.Sent)? {
        memory.next(method: "POST", uri: "/ipp/print").map { ($0.field.reveal(), $0) }
    }

    private func sent(_ memory: inout LoginMemory) throws -> (text: String, sent: LoginMemory.Sent) {
        let sent = next(&memory)
        return try #require(sent)
    }

    @Test func `chooses the strongest way, in whatever order they are offered`() throws {
        for (offer, isChosen) in [
            ([basic, md5, sha256], "SHA-256"), ([sha256, md5, basic], "SHA-256"), ([basic, md5], "algorithm=MD5"),
            (["Negotiate", basic], "Basic "),
            ([#"Digest realm="r", nonce="x", algorithm=SHA-512-256"#, basic], "Basic "),
        ] {
            var memory = LoginMemory()
            try memory.adopt(AuthenticationChallenge.parse(offer), login(), isPrivate: true)
            let sent = next(&memory)
            #expect(sent?.text.contains(isChosen) == true, "\(offer)")
        }
    }

    @Test func `the password itself follows Digest only where nobody can read it`() throws {
        let login = try login()
        var memory = try memory(md5, login: login)
        memory.accepted(try sent(&memory).sent, nextNonce: nil)
        let challenges = AuthenticationChallenge.parse([basic])
        #expect(throws: LoginFailure.Reason.weakened) { try memory.adopt(challenges, login, isPrivate: false) }
        try memory.adopt(challenges, login, isPrivate: true)
        let field = try sent(&memory).text
        #expect(field.hasPrefix("Basic "))
    }

    @Test func `sends nothing before anything was demanded`() {
        var memory = LoginMemory()
        #expect(next(&memory) == nil)
    }

    @Test func `spells Basic as RFC 7617 does`() throws {
        for (user, password, field) in [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
            ("a", "", "Basic YTo="), ("a", "b", "Basic YTpi"),
        ] {
            var memory = try memory(basic, login: login(user, password))
            let sent = next(&memory)
            #expect(sent?.text == field)
        }
    }

    @Test func `refuses what Basic cannot carry, and says so`() throws {
        #expect(throws: LoginFailure.Reason.colonInUser("office")) { _ = try memory(basic, login: login("a:b")) }
        #expect(throws: LoginFailure.Reason.controlCharacter("office")) { try login("a\nb") }
        #expect(throws: LoginFailure.Reason.controlCharacter("office")) { try login("a", "b\r\nX: y") }
        #expect(throws: LoginFailure.Reason.noUser("office")) { try UserLogin(Credentials(user: "a"), name: "office") }
        #expect(throws: LoginFailure.Reason.noKnownScheme) { _ = try memory("Negotiate", login: login()) }
        #expect(throws: LoginFailure.Reason.noKnownScheme) { _ = try memory(login: login()) }
    }

    @Test func `never counts a nonce's requests anew, even after a refusal`() throws {
        let login = try login()
        var memory = try memory(md5, login: login)
        let first = try sent(&memory)
        #expect(first.text.contains("nc=00000001"))
        memory.refused(first.sent)
        let refused = next(&memory)
        #expect(refused == nil)
        try memory.adopt(AuthenticationChallenge.parse([md5 + ", stale=true"]), login, isPrivate: true)
        let second = try sent(&memory)
        #expect(second.text.contains("nc=00000002"))
    }

    @Test func `a refusal of what was replaced meanwhile changes nothing`() throws {
        let login = try login()
        var memory = try memory(md5, login: login)
        let first = try sent(&memory)
        try memory.adopt(AuthenticationChallenge.parse([sha256]), login, isPrivate: true)
        memory.refused(first.sent)
        let second = next(&memory)
        #expect(second != nil)
    }

    @Test func `takes the next nonce that the printer names`() throws {
        var memory = try memory(md5, login: login())
        let first = try sent(&memory)
        memory.accepted(first.sent, nextNonce: "n9")
        let second = try sent(&memory)
        #expect(second.text.contains(#"nonce="n9""#) && second.text.contains("nc=00000001"))
        #expect(second.sent.wasProven && !first.sent.wasProven)
    }
}
