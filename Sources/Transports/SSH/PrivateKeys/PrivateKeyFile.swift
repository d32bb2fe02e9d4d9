/// What the file of a private key tells before it is opened with its passphrase.
package struct PrivateKeyFile: Hashable, Sendable {
    /// The SSH name of its type; nil where the file's form tells it inside only (PKCS#8).
    package let algorithm: String?
    package let isEncrypted: Bool

    /// Why a file is no private key that could log in: how the sentence about it goes on, and what to do. Holds nothing
    /// of the file.
    package struct Refusal: Error, Hashable, Sendable {
        package let words: String
    }

    package init(_ octets: [UInt8]) throws(Refusal) {
        let lines = octets.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let first = lines.firstIndex(where: { $0.starts(with: Self.begin) }) else {
            throw Self.refusal(of: octets)
        }
        let body = lines[(first + 1)...].prefix { !$0.starts(with: Array("-----END ".utf8)) }
        guard first + 1 + body.count < lines.count else { throw Refusal(words: "ends in the middle; copy it again") }
        switch lines[first].dropFirst(Self.begin.count) {
        case Self.label("OPENSSH PRIVATE KEY"):
            guard let key = Self.openSSH(body) else { throw Refusal(words: "is damaged; copy it again") }
            self = key
        case Self.label("RSA PRIVATE KEY"): self.init(algorithm: "ssh-rsa", isEncrypted: Self.hasEncryptedBody(body))
        // Which of the three curves stands inside.
        case Self.label("EC PRIVATE KEY"): self.init(algorithm: nil, isEncrypted: Self.hasEncryptedBody(body))
        case Self.label("PRIVATE KEY"): self.init(algorithm: nil, isEncrypted: false)
        case Self.label("ENCRYPTED PRIVATE KEY"): self.init(algorithm: nil, isEncrypted: true)
        default:
            throw Refusal(
                words: "holds another kind of key than SSH servers take; make one with: ssh-keygen -t ed25519")
        }
        guard let algorithm, !Self.usable.contains(algorithm) else { return }
        throw Refusal(
            words:
                "is of the type \(algorithm), which cannot log in from a file here; make another with: ssh-keygen -t ed25519"
        )
    }

    private init(algorithm: String?, isEncrypted: Bool) {
        self.algorithm = algorithm
        self.isEncrypted = isEncrypted
    }

    private static let usable = HostKeyAlgorithms.families.flatMap(\.self)
    private static let begin = Array("-----BEGIN ".utf8)

    private static func label(_ text: String) -> ArraySlice<UInt8> { Array("\(text)-----".utf8)[...] }

    private static func refusal(of octets: [UInt8]) -> Refusal {
        if octets.starts(with: Array("PuTTY-User-Key-File-".utf8)) {
            return Refusal(words: "is in PuTTY's form; convert it with: puttygen KEY -O private-openssh -o NEW")
        }
        if usable.contains(where: { octets.starts(with: Array("\($0) ".utf8)) }) {
            return Refusal(words: "is the public key; name the file of the private one, which has no .pub")
        }
        return Refusal(words: "holds no private key; make one with: ssh-keygen -t ed25519")
    }

    /// RFC 1421 §4.6.1.1: as OpenSSL encrypts the older forms.
    private static func hasEncryptedBody(_ body: ArraySlice<ArraySlice<UInt8>>) -> Bool {
        body.contains { $0.starts(with: Array("Proc-Type: 4,ENCRYPTED".utf8)) }
    }

    /// Of OpenSSH's own form (its PROTOCOL.key): the cipher, and the public key before what is encrypted.
    private static func openSSH(_ body: ArraySlice<ArraySlice<UInt8>>) -> PrivateKeyFile? {
        let magic = Array("openssh-key-v1\0".utf8)
        guard let octets = Base64Text.decode(Array(body.joined())[...]), octets.starts(with: magic) else { return nil }
        var rest = octets.dropFirst(magic.count)
        guard let cipher = string(&rest), string(&rest) != nil, string(&rest) != nil,
            rest.prefix(4).elementsEqual([0, 0, 0, 1])
        else { return nil }
        rest = rest.dropFirst(4)
        guard let publicKey = string(&rest), let key = KnownHostKey(Array(publicKey)) else { return nil }
        return PrivateKeyFile(algorithm: key.algorithm, isEncrypted: !cipher.elementsEqual("none".utf8))
    }

    /// RFC 4251 §5.
    private static func string(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= 4 else { return nil }
        let length = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard rest.count - 4 >= Int(length) else { return nil }
        let value = rest.dropFirst(4).prefix(Int(length))
        rest = rest.dropFirst(4 + Int(length))
        return value
    }
}
