import Foundation
import KioskTestSupport
import Testing

@testable import KioskAccess

@Suite struct TokenSecretTests {
    @Test func `the CRC is zip's`() {
        #expect(CRC32.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: []) == 0)
    }

    @Test(arguments: [(0 as UInt32, "000000"), (61, "00000z"), (62, "000010"), (.max, "4gfFC3")])
    func `the check digits are Base62`(_ number: UInt32, _ digits: String) {
        #expect(String(decoding: Base62.digits(of: number, count: 6), as: UTF8.self) == digits)
    }

    @Test func `a secret has a fixed form, and is read back`() throws {
        var generator = SeededRandom(7)
        for _ in 0..<200 {
            let secret = TokenSecret.random(using: &generator)
            #expect(secret.text.utf8.count == 55)
            #expect(secret.text.wholeMatch(of: /kiosk_[0-9A-Za-z]{49}/) != nil)
            #expect(TokenSecret(secret.text) == secret)
        }
    }

    /// Its check digits come from zlib.crc32 of Python.
    @Test func `the check digits are the CRC of all before them`() {
        #expect(TokenSecret("kiosk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg0dN9Kh") != nil)
        #expect(TokenSecret("kiosk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg0dN9Ki") == nil)
    }

    @Test func `secrets differ`() {
        #expect(Set((0..<100).map { _ in TokenSecret.random().text }).count == 100)
    }

    @Test func `every single wrong character and every swap of neighbours is noticed`() {
        var generator = SeededRandom(11)
        let bytes = Array(TokenSecret.random(using: &generator).text.utf8)
        for index in bytes.indices {
            for other in "0Aaz_ \u{7F}".utf8 where other != bytes[index] {
                var wrong = bytes
                wrong[index] = other
                #expect(TokenSecret(String(decoding: wrong, as: UTF8.self)) == nil)
            }
            guard index + 1 < bytes.count, bytes[index] != bytes[index + 1] else { continue }
            var swapped = bytes
            swapped.swapAt(index, index + 1)
            #expect(TokenSecret(String(decoding: swapped, as: UTF8.self)) == nil)
        }
    }

    @Test func `whatever is cut off or goes on is none`() {
        let text = TokenSecret.random().text
        for count in 0..<text.utf8.count { #expect(TokenSecret(text.prefix(count)) == nil) }
        #expect(TokenSecret(text + "0") == nil)
        #expect(TokenSecret(" " + text) == nil)
        #expect(TokenSecret(text + String(repeating: "0", count: 1_000_000)) == nil)
        #expect(TokenSecret("kiosk_" + String(repeating: "é", count: 24) + "0") == nil)
    }
}
