import CKioskOpenSSL

/// Who a key of NATS belongs to: the prefix of its text (nats-io/nkeys, `strkey.go`).
package enum NKeyRole: UInt8, Hashable, Sendable {
    case account = 0
    case `operator` = 112
    case user = 160

    /// What messages call it.
    package var name: String {
        switch self {
        case .account: "account"
        case .operator: "operator"
        case .user: "user"
        }
    }
}

/// A public key as NATS writes it: base32 of a prefix, 32 bytes of Ed25519 and a checksum, 56 characters. A user's
/// begins with U, an account's with A, an operator's with O.
package struct NKey: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    package let role: NKeyRole
    package var description: String { text }
    let bytes: [UInt8]

    /// In characters.
    private static let textLength = 56

    /// Throws `invalid-key` where the text is no key of this role.
    package init(_ text: some StringProtocol, of role: NKeyRole) throws(FleetError) {
        guard text.utf8.count == Self.textLength, let found = Base32.decode(text),
            let content = NKeyChecksum.check(found),
            content.count == 1 + Ed25519.publicKeyLength, content.first == role.rawValue
        else {
            throw FleetError(
                .invalidKey,
                "what was named as the public key of a NATS \(role.name) is none: it has \(Self.textLength) characters, the last of them a checksum; copy it whole"
            )
        }
        (self.text, self.role, bytes) = (String(text), role, Array(content.dropFirst()))
    }

    fileprivate init(_ bytes: [UInt8], of role: NKeyRole) {
        (self.bytes, self.role) = (bytes, role)
        text = Base32.encode(NKeyChecksum.add(to: [role.rawValue] + bytes))
    }

    /// Whether its owner has signed the message.
    package func hasSigned(_ message: [UInt8], _ signature: [UInt8]) throws(FleetError) -> Bool {
        try Ed25519.isValid(signature, of: message, by: bytes)
    }
}

/// A key with its private part. OpenSSL holds that, and overwrites it when it is released.
package final class NKeyPair: Sendable {
    package let publicKey: NKey
    private let key: Ed25519PrivateKey

    /// The first five bits of a seed's text, an S (nats-io/nkeys, `PrefixByteSeed`).
    private static let seedPrefix: UInt8 = 144
    /// In characters.
    private static let seedTextLength = 58

    /// Makes one from the kernel's random bytes.
    package convenience init(newOf role: NKeyRole) throws(FleetError) {
        var generator = SystemRandomNumberGenerator()
        var seed = (0..<Ed25519PrivateKey.seedLength).map { _ in generator.next() as UInt8 }
        defer { OPENSSL_cleanse(&seed, seed.count) }
        try self.init(Ed25519PrivateKey(seed: seed), of: role)
    }

    /// Reads a seed's text. Throws `invalid-key` where it is none of this role. No message shows any of it.
    package convenience init(seedText: some StringProtocol, of role: NKeyRole) throws(FleetError) {
        guard seedText.utf8.count == Self.seedTextLength, var found = Base32.decode(seedText) else {
            throw Self.noSeed(role)
        }
        defer { OPENSSL_cleanse(&found, found.count) }
        guard var content = NKeyChecksum.check(found), content.count == 2 + Ed25519PrivateKey.seedLength,
            content.prefix(2).elementsEqual(Self.prefix(of: role))
        else { throw Self.noSeed(role) }
        defer { OPENSSL_cleanse(&content, content.count) }
        var seed = Array(content.dropFirst(2))
        defer { OPENSSL_cleanse(&seed, seed.count) }
        try self.init(Ed25519PrivateKey(seed: seed), of: role)
    }

    private init(_ key: Ed25519PrivateKey, of role: NKeyRole) throws(FleetError) {
        self.key = key
        publicKey = NKey(try key.publicKey(), of: role)
    }

    /// The private key as NATS writes it, 58 characters: for a file that its owner alone may read, and nothing else.
    package func seedText() throws(FleetError) -> String {
        try key.withSeed { Base32.encode(NKeyChecksum.add(to: Self.prefix(of: publicKey.role) + $0)) }
    }

    package func signature(of message: [UInt8]) throws(FleetError) -> [UInt8] { try key.signature(of: message) }

    /// Two bytes that hold the S and then the role in five bits each.
    private static func prefix(of role: NKeyRole) -> [UInt8] {
        [seedPrefix | role.rawValue >> 5, (role.rawValue & 31) << 3]
    }

    private static func noSeed(_ role: NKeyRole) -> FleetError {
        FleetError(
            .invalidKey, "what should be the seed of a NATS \(role.name)'s key is none, or of another kind of key")
    }
}

/// The checksum behind keys: CRC-16/XMODEM (polynomial 0x1021, begins with 0), its low byte first.
private enum NKeyChecksum {
    static func add(to content: [UInt8]) -> [UInt8] {
        let checksum = value(of: content[...])
        return content + [UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)]
    }

    /// What stands before a right checksum; nil where there is none.
    static func check(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 2 else { return nil }
        let content = bytes.dropLast(2)
        let checksum = value(of: content)
        return bytes.suffix(2).elementsEqual([UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)])
            ? Array(content) : nil
    }

    private static func value(of bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
            }
        }
    }
}
