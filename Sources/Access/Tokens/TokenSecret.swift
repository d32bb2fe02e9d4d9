import KioskDigests

/// A token's secret: `kiosk_`, 43 random letters and digits (256 bits), and 6 more of a CRC-32 over all before them.
/// Secret scanners find it by its form, and a typing error shows before anything is looked up.
package struct TokenSecret: Hashable, Sendable {
    /// The secret as it is sent.
    package let text: String

    /// How every secret begins.
    package static let prefix = "kiosk_"
    /// 62^43 > 2^256.
    private static let randomLength = 43
    /// 62^6 > 2^32.
    private static let checkLength = 6
    /// The bytes of every secret.
    package static let length = prefix.utf8.count + randomLength + checkLength

    /// Reads a secret; nil where its form or its CRC is wrong.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(Self.length + 1))
        guard bytes.count == Self.length, bytes.starts(with: Self.prefix.utf8),
            bytes.dropFirst(Self.prefix.utf8.count).allSatisfy(Base62.contains)
        else { return nil }
        let end = bytes.count - Self.checkLength
        guard Array(bytes[end...]) == Self.check(of: bytes[..<end]) else { return nil }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    private init(bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    /// A new secret, of the system's random numbers.
    package static func random() -> TokenSecret {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A new secret of a generator, which must be fit for secrets.
    package static func random(using generator: inout some RandomNumberGenerator) -> TokenSecret {
        let payload = Array(prefix.utf8) + Base62.random(randomLength, using: &generator)
        return TokenSecret(bytes: payload + check(of: payload[...]))
    }

    /// The SHA-256 digest, which is what is stored and looked up. Throws where OpenSSL provides no SHA-256.
    func digest() throws(DigestError) -> String {
        try MessageDigest.hexadecimal(.sha256, of: Array(text.utf8))
    }

    private static func check(of payload: ArraySlice<UInt8>) -> [UInt8] {
        Base62.digits(of: CRC32.checksum(of: payload), count: checkLength)
    }
}

/// Digits, capital letters and small letters.
enum Base62 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    static func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Characters that are each drawn with the same probability.
    static func random(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] }
    }

    /// The last `count` digits of a number.
    static func digits(of number: UInt32, count: Int) -> [UInt8] {
        var rest = number
        var digits: [UInt8] = []
        for _ in 0..<count {
            digits.append(alphabet[Int(rest % 62)])
            rest /= 62
        }
        return digits.reversed()
    }
}

/// The CRC of ISO 3309, as in zip and PNG: polynomial 0xEDB88320, reflected.
enum CRC32 {
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~crc
    }
}
