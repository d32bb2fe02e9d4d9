/// The SHA-256 fingerprint of a public key or certificate, as people compare it and the registry stores it.
public struct Fingerprint: Hashable, Sendable {
    /// Exactly 32 octets.
    public let octets: [UInt8]

    public static let length = 32

    /// Nil where there are not 32 octets.
    public init?(octets: [UInt8]) {
        guard octets.count == Self.length else { return nil }
        self.octets = octets
    }

    /// Reads 64 hexadecimal digits, with or without colons, or 43 or 44 characters of Base64 (as OpenSSH and curl
    /// write it), each with or without the prefix `sha256:` or `sha256//`, whose letter case does not matter.
    public init?(_ text: String) {
        var body = text[...]
        if body.lowercased().hasPrefix("sha256:") { body = body.dropFirst("sha256:".count) }
        if body.lowercased().hasPrefix("sha256//") { body = body.dropFirst("sha256//".count) }
        let bytes = Array(body.utf8)
        let digits = bytes.filter { $0 != UInt8(ascii: ":") }
        guard let octets = digits.count == 2 * Self.length ? Self.hexadecimal(digits) : Self.base64(bytes) else {
            return nil
        }
        self.init(octets: octets)
    }

    private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Character(UnicodeScalar(digits[index])).hexDigitValue,
                let low = Character(UnicodeScalar(digits[index + 1])).hexDigitValue
            else { return nil }
            octets.append(UInt8(high << 4 | low))
        }
        return octets
    }

    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        let body = text.last == UInt8(ascii: "=") ? text.dropLast() : text[...]
        guard body.count == 43 else { return nil }
        var (octets, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for character in body {
            guard let value = Base64.alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return octets
    }
}

extension Fingerprint: CustomStringConvertible {
    /// `sha256:` and 64 lower-case hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return "sha256:"
            + String(decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The form of `ssh-keygen -l`: `SHA256:` and 43 characters of Base64 without padding.
    public var openSSH: String { "SHA256:" + Base64.encode(octets).prefix { $0 != "=" } }
}

extension Fingerprint: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ Fingerprint($0) }, problem: { _ in "no SHA-256 fingerprint" })
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
