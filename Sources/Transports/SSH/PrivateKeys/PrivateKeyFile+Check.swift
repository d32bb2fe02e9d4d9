import CLibSSH2
import Glibc
package import PrintModel

extension PrivateKeyFile {
    /// Thousands of bits take a few kilobytes.
    private static let longest = 1 << 16

    /// Looks whether a key could log in, as far as that can be told without a server. Blocks. Returns what an admin
    /// should know although it may work; throws why it cannot. Nothing of key or passphrase stands in either.
    package static func check(_ key: Credentials.PrivateKey) throws(SSHError) -> String? {
        let (file, _) = try open(key.path, hasPassphrase: key.passphrase != nil)
        guard file.algorithm == "ssh-rsa", !signsRSAWithSHA2 else { return nil }
        return
            "the private key \(key.path.withoutControlCharacters) is an RSA key, which the installed libssh2 cannot use at OpenSSH 8.8 and newer; make another with: ssh-keygen -t ed25519"
    }

    /// Reads the file of a key that is to log in, with or without a passphrase. Blocks.
    static func open(_ path: String, hasPassphrase: Bool) throws(SSHError) -> (file: PrivateKeyFile, octets: [UInt8]) {
        do throws(Refusal) {
            let octets = try read(path)
            let file = try PrivateKeyFile(octets)
            guard file.isEncrypted, !hasPassphrase else { return (file, octets) }
            throw Refusal(words: "wants a passphrase; write passphrase: … beside private-key:")
        } catch {
            throw SSHError(
                .credentialsUnusable, operation: "private key",
                reason: "the private key \(path.withoutControlCharacters) \(error.words)")
        }
    }

    /// Whether RSA keys sign as RFC 8332 says; servers refuse the older way with SHA-1. Since libssh2 1.11.
    package static var signsRSAWithSHA2: Bool { libssh2_version(0x01_0B_00) != nil }

    private static func read(_ path: String) throws(Refusal) -> [UInt8] {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Refusal(words: "cannot be opened (\(words(errno)))") }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: longest + 1)
        var count = 0
        while count < octets.count {
            let got = octets.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Refusal(words: "cannot be read (\(words(errno)))") }
            guard got > 0 else { return Array(octets.prefix(count)) }
            count += got
        }
        throw Refusal(words: "is longer than \(longest) octets, and so holds no key")
    }

    private static func words(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "errno \(code)"
    }
}
