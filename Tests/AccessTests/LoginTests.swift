import KioskAccess
import KioskPrintModel
import KioskTestSupport
import Testing

private let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
private let anna = LocalAccount(uid: 1000, groups: [1000, 27], name: "anna")
private let ben = LocalAccount(uid: 1001, groups: [1001], name: "ben")

@Suite struct LoginCodeTests {
    @Test(arguments: [
        ("7KQ2XW9M", "7KQ2-XW9M"), ("7kq2-xw9m", "7KQ2-XW9M"), (" 7KQ2 XW9M ", "7KQ2-XW9M"), ("oOiIlL00", "0011-1100"),
    ])
    func `is read as people type it`(_ typed: String, _ code: String) {
        #expect(LoginCode(typed)?.description == code)
    }

    @Test(arguments: [
        "", "7KQ2XW9", "7KQ2XW9M1", "7KQ2XW9U", "7KQ2XW9!", "7KQ2XW9Ä", "7KQ2\u{200B}XW9M",
        String(repeating: "-", count: 100) + "7KQ2XW9M",
    ])
    func `anything else is none`(_ typed: String) { #expect(LoginCode(typed) == nil) }
}

@Suite struct LoginCodesTests {
    private let codes = LoginCodes()
    private func make(_ account: LocalAccount = anna, at time: Int = 0) throws -> String {
        try codes.make(for: account, at: start.advanced(bySeconds: time)).code.description
    }
    private func redeem(_ code: String, from address: String = "192.0.2.1", at time: Int = 0) -> LoginCodes.Attempt {
        codes.redeem(code, from: address, at: start.advanced(bySeconds: time))
    }
    /// The same code with another last character.
    private func wrong(_ code: String) -> String { code.dropLast() + (code.last == "7" ? "8" : "7") }

    @Test func `a code opens the door once, for whom it was made`() throws {
        let code = try make()
        #expect(redeem(code.lowercased()) == .redeemed(anna))
        #expect(redeem(code) == .wrong)
    }

    @Test(arguments: [(599, LoginCodes.Attempt.redeemed(anna)), (600, .wrong), (-60, .redeemed(anna)), (-61, .wrong)])
    func `a code lasts ten minutes`(_ time: Int, _ attempt: LoginCodes.Attempt) throws {
        #expect(redeem(try make(), at: time) == attempt)
    }

