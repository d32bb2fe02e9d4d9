import KioskPrintModel
import Testing

@Suite struct TextCleaningTests {
    @Test(arguments: [
        ("plain", "plain"), ("a\u{1B}[31mb", "a [31mb"), ("a\nb\tc\r\nd", "a b c  d"), ("\u{0}\u{7F}\u{9B}", "   "),
        ("a\u{2028}b\u{202E}c\u{2066}d", "a b c d"), ("Küche 🧾 日本", "Küche 🧾 日本"), ("", ""),
    ])
    func `puts a space in every control character's place`(text: String, clean: String) {
        #expect(text.withoutControlCharacters == clean)
        #expect(text.hasControlCharacters == (text != clean))
        #expect(!clean.hasControlCharacters)
    }

    @Test(arguments: [
        ("abc", 2, "ab"), ("abc", 3, "abc"), ("äb", 1, ""), ("äb", 2, "ä"), ("👨‍👩‍👧x", 17, ""), ("👨‍👩‍👧x", 18, "👨‍👩‍👧"),
        ("abc", 0, ""), ("abc", -1, ""),
    ])
    func `cuts at a character's boundary`(text: String, count: Int, prefix: String) {
        #expect(text.prefix(utf8Count: count) == prefix)
    }
}

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("a b", "a%20b"), ("ü/@:", "%C3%BC%2F%40%3A"), ("-._~aZ9", "-._~aZ9"), ("%", "%25"), ("\u{0}", "%00"), ("", ""),
    ])
    func `encodes, and decodes back`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text, keeping: PercentEncoding.isUnreserved) == encoded)
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test func `takes both letter cases, and leaves a plus alone`() {
        #expect(PercentEncoding.decode("%c3%BC+") == "ü+")
    }

    @Test(arguments: ["%", "%2", "%zz", "a%", "%C3", "%FF", "%C0%80", "%ED%A0%80", "%+1", "% 1"])
    func `refuses cut escapes and what is not UTF-8`(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }
}

@Suite struct SplittingTests {
    @Test func `splits once`() {
        #expect("a=b=c".splitOnce(at: "=") == ("a", "b=c"))
        #expect("a".splitOnce(at: "=") == ("a", nil))
        #expect("=".splitOnce(at: "=") == ("", ""))
    }

    @Test func `finds a text`() throws {
        let text = "ipp://h"
        let range = try #require(text.firstRange(ofText: "://"))
        #expect(text[range] == "://")
        #expect(text.firstRange(ofText: "x") == nil)
        #expect("".firstRange(ofText: "x") == nil)
    }

    @Test(arguments: [("", ""), (" \t ", ""), (" a b\t", "a b"), ("a", "a")])
    func `trims blanks at the ends`(text: String, trimmed: String) {
        #expect(text[...].trimmingBlanks() == trimmed[...])
    }
}
