import KioskPrintModel
import Testing

@testable import KioskIPP

@Suite struct LoginStateTests {
    private let md5 = #"Digest realm="r", nonce="n1", qop="auth", algorithm=MD5"#
    private let sha256 = #"Digest realm="r", nonce="n2", qop="auth", algorithm=SHA-256"#
    private let basic = #"Basic realm="r""#

    private func login(_ user: String = "till", _ password: String = "geheim") throws -> UserLogin {
        try UserLogin(Credentials(user: user, password: Secret(password)), name: "office")
    }

    private func state(_ challenges: String..., login: UserLogin) throws -> LoginState {
        var state = LoginState()
        try state.adopt(AuthenticationChallenge.parse(challenges), login, isPrivate: true)
        return state
    }

    private func next(_ state: inout LoginState) -> (text: String, sent: LoginState.Sent)? {
        state.next(method: "POST", uri: "/ipp/print").map { ($0.field.reveal(), $0) }
    }

    private func sent(_ state: inout LoginState) throws -> (text: String, sent: LoginState.Sent) {
        let sent = next(&state)
        return try #require(sent)
    }

    @Test func `chooses the strongest way, in whatever order they are offered`() throws {
        for (offer, isChosen) in [
            ([basic, md5, sha256], "SHA-256"), ([sha256, md5, basic], "SHA-256"), ([basic, md5], "algorithm=MD5"),
            (["Negotiate", basic], "Basic "),
            ([#"Digest realm="r", nonce="x", algorithm=SHA-512-256"#, basic], "Basic "),
        ] {
            var state = LoginState()
            try state.adopt(AuthenticationChallenge.parse(offer), login(), isPrivate: true)
            let sent = next(&state)
            #expect(sent?.text.contains(isChosen) == true, "\(offer)")
        }
    }

    @Test func `the password itself follows Digest only where nobody can read it`() throws {
        let login = try login()
        var state = try state(md5, login: login)
        state.accepted(try sent(&state).sent, nextNonce: nil)
        let challenges = AuthenticationChallenge.parse([basic])
        #expect(throws: LoginFailure.Reason.weakened) { try state.adopt(challenges, login, isPrivate: false) }
        try state.adopt(challenges, login, isPrivate: true)
        let field = try sent(&state).text
        #expect(field.hasPrefix("Basic "))
    }

    @Test func `sends nothing before anything was demanded`() {
        var state = LoginState()
        #expect(next(&state) == nil)
    }

    @Test func `spells Basic as RFC 7617 does`() throws {
        for (user, password, field) in [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
            ("a", "", "Basic YTo="), ("a", "b", "Basic YTpi"),
        ] {
            var state = try state(basic, login: login(user, password))
            let sent = next(&state)
            #expect(sent?.text == field)
        }
    }

    @Test func `refuses what Basic cannot carry, and says so`() throws {
        #expect(throws: LoginFailure.Reason.colonInUser("office")) { _ = try state(basic, login: login("a:b")) }
        #expect(throws: LoginFailure.Reason.controlCharacter("office")) { try login("a\nb") }
        #expect(throws: LoginFailure.Reason.controlCharacter("office")) { try login("a", "b\r\nX: y") }
        #expect(throws: LoginFailure.Reason.noUser("office")) { try UserLogin(Credentials(user: "a"), name: "office") }
        #expect(throws: LoginFailure.Reason.noKnownScheme) { _ = try state("Negotiate", login: login()) }
        #expect(throws: LoginFailure.Reason.noKnownScheme) { _ = try state(login: login()) }
    }

    @Test func `never counts a nonce's requests anew, even after a refusal`() throws {
        let login = try login()
        var state = try state(md5, login: login)
        let first = try sent(&state)
        #expect(first.text.contains("nc=00000001"))
        state.refused(first.sent)
        let refused = next(&state)
        #expect(refused == nil)
        try state.adopt(AuthenticationChallenge.parse([md5 + ", stale=true"]), login, isPrivate: true)
        let second = try sent(&state)
        #expect(second.text.contains("nc=00000002"))
    }

    @Test func `a refusal of what was replaced meanwhile changes nothing`() throws {
        let login = try login()
        var state = try state(md5, login: login)
        let first = try sent(&state)
        try state.adopt(AuthenticationChallenge.parse([sha256]), login, isPrivate: true)
        state.refused(first.sent)
        let second = next(&state)
        #expect(second != nil)
    }

    @Test func `takes the next nonce that the printer names`() throws {
        var state = try state(md5, login: login())
        let first = try sent(&state)
        state.accepted(first.sent, nextNonce: "n9")
        let second = try sent(&state)
        #expect(second.text.contains(#"nonce="n9""#) && second.text.contains("nc=00000001"))
        #expect(second.sent.wasProven && !first.sent.wasProven)
    }
}

@Suite struct LoginAttemptTests {
    private let fresh = AuthenticationChallenge.parse([#"Digest realm="r", nonce="n2", qop="auth""#])
    private let stale = AuthenticationChallenge.parse([#"Digest realm="r", nonce="n2", qop="auth", stale=TRUE"#])
    private let basic = AuthenticationChallenge.parse([#"Basic realm="r""#])

    /// A sent login; `isProven`: whether the printer had accepted it before.
    private func sent(_ challenges: [AuthenticationChallenge], isProven: Bool) throws -> LoginState.Sent {
        var state = LoginState()
        try state.adopt(
            challenges, UserLogin(Credentials(user: "a", password: Secret("b")), name: "c"), isPrivate: true)
        if isProven { state.accepted(state.next(method: "POST", uri: "/"), nextNonce: nil) }
        let sent = state.next(method: "POST", uri: "/")
        return try #require(sent)
    }

    @Test func `logs in once where nothing was sent`() throws {
        var attempt = LoginAttempt()
        let steps = [attempt.refused(nil, challenges: fresh), attempt.refused(nil, challenges: fresh)]
        #expect(steps == [.logIn(unlessSame: false), .giveUp])
    }

    @Test func `gives up when the login just made is refused`() throws {
        var attempt = LoginAttempt()
        _ = attempt.refused(nil, challenges: fresh)
        let step = attempt.refused(try sent(fresh, isProven: false), challenges: fresh)
        #expect(step == .giveUp)
    }

    @Test func `a stale nonce is renewed once`() throws {
        var attempt = LoginAttempt()
        let old = try sent(fresh, isProven: true)
        let steps = [attempt.refused(old, challenges: stale), attempt.refused(old, challenges: stale)]
        #expect(steps == [.renew, .logIn(unlessSame: true)])
        let last = attempt.refused(try sent(fresh, isProven: false), challenges: stale)
        #expect(last == .giveUp)
    }

    @Test func `what worked before is read again before it is given up`() throws {
        var digest = LoginAttempt()
        let renewed = AuthenticationChallenge.parse([#"Digest realm="r", nonce="n3", qop="auth""#])
        let first = digest.refused(try sent(fresh, isProven: true), challenges: renewed)
        #expect(first == .logIn(unlessSame: false))
        var sameNonce = LoginAttempt()
        let again = sameNonce.refused(try sent(fresh, isProven: true), challenges: fresh)
        #expect(again == .logIn(unlessSame: true))
        var basicAttempt = LoginAttempt()
        let second = basicAttempt.refused(try sent(basic, isProven: true), challenges: basic)
        #expect(second == .logIn(unlessSame: true))
    }
}
