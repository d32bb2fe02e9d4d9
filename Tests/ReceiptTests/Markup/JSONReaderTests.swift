import KioskTestSupport
import Testing

@testable import KioskReceipts

/// Valid, broken and hostile JSON.
@Suite struct JSONReaderTests {
    private static func error(_ bytes: [UInt8]) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try JSONReader.read(bytes)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        ("\"a\\n\\t\\\\\\/\\\"\\u00e4\\ud83d\\ude00\\b\\f\\r\"", "a\n\t\\/\"ä😀\u{8}\u{C}\r"), ("\"€\"", "€"),
        ("\"\"", ""),
    ])
    func `texts`(_ json: String, _ expected: String) throws {
        guard case .string(let text) = try JSONReader.read(Array(json.utf8)).value else {
            throw ReceiptError(.value, "no text")
        }
        #expect(text == expected)
    }

    @Test(arguments: [("0", 0), ("-12", -12), (" 7 ", 7)]) func `whole numbers`(_ json: String, _ expected: Int) throws
    {
        guard case .integer(let number) = try JSONReader.read(Array(json.utf8)).value else {
            throw ReceiptError(.value, "no number")
        }
        #expect(number == expected)
    }

    @Test(arguments: ["1.5", "1e3", "1E-2", "99999999999999999999", "-0.0"]) func `other numbers are of no use`(
        _ json: String
    ) throws {
        guard case .number = try JSONReader.read(Array(json.utf8)).value else { throw ReceiptError(.value, "a number") }
    }

    @Test(arguments: [
        "", " ", "{", "[", "\"", "\"\\", "\"\\u12", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\x\"", "01",
        "-", "1.", "1e", "1e+", "tru", "nul", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}", "{\"a\":1 \"b\":2}", "[] []", "\"\u{1}\"", "\"\n\"", "'a'", "NaN",
    ])
    func `what is not JSON is an error with its place`(_ json: String) throws {
        let error = try #require(Self.error(Array(json.utf8)))
        #expect(error.place != nil)
    }

    @Test(arguments: [
        "[", "{\"a\":", "[[],", "{\"elements\":[", "[1,", "\"a", "[\"\",", "{\"a\":1,", "[{},", "\\", "\"\\u0041",
    ])
    func `hostile JSON ends in an error`(_ pattern: String) {
        var bytes = Array(pattern.utf8)
        while bytes.count < 10 << 20 { bytes += bytes }
        #expect(throws: ReceiptError.self) { try ReceiptJSON.read(bytes) }
        #expect(throws: ReceiptError.self) { try ReceiptJSON.read(Array(bytes.prefix(ReceiptLimits.documentLength))) }
    }

    @Test func `random pieces trap nothing`() {
        var random = SeededRandom(3)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d83d", "\"elements\"", "\"row\"", "\"text\"", "\"set\"",
            "\"widths\"", "1", "-", ".", "e", "true", "null", " ", "\n", "ä",
        ]
        for _ in 0..<rounds(3000, long: 300_000) {
            let bytes: [UInt8] = (0..<Int.random(in: 0...30, using: &random)).flatMap { _ in
                Array(pieces.randomElement(using: &random)!.utf8)
            }
            _ = try? ReceiptJSON.read(bytes)
        }
    }
}
