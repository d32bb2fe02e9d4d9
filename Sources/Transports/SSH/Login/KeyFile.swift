internal import Glibc

/// A private key as its file has it, and what can be told of it without its passphrase.
struct KeyFile: Sendable {
    let path: String
    let octets: [UInt8]
    /// SSH's name of its type; nil where it cannot be told.
    let algorithm: String?

    /// OpenSSH's own largest key, RSA with 16,384 bits, takes 13 kB.
    private static let longest = 64 << 10

    /// Reads it. Blocks.
    init(path: String) throws(SSHError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(path, Self.words(errno)) }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: Self.longest + 1)
        var count = 0
        while count < octets.count {
            let got = octets.withUnsafeMutableBytes { read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Self.failure(path, Self.words(errno)) }
            guard got > 0 else { break }
            count += got
        }
        guard count > 0, count <= Self.longest else { throw Self.failure(path, count == 0 ? "it is empty" : "it is too large for a key") }
        self.path = path
        self.octets = Array(octets[..<count])
        algorithm = Self.algorithm(of: self.octets)
    }

    private static func failure(_ path: String, _ reason: String) -> SSHError {
        SSHError(.credentialsUnusable, operation: "log in", reason: "the key file \(path) cannot be used: \(reason)")
    }

    private static func words(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "errno \(code)" }

    private static func algorithm(of octets: [UInt8]) -> String? {
        let lines = octets.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let first = lines.first.map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
        if first == "-----BEGIN RSA PRIVATE KEY-----" { return "ssh-rsa" }
        guard first == "-----BEGIN OPENSSH PRIVATE KEY-----" else { return nil }
        let body = lines.dropFirst().prefix { $0.first != UInt8(ascii: "-") }.flatMap { $0 }
        return Base64Text.decode(body[...]).flatMap(algorithm(ofOpenSSH:))
    }

    /// The public key stands in front, in clear (OpenSSH's PROTOCOL.key).
    private static func algorithm(ofOpenSSH octets: [UInt8]) -> String? {
        let magic = Array("openssh-key-v1\0".utf8)
        guard octets.starts(with: magic) else { return nil }
        var reader = WireReader(octets.dropFirst(magic.count))
        // Cipher, key derivation and its options, then how many keys.
        guard reader.string() != nil, reader.string() != nil, reader.string() != nil, reader.number() == 1,
            let key = reader.string()
        else { return nil }
        var fields = WireReader(key)
        return fields.string().map { String(decoding: $0, as: UTF8.self) }
    }

    var isRSA: Bool { algorithm == "ssh-rsa" }
}
