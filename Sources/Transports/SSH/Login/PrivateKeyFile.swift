import CKioskLibSSH2
import Glibc
package import KioskPrintModel

/// The properties of a private key file that can be read without its passphrase.
package struct PrivateKeyFile: Hashable, Sendable {
    /// The SSH name of its type; nil where the format hides it (PKCS#8).
    package let algorithm: String?
    package let isEncrypted: Bool

    /// Why a file is not a private key that can log in: the rest of the sentence about it, and what to do. Holds
    /// nothing from the file.
    package struct Refusal: Error, Hashable, Sendable {
        package let message: String
    }

    package init(_ octets: [UInt8]) throws(Refusal) {
        let lines = octets.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let first = lines.firstIndex(where: { $0.starts(with: Self.begin) }) else {
            throw Self.refusal(of: octets)
        }
        let body = lines[(first + 1)...].prefix { !$0.starts(with: Array("-----END ".utf8)) }
        guard first + 1 + body.count < lines.count else { throw Refusal(message: "ends in the middle; copy it again") }
        switch lines[first].dropFirst(Self.begin.count) {
        case Self.label("OPENSSH PRIVATE KEY"):
            guard let key = Self.openSSH(body) else { throw Refusal(message: "is damaged; copy it again") }
            self = key
        case Self.label("RSA PRIVATE KEY"): self.init(algorithm: "ssh-rsa", isEncrypted: Self.hasEncryptedBody(body))
        // The body names which of the three curves it is.
        case Self.label("EC PRIVATE KEY"): self.init(algorithm: nil, isEncrypted: Self.hasEncryptedBody(body))
        case Self.label("PRIVATE KEY"): self.init(algorithm: nil, isEncrypted: false)
        case Self.label("ENCRYPTED PRIVATE KEY"): self.init(algorithm: nil, isEncrypted: true)
        default:
            throw Refusal(
                message: "holds another kind of key than SSH servers accept; make one with: ssh-keygen -t ed25519")
        }
        guard let algorithm, !Self.usable.contains(algorithm) else { return }
        throw Refusal(
            message:
                "is of the type \(algorithm), which cannot log in from a file here; make another with: "
                + "ssh-keygen -t ed25519"
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
            return Refusal(message: "is in PuTTY's form; convert it with: puttygen KEY -O private-openssh -o NEW")
        }
        if usable.contains(where: { octets.starts(with: Array("\($0) ".utf8)) }) {
            return Refusal(message: "is the public key; name the file of the private one, which has no .pub")
        }
        return Refusal(message: "holds no private key; make one with: ssh-keygen -t ed25519")
    }

    /// Whether OpenSSL encrypted one of the older formats (RFC 1421 §4.6.1.1).
    private static func hasEncryptedBody(_ body: ArraySlice<ArraySlice<UInt8>>) -> Bool {
        body.contains { $0.starts(with: Array("Proc-Type: 4,ENCRYPTED".utf8)) }
    }

    /// Reads OpenSSH's own format (its PROTOCOL.key): the cipher, and the public key before the encrypted part.
    private static func openSSH(_ body: ArraySlice<ArraySlice<UInt8>>) -> PrivateKeyFile? {
        let magic = Array("openssh-key-v1\0".utf8)
        guard let octets = Base64.decode(Array(body.joined())[...], strict: true), octets.starts(with: magic) else {
            return nil
        }
        var rest = octets.dropFirst(magic.count)
        guard let cipher = string(&rest), string(&rest) != nil, string(&rest) != nil,
            rest.prefix(4).elementsEqual([0, 0, 0, 1])
        else { return nil }
        rest = rest.dropFirst(4)
        guard let publicKey = string(&rest), let key = KnownHostKey(Array(publicKey)) else { return nil }
        return PrivateKeyFile(algorithm: key.algorithm, isEncrypted: !cipher.elementsEqual("none".utf8))
    }

    /// Takes a string field (RFC 4251 §5).
    private static func string(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= 4 else { return nil }
        let length = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard rest.count - 4 >= Int(length) else { return nil }
        let value = rest.dropFirst(4).prefix(Int(length))
        rest = rest.dropFirst(4 + Int(length))
        return value
    }

    /// The limit in octets: a key of thousands of bits takes a few kilobytes.
    private static let maximumLength = 1 << 16

    /// Checks whether a key could log in, as far as that can be known without a server. Blocks. Returns a warning for
    /// the admin, or throws why the key cannot be used. Neither contains anything from the key or the passphrase.
    package static func check(_ key: Credentials.PrivateKey) throws(SSHError) -> String? {
        let (file, _) = try open(key.path, hasPassphrase: key.passphrase != nil)
        guard file.algorithm == "ssh-rsa", !signsRSAWithSHA2 else { return nil }
        return
            "the private key \(key.path.withoutControlCharacters) is an RSA key, which the installed libssh2 cannot "
            + "use at OpenSSH 8.8 and newer; make another with: ssh-keygen -t ed25519"
    }

    /// Reads a key file for a login. Blocks.
    static func open(_ path: String, hasPassphrase: Bool) throws(SSHError) -> (file: PrivateKeyFile, octets: [UInt8]) {
        do throws(Refusal) {
            let octets = try read(path)
            let file = try PrivateKeyFile(octets)
            guard file.isEncrypted, !hasPassphrase else { return (file, octets) }
            throw Refusal(message: "wants a passphrase; write passphrase: … beside private-key:")
        } catch {
            throw SSHError(
                .credentialsUnusable, operation: "private key",
                reason: "the private key \(path.withoutControlCharacters) \(error.message)")
        }
    }

    /// Whether RSA keys sign with SHA-2 (RFC 8332), as libssh2 does since 1.11. Servers refuse the older way with
    /// SHA-1.
    package static var signsRSAWithSHA2: Bool { libssh2_version(0x01_0B_00) != nil }

    private static func read(_ path: String) throws(Refusal) -> [UInt8] {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Refusal(message: "cannot be opened (\(reason(errno)))") }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: maximumLength + 1)
        var count = 0
        while count < octets.count {
            let got = octets.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Refusal(message: "cannot be read (\(reason(errno)))") }
            guard got > 0 else { return Array(octets.prefix(count)) }
            count += got
        }
        throw Refusal(message: "is longer than \(maximumLength) octets, and so holds no key")
    }

    private static func reason(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "errno \(code)"
    }
}
