/// A one-time code: eight characters that a person can read out and type, `7KQ2-XW9M`.
///
/// The first two tell it from the other codes that are out; the other six are its secret (30 bits). A wrong guess then
/// counts against one code, and a stranger who guesses at random does not use up everybody's tries.
package struct LoginCode: Hashable, Sendable {
    /// The characters, without a hyphen.
    package let characters: String

    /// How many characters it has.
    package static let length = 8
    static let selectorLength = 2
    /// Crockford's Base32: no I, L, O and U, which are taken for others.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Reads what a person typed: small letters, spaces and hyphens are allowed, O is 0, I and L are 1. Nil for
    /// anything else.
    package init?(_ text: String) {
        guard text.utf8.count <= 4 * Self.length else { return nil }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"): continue
            case UInt8(ascii: "a")...UInt8(ascii: "z"): bytes.append(Self.standard(byte - 32))
            default: bytes.append(Self.standard(byte))
            }
        }
        guard bytes.count == Self.length, bytes.allSatisfy(Self.alphabet.contains) else { return nil }
        characters = String(decoding: bytes, as: UTF8.self)
    }

    private init(bytes: [UInt8]) { characters = String(decoding: bytes, as: UTF8.self) }

    /// A new code of a generator, which must be fit for secrets.
    static func random(using generator: inout some RandomNumberGenerator) -> LoginCode {
        LoginCode(
            bytes: (0..<length).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
    }

    /// The part that tells it from other codes.
    var selector: String { String(characters.prefix(Self.selectorLength)) }

    /// Compares in a time that does not depend on where they differ.
    func isSame(as other: LoginCode) -> Bool {
        zip(characters.utf8, other.characters.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func standard(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
        default: byte
        }
    }
}

extension LoginCode: CustomStringConvertible {
    /// In two halves, for people: `7KQ2-XW9M`.
    package var description: String { "\(characters.prefix(Self.length / 2))-\(characters.suffix(Self.length / 2))" }
}
