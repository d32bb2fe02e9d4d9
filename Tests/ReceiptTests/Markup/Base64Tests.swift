import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskReceipts

@Suite struct Base64Tests {
    private static func decoded(_ text: String) -> [UInt8]? { Base64.decode(Array(text.utf8)[...]) }

    @Test func `bytes of any number come back, wherever blanks and line breaks part their text`() {
        var random = SeededRandom(64)
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Self.decoded(text) == bytes)
            #expect(Self.decoded(text.replacingOccurrences(of: "=", with: "")) == bytes)
            let parted = text.reduce(into: "") {
                $0 += [" ", "\r\n", "\t", "", "", "", ""].randomElement(using: &random)! + String($1)
            }
            #expect(Self.decoded(parted) == bytes)
        }
    }

    @Test func `a file with a line break after each group takes no longer than the file is long`() {
        let bytes = [UInt8](repeating: 0x5A, count: 3_000_000)
        let text = String(repeating: "Wlpa\n", count: 1_000_000)
        #expect(Self.decoded(text) == bytes)
    }

    @Test(arguments: [
        "A", "AAAAA", "AA=A", "AAA=A", "A===", "AAAA====", "AA*A", "AAAA\u{0}", "ÄAAA", "AAAA-AAA", "AAAA_AAA",
    ])
    func `what is not Base64 is refused`(_ text: String) {
        #expect(Self.decoded(text) == nil)
        #expect(Base64.decode(Array(text.utf8)[...], strict: true) == nil)
    }

    private static let encoded: [(String, [UInt8])] = [
        ("", []), ("AA==", [0]), ("AAE=", [0, 1]), ("AAEC", [0, 1, 2]), ("AAECAw==", [0, 1, 2, 3]),
    ]

    @Test(arguments: encoded)
    func `strict Base64 has one spelling for each value`(_ text: String, _ bytes: [UInt8]) {
        func strict(_ text: String) -> [UInt8]? { Base64.decode(Array(text.utf8)[...], strict: true) }
        #expect(strict(text) == bytes)
        #expect(Base64.encode(bytes) == text)
        for other in ["\(text)\n\n\n\n", " \t \(text)\n", "\(text)====", "\(text)="] { #expect(strict(other) == nil) }
    }

    @Test(arguments: ["AB==", "A/==", "AAB=", "AAD=", "AA", "AAA", "AA=", "A A=", "=AAA", "===="])
    func `strict Base64 refuses other spellings`(_ text: String) {
        #expect(Base64.decode(Array(text.utf8)[...], strict: true) == nil)
    }
}

@Suite struct ByteSearchTests {
    @Test func `finds the first of its bytes at any place of any slice, and no other byte`() {
        let searches: [(ByteSearch, Set<UInt8>)] = [
            (ByteSearch(0x5C, or: 0x7B...0x7D), [0x5C, 0x7B, 0x7C, 0x7D]),
            (ByteSearch(0x0A, or: 0x0D...0x0D), [0x0A, 0x0D]),
            (ByteSearch(0x00, or: 0x7F...0x7F), [0x00, 0x7F]), (ByteSearch(0xFF, or: 0x00...0x00), [0xFF, 0x00]),
        ]
        var random = SeededRandom(7)
        for _ in 0..<3000 {
            let (search, values) = searches.randomElement(using: &random)!
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random)
                    : values.randomElement(using: &random)! ^ [0, 0x80, 1].randomElement(using: &random)!
            }
            let slice = bytes[Int.random(in: 0...bytes.count, using: &random)...]
            let start = Int.random(in: slice.startIndex...slice.endIndex, using: &random)
            #expect(search.first(in: slice, from: start) == slice[start...].firstIndex { values.contains($0) })
            #expect(WordwiseBytes.isASCII(slice) == slice.allSatisfy { $0 < 0x80 })
            #expect(WordwiseBytes.areEqual(Array(slice), bytes) == (Array(slice) == bytes))
        }
    }
}
