import KioskDigests
import KioskPrintModel
import Testing

@testable import KioskIPP

@Suite struct DigestLoginTests {
    private static let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    private func read(_ field: String) -> DigestChallenge? {
        AuthenticationChallenge.parse([field]).first.flatMap(DigestChallenge.init)
    }

    private func login(_ user: String = "Mufasa", _ password: String = "Circle of Life") throws -> UserLogin {
        try UserLogin(Credentials(user: user, password: Secret(password)), name: "lions")
    }

    private func answer(_ field: Secret) throws -> [String: String] {
        let parsed = try #require(AuthenticationChallenge.parse([field.reveal()]).first)
        #expect(parsed.scheme == "Digest" && parsed.isWhole)
        return parsed.parameters
    }

    private func rfc7616(_ algorithm: String, _ more: String = "") -> String {
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\#(algorithm), "#
            + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
            + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"\#(more)"#
    }

    // The MD5 and SHA-256 values are RFC 7616's (§3.9.1); the sessions' values come from Python's hashlib.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("sha-256-SESS", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ])
    func `answers as RFC 7616 does`(algorithm: String, response: String) throws {
        let challenge = try #require(read(rfc7616(algorithm)))
        var digest = try DigestLogin(challenge, login(), clientNonce: Self.cnonce)
        let answer = try answer(digest.field(method: "GET", uri: "/dir/index.html"))
        #expect(
            answer == [
                "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                "algorithm": algorithm,
                "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001", "cnonce": Self.cnonce,
                "qop": "auth",
                "response": response, "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            ])
    }

    @Test func `answers as RFC 2617 does`() throws {
        let challenge = try #require(
            read(
                #"Digest realm="testrealm@host.com", qop="auth,auth-int", "#
                    + #"nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#
            ))
        var digest = try DigestLogin(challenge, login("Mufasa", "Circle Of Life"), clientNonce: "0a4f113b")
        let answer = try answer(digest.field(method: "GET", uri: "/dir/index.html"))
        #expect(answer["response"] == "6629fae49393a05397450978507c4ef1")
        #expect(answer["algorithm"] == nil)
    }

    @Test func `answers as RFC 2069 does where no qop is offered`() throws {
        let challenge = try #require(
            read(
                #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", "#
                    + #"opaque="5ccc069c403ebaf9f0171e9517f40e41""#
            ))
        var digest = try DigestLogin(challenge, login("Mufasa", "CircleOfLife"))
        let answer = try answer(digest.field(method: "GET", uri: "/dir/index.html"))
        // As corrected by the erratum to RFC 2069.
        #expect(answer["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(answer["nc"] == nil && answer["cnonce"] == nil && answer["qop"] == nil)
    }

    @Test func `counts each request of a nonce`() throws {
        let challenge = try #require(read(rfc7616("SHA-256")))
        var digest = try DigestLogin(challenge, login(), clientNonce: Self.cnonce)
        let counts = try (0..<20).map { _ in try answer(digest.field(method: "POST", uri: "/"))["nc"] }
        #expect(counts.last == "00000014")
        #expect(Set(counts).count == 20)
        digest.renew(nonce: "next")
        let renewed = try answer(digest.field(method: "POST", uri: "/"))
        #expect(renewed["nc"] == "00000001" && renewed["nonce"] == "next")
    }

    @Test func `sends a user's name as a digest where that is wanted`() throws {
        let challenge = try #require(read(rfc7616("SHA-256", ", userhash=true")))
        var digest = try DigestLogin(challenge, login())
        let answer = try answer(digest.field(method: "GET", uri: "/"))
        #expect(answer["username"] == "a947aad205e80e429958a387394944c6b496301e79f89d35a4cc23b6ee12b5b6")
        #expect(answer["userhash"] == "true")
    }

    @Test func `spells names so that nothing can be slipped in`() throws {
        let challenge = try #require(read(#"Digest realm="a\"b\\c", nonce="n", qop=auth"#))
        var digest = try DigestLogin(challenge, login(#"me", realm="x"#))
        let plain = try answer(digest.field(method: "GET", uri: "/"))
        #expect(plain["username"] == #"me", realm="x"#)
        #expect(plain["realm"] == #"a"b\c"#)
        var unicode = try DigestLogin(challenge, login("Jäsøn Doe"))
        let field = try unicode.field(method: "GET", uri: "/").reveal()
        #expect(field.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, "))
    }

    @Test(arguments: [
        #"Basic realm="x""#, #"Digest realm="x""#, #"Digest nonce="x""#,
        #"Digest realm="x", nonce="y", algorithm=SHA-512-256"#,
        #"Digest realm="x", nonce="y", qop="auth-int""#, #"Digest realm="x", nonce="y", algorithm=MD5-sess"#,
        #"Digest realm="x", nonce="y", qop="""#, #"Digest realm="x", nonce="y", qop="auth"#,
    ])
    func `does not answer what it does not have`(field: String) {
        #expect(read(field) == nil)
    }

    @Test func `shows neither password nor key`() throws {
        let challenge = try #require(read(rfc7616("MD5")))
        var digest = try DigestLogin(challenge, login())
        let field = try digest.field(method: "GET", uri: "/")
        for text in ["\(digest)", "\(field)", String(reflecting: digest), String(reflecting: try login())] {
            #expect(!text.contains("Circle of Life"))
            #expect(!text.contains("3d78807defe7de2157e2b0b6573a855f"))
        }
    }
}
