import PrintModel
import Testing

@testable import IPP

@Suite struct LoginAttemptTests {
    private let fresh = AuthenticationChallenge.parse([#"Digest realm="r", nonce="n2", qop="auth""#])
    private let stale = AuthenticationChallenge.parse([#"Digest realm="r", nonce="n2", qop="auth", stale=TRUE"#])
    private let basic = AuthenticationChallenge.parse([#"Basic realm="r""#])

    /// A login as it was sent, for which the memory stands as it does after `isProven`.
    private func sent(_ challenges: [AuthenticationChallenge], isProven: Bool) throws -> LoginMemory.Sent {
        var memory = LoginMemory()
        try memory.adopt(
            challenges, UserLogin(Credentials(user: "a", password: Secret("b")), name: "c"), isPrivate: true)
        if isProven { memory.accepted(memory.next(method: "POST", uri: "/"), nextNonce: nil) }
        let sent = memory.next(method: "POST", uri: "/")
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
