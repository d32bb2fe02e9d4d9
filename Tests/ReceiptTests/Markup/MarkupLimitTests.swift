import Receipts
import TestSupport
import Testing

/// Hostile documents end soon, in an error, and trap nothing.
@Suite struct MarkupLimitTests {
    private static func code(_ bytes: [UInt8]) -> ReceiptError.Code? {
        do throws(ReceiptError) {
            _ = try ReceiptMarkup.read(bytes)
            return nil
        } catch { return error.code }
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
        #expect(Self.code(Self.repeated(pattern, to: 10 << 20)) == .tooLarge)
    }

    @Test(arguments: ["|", "a|", "\n", "_a", "-\n", "_a_a\n", "a|b|c|d|e|f|g|h\n"])
    func `so is what passes the length, where its parts are too many`(_ pattern: String) {
        #expect(Self.code(Self.repeated(pattern, to: ReceiptLimits.documentLength)) == .tooLarge)
    }

    @Test func `a property may be long, for its picture, and a line of text may not`() {
        #expect(Self.code(Array("{_:".utf8) + [UInt8](repeating: 0x41, count: 1 << 20) + Array("}".utf8)) == nil)
        #expect(Self.code([UInt8](repeating: 0x41, count: ReceiptLimits.lineLength + 1)) == .tooLarge)
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
            _ = Self.code(bytes)
        }
    }
}
