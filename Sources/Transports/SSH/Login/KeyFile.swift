internal import Glibc

/// A private key as its file has it, and what can be told of it without its passphrase.
struct KeyFile: Sendable {
    let path: String
    let octets: [UInt8]
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
        let text = String(decoding: octets, as: UTF8.self)
        if text.contains("BEGIN RSA PRIVATE KEY") { return "ssh-rsa" }
        return nil
    }

    var isRSA: Bool { algorithm == "ssh-rsa" }
}
