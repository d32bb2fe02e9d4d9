import COpenSSL
import Glibc
import PrintModel

// PEM (RFC 7468).
extension TLSIdentity {
    /// More certificates than a chain ever has.
    private static var longestChain: Int { 32 }

    static func fromPEM(_ file: FileContent, _ source: Credentials.ClientCertificate) throws(TLSError) -> TLSIdentity {
        let path = source.path
        let keyPath = source.keyPath ?? path
        let keyFile = source.keyPath == nil ? file : try FileContent("the key file", at: keyPath)
        var certificates = try file.certificates(at: path, atMost: longestChain)
        guard !certificates.isEmpty else { throw .identity(path, "holds no certificate; put it before its key") }
        let key = try readKey(keyFile, at: keyPath, source.passphrase)
        // The key tells which one is ours; the order in the file does not matter. If it is none's, the first one says
        // so.
        let index = certificates.firstIndex { X509_check_private_key($0.pointer, key.pointer) == 1 } ?? 0
        OpenSSLErrors.clear()
        let own = certificates.remove(at: index)
        return try TLSIdentity(x509: own, key: key, chain: certificates, file: path)
    }

    private static func readKey(
        _ file: FileContent, at path: String, _ passphrase: Secret?
    ) throws(TLSError) -> OpenSSLReference {
        let answer = PassphraseAnswer(passphrase)
        let key = try file.withBIO { bio in
            PEM_read_bio_PrivateKey(bio, nil, PassphraseAnswer.callback, Unmanaged.passUnretained(answer).toOpaque())
        }
        if let key { return .key(key) }
        let errors = OpenSSLErrors.drain()
        func bad(_ words: String) -> TLSError {
            TLSError(.badIdentity, reason: "the key file \(path) \(words)", native: errors.first.map { .openSSL($0) })
        }
        guard answer.wasAsked else {
            throw file.contains("PRIVATE KEY-----")
                ? bad("holds a key that cannot be read (\(errors.words)); export it again")
                : bad("holds no private key; add it there, or name the file that has it")
        }
        guard passphrase != nil else {
            throw bad("holds an encrypted key, and no passphrase is saved for it; add one to its credentials")
        }
        throw bad("holds a key that its saved passphrase does not open (\(errors.words)); correct the passphrase")
    }
}

/// Answers OpenSSL's question for a passphrase (pem_password_cb(3)); without it, OpenSSL would ask at the terminal.
private final class PassphraseAnswer {
    private let passphrase: Secret?
    private(set) var wasAsked = false

    init(_ passphrase: Secret?) { self.passphrase = passphrase }

    static let callback:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
            buffer, size, _, this in
            guard let this, let buffer else { return -1 }
            let answer = Unmanaged<PassphraseAnswer>.fromOpaque(this).takeUnretainedValue()
            answer.wasAsked = true
            guard let octets = answer.passphrase.map({ Array($0.reveal().utf8) }), octets.count <= Int(size) else {
                return -1
            }
            octets.withUnsafeBytes { if let base = $0.baseAddress { memcpy(buffer, base, $0.count) } }
            return Int32(octets.count)
        }
}

extension FileContent {
    /// All certificates of a PEM file, in its order; blocks of other kinds are passed over.
    func certificates(at path: String, atMost limit: Int) throws(TLSError) -> [OpenSSLReference] {
        try withBIO { (bio) throws(TLSError) in
            var found: [OpenSSLReference] = []
            while let x509 = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
                found.append(.x509(x509))
                guard found.count <= limit else {
                    throw TLSError(.badIdentity, reason: "\(path) holds more than \(limit) certificates")
                }
            }
            // The end of the file is "no start line"; anything else is a damaged block.
            let errors = OpenSSLErrors.drain()
            guard errors.contains(library: ERR_LIB_PEM, reason: PEM_R_NO_START_LINE) else {
                throw TLSError(
                    .badIdentity,
                    reason: "\(path) holds a certificate that cannot be read (\(errors.words)); copy it anew",
                    native: errors.first.map { .openSSL($0) })
            }
            return found
        }
    }
}
