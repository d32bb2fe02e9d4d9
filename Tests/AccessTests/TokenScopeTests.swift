import Foundation
import KioskAccess
import KioskPrintModel
import Testing

@Suite struct TokenScopeTests {
    @Test(arguments: [
        "print", "read", "drawer", "raw", "standby", "admin", "print:receipt", "print:baggage-tag", "print:7",
    ])
    func `scopes are read and written as they are`(_ text: String) throws {
        let scope = try #require(TokenScope(rawValue: text))
        #expect(scope.rawValue == text)
        #expect(try JSONDecoder().decode([TokenScope].self, from: JSONEncoder().encode([scope])) == [scope])
    }

    @Test(arguments: [
        "", "Print", "print:", "print:Receipt", "print:receipt ", " print", "print:a:b", "print: receipt", "printer",
        "read:receipt", "admin:", "drawer\n", "*", "print:*", "print:-a", "print:ä",
        "print:" + String(repeating: "a", count: 64),
    ])
    func `anything else is none`(_ text: String) {
        #expect(TokenScope(rawValue: text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TokenScope].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test(
        arguments: [
            (["print:receipt"], "receipt", true), (["print:receipt"], "label", false), (["print:receipt"], nil, false),
            (["print"], "label", true), (["print"], nil, true), (["admin"], nil, true),
            (["read", "drawer", "raw"], "receipt", false), ([], "receipt", false),
        ] as [([String], String?, Bool)])
    func `who may print to a role, or to a printer that is named`(
        _ scopes: [String], _ role: String?, _ isAllowed: Bool
    ) {
        let scopes = Set(scopes.compactMap(TokenScope.init(rawValue:)))
        #expect(scopes.mayPrint(to: role.flatMap(RoleName.init(rawValue:))) == isAllowed)
    }
}

@Suite struct WebOriginTests {
    @Test(arguments: [
        ("https://till.example", "https://till.example"), ("HTTPS://Till.Example", "https://till.example"),
        ("https://till.example:443", "https://till.example"), ("http://till.example:80", "http://till.example"),
        ("http://localhost:3000", "http://localhost:3000"), ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"), ("http://till_1", "http://till_1"),
    ])
    func `origins have one form`(_ text: String, _ origin: String) {
        #expect(WebOrigin(rawValue: text)?.rawValue == origin)
    }

    @Test(arguments: [
        "", "null", "*", "https://", "https://*", "https://*.example", "till.example", "ftp://till.example",
        "https://till.example/", "https://till.example/a", "https://till.example?", "https://user@till.example",
        "https://till.example:0", "https://till.example:65536", "https://till.example:", "https://till.example:+1",
        "https://till.example:080", "https://[::1", "https://[]", "https://[::1]x", "https://[g::]",
        "https://a b", "https://tïll.example", "https://till.example\n", "file:///etc/passwd",
        "chrome-extension://abcdefgh", "https://" + String(repeating: "a", count: 300),
    ])
    func `anything else is none`(_ text: String) { #expect(WebOrigin(rawValue: text) == nil) }
}
