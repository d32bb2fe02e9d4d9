import KioskPrintModel
import Testing

@testable import KioskSimulatedPrinter

/// The rules for logins, without a printer.
@Suite struct LoginVerifierTests {
    private static let uri = "/ipp/print"

    private func verifier(
        _ scheme: PrinterLogin.Scheme, user: String = "till", password: String = "se:cret"
    ) -> LoginVerifier {
        LoginVerifier(PrinterLogin(scheme, user: user, password: Secret(password)))
    }

    @Test func `Basic takes the right user and password`() throws {
        var verifier = verifier(.basic)
        let outcomes = try ["Basic dGlsbDpzZTpjcmV0", "basic  dGlsbDpzZTpjcmV0"].map {
            try verifier.verify([$0], method: "POST", uri: Self.uri, at: .zero)
        }
        #expect(outcomes == [.accepted(user: "till"), .accepted(user: "till")])
    }

    @Test(arguments: [
        [], ["Basic"], ["Basic "], ["Basic !!!"], ["Basic dGlsbDp3cm9uZw=="], ["Basic dGlsbA=="],
        ["Bearer dGlsbDpzZTpjcmV0"],
        ["Basic dGlsbDpzZTpjcmV0", "Basic dGlsbDpzZTpjcmV0"], ["Basic " + String(repeating: "A", count: 100_000)],
        ["Digest username=\"till\", response=\"\""], ["\u{0}"],
    ])
    func `Basic takes nothing else`(fields: [String]) throws {
        var verifier = verifier(.basic)
        let outcome = try verifier.verify(fields, method: "POST", uri: Self.uri, at: .zero)
        #expect(outcome == .refused(challenges: ["Basic realm=\"Simulated printer\", charset=\"UTF-8\""]))
    }

    /// RFC 7616 §3.9.1: an unknown nonce with a right response is stale, a wrong response is not.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `counts as RFC 7616's example does`(algorithm: String, response: String) throws {
        var login = PrinterLogin(.digest, user: "Mufasa", password: Secret("Circle of Life"))
        login.realm = "http-auth@example.org"
        var verifier = LoginVerifier(login)
        func isStale(_ response: String) throws -> Bool {
            let field = """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", \
                algorithm=\(algorithm), \
                nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)"
                """
            let outcome = try verifier.verify([field], method: "GET", uri: "/dir/index.html", at: .zero)
            guard case .refused(let challenges) = outcome else { return false }
            #expect(challenges.count == 2)
            return challenges.allSatisfy { $0.hasSuffix("stale=true") }
        }
        let areStale = (try isStale(response), try isStale(String(response.reversed())))
        #expect(areStale == (true, false))
    }

    @Test func `offers the stronger algorithm first, and MD5 alone where that is asked for`() throws {
        func algorithms(_ scheme: PrinterLogin.Scheme) throws -> [Bool] {
            var verifier = verifier(scheme)
            let outcome = try verifier.verify([], method: "POST", uri: Self.uri, at: .zero)
            guard case .refused(let challenges) = outcome else { return [] }
            return challenges.map { $0.contains("algorithm=SHA-256") }
        }
        #expect(try algorithms(.digest) == [true, false])
        #expect(try algorithms(.digestMD5) == [false])
    }

    @Test func `a nonce is good once for each count, in any order, until its time is over`() {
        var table = NonceTable(lifetime: .seconds(10))
        let nonce = table.issue(at: .zero)
        let counts: [(UInt32, isGood: Bool)] = [
            (1, true), (1, false), (4, true), (3, true), (3, false), (.max, true), (2, false), (0, false),
        ]
        for (count, isGood) in counts {
            let wasGood = table.use(nonce, count: count, at: .seconds(9))
            #expect(wasGood == isGood, "\(count)")
        }
        let unknown = table.use("another", count: 1, at: .seconds(9))
        let late = table.use(nonce, count: .max - 1, at: .seconds(10))
        #expect(!unknown && !late)
    }

    @Test func `remembers only so many nonces`() {
        var table = NonceTable(lifetime: .seconds(10))
        let first = table.issue(at: .zero)
        let nonces = (0..<1000).map { _ in table.issue(at: .zero) }
        let (oldest, next) = (table.use(first, count: 1, at: .zero), table.use(nonces[0], count: 1, at: .zero))
        #expect(!oldest && next)
        #expect(Set(nonces).count == 1000)
    }
}
