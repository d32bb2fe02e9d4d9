/// A certificate that a `TestAuthority` issued, with its key. Its files stay until the test process ends, since others
/// are given their paths alone.
package final class TestCertificate: Sendable {
    /// What to put into a certificate. Names that are IP addresses become IP names.
    package struct Request: Sendable {
        /// The common name; no slash, no comma.
        package var subject: String
        package var names: [String]
        package var purpose = Purpose.server
        package var key = Key.p256
        package var validity = Validity.current

        package init(
            _ subject: String, names: [String] = [], purpose: Purpose = .server, key: Key = .p256,
            validity: Validity = .current
        ) {
            self.subject = subject
            self.names = names
            self.purpose = purpose
            self.key = key
            self.validity = validity
        }

        /// For a server on loopback.
        package static let localhost = Request("localhost", names: ["localhost", "127.0.0.1", "::1"])
    }

    package enum Purpose: Sendable {
        case server
        case client
        case authority
    }

    package enum Key: String, Sendable, CaseIterable {
        case p256
        case rsa2048
    }

    package enum Validity: Sendable, CaseIterable {
        /// From an hour ago, for a week.
        case current
        /// Ended yesterday.
        case expired
        /// Begins tomorrow.
        case notYet
    }

    /// The certificate alone, PEM.
    package let certificate: String
    /// The certificate and those of the authorities above it but the root, PEM: what servers send.
    package let chain: String
    /// The private key, PEM without a passphrase, mode 0600.
    package let key: String
    /// SHA-256 over the DER SubjectPublicKeyInfo, lower-case hex: what a pin names.
    package let keyFingerprint: String
    /// SHA-256 over the whole certificate, lower-case hex.
    package let fingerprint: String
    /// Those above it, PEM, without the root.
    let intermediates: String
    private let folder: TemporaryFolder

    /// Reads what `openssl` left in `folder`: `certificate.pem` and `key.pem`.
    init(in folder: TemporaryFolder, intermediates: [UInt8]) async throws {
        self.folder = folder
        certificate = folder.appending("certificate.pem")
        key = folder.appending("key.pem")
        self.intermediates = try folder.write(intermediates, to: "intermediates.pem")
        chain = try folder.write(try readFile(certificate) + intermediates, to: "chain.pem")
        let publicKey = folder.appending("public.pem")
        let encoded = folder.appending("public.der")
        try await OpenSSLTool.run(["x509", "-in", certificate, "-noout", "-pubkey", "-out", publicKey])
        try await OpenSSLTool.run(["pkey", "-pubin", "-in", publicKey, "-outform", "DER", "-out", encoded])
        keyFingerprint = String(try await OpenSSLTool.run(["dgst", "-sha256", "-r", encoded]).prefix(64))
        let whole = folder.appending("certificate.der")
        try await OpenSSLTool.run(["x509", "-in", certificate, "-outform", "DER", "-out", whole])
        fingerprint = String(try await OpenSSLTool.run(["dgst", "-sha256", "-r", whole]).prefix(64))
    }
}

extension TestCertificate {
    /// How a PKCS#12 file is encrypted.
    package enum PKCS12Style: String, Sendable, CaseIterable {
        /// AES-256 and PBKDF2, as OpenSSL 3 writes it.
        case modern
        /// RC2 and 3DES, as old Windows exports do; OpenSSL 3 reads it only with its legacy provider.
        case legacy
        /// Neither encrypted nor with a MAC.
        case open
    }

    /// Writes certificate, chain and key as PKCS#12 (mode 0600) and returns its path. An empty passphrase is one as
    /// well: the empty one.
    package func pkcs12(
        _ style: PKCS12Style = .modern, passphrase: String = "", name: String = "bundle"
    ) async throws -> String {
        let path = folder.appending("\(name)-\(style.rawValue).p12")
        let how: [String] =
            switch style {
            case .modern: []
            case .legacy: ["-legacy"]
            case .open: ["-keypbe", "NONE", "-certpbe", "NONE", "-nomac"]
            }
        let above = try readFile(intermediates).isEmpty ? [] : ["-certfile", intermediates]
        try await OpenSSLTool.run(
            ["pkcs12", "-export", "-in", certificate, "-inkey", key, "-out", path, "-passout", "pass:\(passphrase)"]
                + above + how)
        return path
    }

    /// Chain and key in one PEM file (mode 0600), the key encrypted where there is a passphrase; returns its path.
    package func bundledPEM(passphrase: String? = nil) async throws -> String {
        let encrypted = passphrase == nil ? key : try await encryptedKey(passphrase: passphrase ?? "")
        let name = passphrase == nil ? "bundle.pem" : "bundle-encrypted.pem"
        return try folder.writePrivately(try readFile(chain) + readFile(encrypted), to: name)
    }

    /// The key encrypted with a passphrase, PEM, mode 0600; returns its path.
    package func encryptedKey(passphrase: String) async throws -> String {
        let path = folder.appending("key-encrypted.pem")
        try await OpenSSLTool.run(["pkey", "-in", key, "-aes256", "-passout", "pass:\(passphrase)", "-out", path])
        return path
    }
}