    @Test func `five wrong tries void a code`() throws {
        let code = try make()
        for _ in 0..<4 { #expect(redeem(wrong(code)) == .wrong) }
        #expect(redeem(code) == .redeemed(anna))
        let next = try make()
        // From five addresses: it is the code that is counted.
        for number in 0..<5 { #expect(redeem(wrong(next), from: "192.0.2.\(10 + number)") == .wrong) }
        #expect(redeem(next, from: "192.0.2.99") == .wrong)
        #expect(codes.count(at: start) == 0)
    }

    @Test func `wrong tries for one code do not void another`() throws {
        let (first, second) = (try make(), try make(ben))
        for number in 0..<5 { _ = redeem(wrong(first), from: "192.0.2.\(number)") }
        #expect(redeem(second, from: "192.0.2.99") == .redeemed(ben))
    }

    @Test func `an account's fifth code voids its first`() throws {
        let first = try make(at: 0)
        let others = try (1...4).map { try make(at: $0) }
        #expect(redeem(first, at: 5) == .wrong)
        for code in others { #expect(redeem(code, at: 5) == .redeemed(anna)) }
    }

    @Test func `there are never more than so many codes`() throws {
        for uid in 0..<8 as Range<UInt32> {
            for second in 0..<4 { _ = try make(LocalAccount(uid: uid, groups: [], name: "u"), at: second) }
        }
        #expect(codes.count(at: start.advanced(bySeconds: 4)) == LoginCodes.maximumCount)
        #expect { _ = try make(anna, at: 4) } throws: { ($0 as? AccessError)?.code == .tooMany }
        _ = try make(LocalAccount(uid: 3, groups: [], name: "u"), at: 4)
        _ = try make(anna, at: 600)
    }

    @Test func `a guesser is slowed down, whatever the code`() throws {
        let code = try make()
        for _ in 0..<5 { #expect(redeem("0000-0000") == .wrong) }
        #expect(redeem(code) == .throttled(seconds: 1))
        // From elsewhere it works still, and after a second also from there.
        #expect(redeem("ZZZZ-ZZZZ", from: "192.0.2.2") == .wrong)
        #expect(redeem(code, at: 1) == .redeemed(anna))
        // A login forgives.
        #expect(redeem("0000-0000", at: 1) == .wrong)
    }

    @Test func `codes are made of the generator, and no two have the same beginning`() throws {
        var generator = SeededRandom(1)
        var selectors: Set<Substring> = []
        for uid in 0..<32 as Range<UInt32> {
            let made = try codes.make(
                for: LocalAccount(uid: uid, groups: [], name: "u"), at: start, using: &generator)
            selectors.insert(made.code.characters.prefix(2))
            #expect(made.expiresAt == start.advanced(bySeconds: 600))
        }
        #expect(selectors.count == 32)
    }
}

@Suite struct LoginThrottleTests {
    private func throttle(failures: Int) -> LoginThrottle {
        var throttle = LoginThrottle()
        for _ in 0..<failures { throttle.noteFailure(from: "192.0.2.1", at: start) }
        return throttle
    }
    private func after(_ milliseconds: Int64) -> Timestamp {
        Timestamp(millisecondsSince1970: start.millisecondsSince1970 + milliseconds)
    }

    @Test(
        arguments: [
            (0, 0, nil), (4, 0, nil), (5, 0, 1), (5, 999, 1), (5, 1000, nil), (19, 0, 1), (20, 0, 300), (20, 1000, 299),
            (20, 299_999, 1), (20, 300_000, nil), (20, -1, nil), (1000, 0, 300),
        ] as [(Int, Int64, Int?)])
    func `waits grow with failures`(_ failures: Int, _ milliseconds: Int64, _ delay: Int?) {
        let throttle = throttle(failures: failures)
        #expect(throttle.delay(for: "192.0.2.1", at: after(milliseconds)) == delay)
        #expect(throttle.delay(for: "192.0.2.2", at: after(milliseconds)) == nil)
    }

    @Test func `failures are forgotten after a quarter of an hour and after a login`() {
        var throttle = throttle(failures: 20)
        throttle.noteFailure(from: "192.0.2.1", at: after(900_000))
        #expect(throttle.delay(for: "192.0.2.1", at: after(900_000)) == nil)
        throttle = self.throttle(failures: 20)
        throttle.noteSuccess(from: "192.0.2.1")
        #expect(throttle.delay(for: "192.0.2.1", at: start) == nil)
    }

    @Test func `only so many addresses are remembered, the latest ones`() {
        var throttle = throttle(failures: 5)
        for number in 0..<LoginThrottle.maximumAddresses {
            throttle.noteFailure(from: "10.0.\(number / 256).\(number % 256)", at: after(1))
        }
        #expect(throttle.delay(for: "192.0.2.1", at: after(2)) == nil)
        for _ in 0..<4 { throttle.noteFailure(from: "10.0.3.255", at: after(1)) }
        #expect(throttle.delay(for: "10.0.3.255", at: after(2)) == 1)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2::1", "20010db800010002/64"),
        ("2001:DB8:1:2:ffff::", "20010db800010002/64"), ("fe80::1%eth0", "fe80000000000000/64"),
        ("uid:1000", "uid:1000"), ("local", "local"), ("", ""),
    ])
    func `an IPv6 host's addresses count as one`(_ address: String, _ key: String) {
        #expect(LoginThrottle.key(of: address) == key)
    }
}

@Suite struct SessionStoreTests {
    private let store = SessionStore()
    private func open(_ account: LocalAccount = anna, at time: Int = 0) throws -> (session: Session, cookie: String) {
        try store.open(for: account, from: "192.0.2.1", at: start.advanced(bySeconds: time))
    }

    @Test func `a session is found by its cookie, until it is closed`() throws {
        let (session, cookie) = try open()
        #expect(cookie.utf8.count == 43)
        #expect(store.session(for: cookie, at: start) == session)
        #expect(session.account == anna)
        #expect(store.isCurrent(session.id, at: start))
        #expect(store.close(cookie) == session)
        #expect(store.session(for: cookie, at: start) == nil)
        #expect(!store.isCurrent(session.id, at: start))
    }

    @Test(arguments: [(43_199, true), (43_200, false), (-60, true), (-61, false)])
    func `a session lasts twelve hours, used or not`(_ time: Int, _ isOpen: Bool) throws {
        let cookie = try open().cookie
        #expect((store.session(for: cookie, at: start.advanced(bySeconds: time)) != nil) == isOpen)
    }

    @Test func `other cookies open nothing`() throws {
        let cookie = try open().cookie
        #expect(try open().cookie != cookie)
        for text in ["", String(cookie.dropLast()), cookie + "0", cookie.dropLast() + "!", cookie.lowercased() + "é"] {
            #expect(store.session(for: text, at: start) == nil)
        }
        #expect(store.session(for: String(repeating: "0", count: 43), at: start) == nil)
    }

    @Test func `an account's further session ends its oldest, and nobody else's`() throws {
        let bens = try open(ben).cookie
        let cookies = try (0...SessionStore.maximumPerAccount).map { try open(at: $0).cookie }
        let now = start.advanced(bySeconds: 60)
        #expect(cookies.map { store.session(for: $0, at: now) != nil } == [false] + Array(repeating: true, count: 16))
        #expect(store.session(for: bens, at: now) != nil)
    }

    @Test func `there are never more than so many sessions`() throws {
        for uid in 0...UInt32(SessionStore.maximumCount) {
            _ = try open(LocalAccount(uid: uid, groups: [], name: "u"))
        }
        #expect(store.list(at: start).count == SessionStore.maximumCount)
    }

    @Test func `all sessions of a user can be closed`() throws {
        let cookies = try [open().cookie, open(ben).cookie]
        store.closeAll(of: anna.uid)
        #expect(cookies.map { store.session(for: $0, at: start) != nil } == [false, true])
    }
}
