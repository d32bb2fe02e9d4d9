import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Where and why a document is refused. A hostile one soon ends in an error and never traps.
@Suite struct ReceiptMarkupTests {
    private static func error(_ bytes: [UInt8], _ rules: ReceiptMarkup.Rules = ReceiptMarkup.Rules()) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try ReceiptMarkup.read(bytes, rules: rules)
            return nil
        } catch { return error }
    }

    @Test(
        arguments: [
            ("a\nb {c", ReceiptError.Code.syntax, 2, 3), ("ä{}", .syntax, 1, 2), ("{a:b", .syntax, 1, 1),
            ("a:b}", .syntax, 1, 4), ("}{", .syntax, 1, 1),
            ("{a:{b}}", .syntax, 1, 1), ("|a|{align:left}|", .syntax, 1, 4), ("{align}", .syntax, 1, 2),
            ("{align:}", .syntax, 1, 2), ("{:left}", .syntax, 1, 2),
            ("{a b:c}", .syntax, 1, 2), ("{border:line; 1x:2}", .syntax, 1, 15), ("{ä:b}", .syntax, 1, 2),
            ("{image:@@@@}", .image, 1, 8), ("{image:AAAA}", .image, 1, 8), ("{code:12ä}", .code, 1, 7),
            ("{code:123;option:itf}", .code, 1, 7),
            ("{option:ean}\n\n  {  code: 4006381333932}", .code, 3, 12),
            ("{command:\\x1b}", .forbidden, 1, 10), ("{drawer:1}", .forbidden, 1, 9), ("{font:c}", .value, 1, 7),
            ("{spacing:200}", .value, 1, 10),
            ("{feed:0}", .value, 1, 7), ("{feed:256}", .value, 1, 7), ("{cut:maybe}", .value, 1, 6),
        ] as [(String, ReceiptError.Code, Int, Int)])
    func `errors name line and column`(_ text: String, _ code: ReceiptError.Code, _ line: Int, _ column: Int) throws {
        let error = try #require(Self.error(Array(text.utf8)))
        #expect(error.code == code)
        #expect(error.place == ReceiptError.Place(line: line, column: column), "\(error)")
    }

    @Test func `they say what to write instead`() {
        #expect(
            Self.error(Array("{code:4006381333932;option:ean}".utf8))?.description
                == "1:7: the check digit of this EAN-13 is wrong; write 4006381333931, or correct the digits before it")
    }

    @Test func `the drawer has two connectors and a pulse`() {
        let rules = ReceiptMarkup.Rules(privileges: [.drawer])
        for value in ["0", "3", "1,1", "1,511", "1,2,3", "x", "1 x"] {
            #expect(Self.error(Array("{drawer:\(value)}".utf8), rules)?.code == .value, "\(value)")
        }
        #expect(Self.error(Array("{command:€}".utf8), ReceiptMarkup.Rules(privileges: [.rawCommands]))?.code == .value)
    }

    @Test(arguments: [[0xFF], [0x61, 0xC3], [0xC3, 0xA4, 0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func `text that is not UTF-8 is refused where it breaks`(_ bytes: [UInt8]) {
        let error = Self.error([0x61, 0x0A] + bytes)
        #expect(error?.code == .encoding)
        #expect(error?.place == ReceiptError.Place(line: 2, column: bytes[0] == 0xC3 || bytes[0] == 0x61 ? 2 : 1))
    }

    private static func repeated(_ text: String, to count: Int) -> [UInt8] {
        var bytes = Array(text.utf8)
        while bytes.count < count { bytes += bytes }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: [
        "|", "a|", "\n", "{", "{}", "\\", "\\|", "_a", "^", "{a:b}\n", "-\n", "\\x", "ä", "a\\n", "{c:1}\n", ";", " ",
        "{image:", "|{code:1}|\r\n", "\"a`b_c^d~",
    ])
    func `ten megabytes of anything are too much`(_ pattern: String) {
        #expect(Self.error(Self.repeated(pattern, to: 10 << 20))?.code == .tooLarge)
    }

    @Test(arguments: ["|", "a|", "\n", "_a", "-\n", "_a_a\n", "a|b|c|d|e|f|g|h\n"])
    func `so is what passes the length, where its parts are too many`(_ pattern: String) {
        #expect(Self.error(Self.repeated(pattern, to: ReceiptLimits.documentLength))?.code == .tooLarge)
    }

    @Test func `a property may be long, for its picture, and a line of text may not`() {
        #expect(Self.error(Array("{_:".utf8) + [UInt8](repeating: 0x41, count: 1 << 20) + Array("}".utf8)) == nil)
        #expect(Self.error([UInt8](repeating: 0x41, count: ReceiptLimits.lineLength + 1))?.code == .tooLarge)
    }

    @Test func `random octets and broken documents trap nothing`() {
        var random = SeededRandom(7)
        let pieces = [
            "{", "}", "|", "\\", "\\x", "^", "_", "-", "=", "\n", "\r", " ", "ä", "日", "{code:12}", "{option:ean}",
            "{width:* 3}", ";", ":", "a", "\u{0}",
        ]
        for _ in 0..<rounds(2000, long: 200_000) {
            let bytes: [UInt8] =
                Bool.random(using: &random)
                ? (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
                : (0..<Int.random(in: 0...40, using: &random)).flatMap { _ in
                    Array(pieces.randomElement(using: &random)!.utf8)
                }
            _ = Self.error(bytes)
        }
    }
}
