import Testing

@testable import KioskIPP

@Suite struct AuthenticationChallengeTests {
    private func parse(_ fields: String...) -> [AuthenticationChallenge] { AuthenticationChallenge.parse(fields) }

    @Test func `reads RFC 9110's example of two challenges in one field`() {
        let challenges = parse(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
        #expect(
            challenges == [
                AuthenticationChallenge(scheme: "Basic", parameters: ["realm": "simple"]),
                AuthenticationChallenge(
                    scheme: "Newauth", parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
            ])
    }

    @Test func `reads several fields in order`() {
        let challenges = parse(#"Digest realm="a", nonce="b""#, "Negotiate", #"basic realm="c""#)
        #expect(challenges.map(\.scheme) == ["Digest", "Negotiate", "basic"])
        #expect(!challenges.contains { !$0.isWhole })
    }

    @Test(arguments: [
        ("NTLM TlRMTVNTUAAC=, Basic realm=x", "TlRMTVNTUAAC="), ("Negotiate YII==", "YII=="), ("Foo a", "a"),
        ("Bearer abc-._~+/, Basic", "abc-._~+/"),
    ])
    func `tells a token68 from parameters`(field: String, token: String) {
        let challenges = parse(field)
        #expect(challenges.first?.token68 == token)
        #expect(!challenges.contains { !$0.isWhole })
    }

    @Test(arguments: [
        #"Basic realm = "a b" , charset="UTF-8""#, #",, ,Basic   realm="a b",,charset=UTF-8,"#,
        "\tBasic\trealm=\"a b\"\t,\tcharset=\"UTF-8\"\t", #"BASIC REALM="a b", CHARSET="UTF-8""#,
    ])
    func `spaces, empty elements and letter case do not matter`(field: String) {
        let challenges = parse(field)
        #expect(challenges.count == 1)
        #expect(challenges.first?.isScheme("basic") == true)
        #expect(challenges.first?.parameters == ["realm": "a b", "charset": "UTF-8"])
        #expect(challenges.first?.isWhole == true)
    }

    @Test func `takes a nonce without its quotes`() {
        #expect(parse("Digest realm=x, nonce=ab/c==, qop=auth").first?.parameters["nonce"] == "ab/c==")
    }

    @Test(arguments: [
        #"Digest realm="open"#, #"Digest realm="a\"#, "Digest realm=\"a\u{7}b\"", "Digest realm=\"a\u{7F}b\"",
        "Digest a=b, realm=",
        #"Digest realm="a", realm="b""#, #"Digest realm="a" nonce="b""#, "Basic realm=My Printer", "Basic ;realm=x",
        "Digest =x", "Basic @", #"Digest realm="\#(String(repeating: "x", count: 5000))""#,
        "Digest " + (0..<40).map { "p\($0)=1" }.joined(separator: ", "), "Digest realm=\"a\"b, Basic realm=x",
    ])
    func `after a breach the challenge is not whole and nothing more is read`(field: String) {
        let challenges = parse(field)
        #expect(challenges.count == 1)
        #expect(challenges.first?.isWhole == false)
    }

    @Test(arguments: ["", " ", ",,,", "=", "\"", "\u{0}", "é", String(repeating: "B", count: 20_000)])
    func `what is not a challenge is none`(field: String) {
        #expect(parse(field).isEmpty)
    }

    @Test func `a flood of challenges is cut off`() {
        #expect(parse(String(repeating: "Basic, ", count: 1000)).count == 16)
        #expect(AuthenticationChallenge.parse(Array(repeating: "Basic", count: 1000)).count == 16)
    }

    @Test func `a broken field does not hide the next one`() {
        #expect(parse(#"Digest realm="open"#, #"Basic realm="x""#).map(\.isWhole) == [false, true])
    }

    @Test func `any prefix and any changed byte of a challenge is read without harm`() {
        let text = Array(#"Digest realm="a\"b", nonce=x, qop="auth,auth-int", Basic realm="c", NTLM abc=="#.utf8)
        for index in text.indices {
            _ = parse(String(decoding: text[..<index], as: UTF8.self))
            for byte in [0, 0x09, 0x20, 0x22, 0x2C, 0x3D, 0x5C, 0x7F, 0xFF] as [UInt8] {
                var changed = text
                changed[index] = byte
                #expect(parse(String(decoding: changed, as: UTF8.self)).count <= 16)
            }
        }
    }
}
