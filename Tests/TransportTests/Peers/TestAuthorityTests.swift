import Foundation
import KioskTestSupport
import Testing

/// The certificates that other suites lean on, as `openssl` itself judges them.
@Suite struct TestAuthorityTests {
    @Test(arguments: TestCertificate.Key.allCases)
    func `a server's certificate leads to its authority and names its host`(key: TestCertificate.Key) async throws {
        let authority = try await TestAuthority()
        let server = try await authority.issue(.init("printer", names: ["printer.example", "192.0.2.7"], key: key))
        let verify = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", authority.root]
        try await OpenSSLTool.run(verify + ["-verify_hostname", "printer.example", server.certificate])
        try await OpenSSLTool.run(verify + ["-verify_ip", "192.0.2.7", server.certificate])
        await #expect(throws: TestSupportError.self) {
            try await OpenSSLTool.run(verify + ["-verify_hostname", "other.example", server.certificate])
        }
        let text = try await OpenSSLTool.run(["x509", "-in", server.certificate, "-noout", "-text"])
        #expect(text.contains(key == .p256 ? "ASN1 OID: prime256v1" : "Public-Key: (2048 bit)"))
        let shown = try await OpenSSLTool.run(["x509", "-in", server.certificate, "-noout", "-fingerprint", "-sha256"])
        #expect(shown.lowercased().replacing(":", with: "").contains(server.fingerprint))
        #expect(server.keyFingerprint.count == 64 && server.keyFingerprint != server.fingerprint)
    }

    @Test(arguments: [
        (TestCertificate.Validity.expired, "certificate has expired"), (.notYet, "certificate is not yet valid"),
    ])
    func `a certificate outside its dates is refused for that`(
        validity: TestCertificate.Validity, reason: String
    ) async throws {
        let authority = try await TestAuthority()
        let server = try await authority.issue(.init("localhost", names: ["localhost"], validity: validity))
        let error = try await #require(throws: TestSupportError.self) {
            try await OpenSSLTool.run(["verify", "-CAfile", authority.root, server.certificate])
        }
        #expect(error.description.contains(reason))
    }

    @Test func `a certificate of another authority, or of none, is refused`() async throws {
        let authority = try await TestAuthority()
        let stranger = try await TestAuthority("Another Authority").issue()
        let own = try await TestAuthority.selfSigned()
        for certificate in [stranger, own] {
            await #expect(throws: TestSupportError.self) {
                try await OpenSSLTool.run(["verify", "-CAfile", authority.root, certificate.certificate])
            }
        }
    }

    @Test func `a chain through an authority below the root holds`() async throws {
        let root = try await TestAuthority()
        let server = try await TestAuthority("Office", under: root).issue()
        try await OpenSSLTool.run(["verify", "-CAfile", root.root, "-untrusted", server.chain, server.certificate])
    }

    @Test(arguments: TestCertificate.PKCS12Style.allCases)
    func `a client's PKCS#12 file holds certificate, chain and key`(style: TestCertificate.PKCS12Style) async throws {
        let office = try await TestAuthority("Office", under: TestAuthority())
        let client = try await office.issue(.init("till 3", purpose: .client))
        let path = try await client.pkcs12(style, passphrase: style == .open ? "" : "swordfish")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let legacy = style == .legacy ? ["-legacy"] : []
        func read(_ passphrase: String) async throws -> String {
            try await OpenSSLTool.run(["pkcs12", "-in", path, "-nodes", "-passin", "pass:\(passphrase)"] + legacy)
        }
        let text = try await read(style == .open ? "" : "swordfish")
        #expect(text.split(separator: "BEGIN CERTIFICATE").count == 3)
        #expect(text.contains("PRIVATE KEY"))
        if style != .open {
            await #expect(throws: TestSupportError.self) { try await read("wrong") }
        }
    }

    @Test func `an encrypted key opens with its passphrase alone`() async throws {
        let client = try await TestAuthority().issue(.init("till 3", purpose: .client, key: .rsa2048))
        let path = try await client.bundledPEM(passphrase: "swordfish")
        try await OpenSSLTool.run(["pkey", "-in", path, "-noout", "-passin", "pass:swordfish"])
        await #expect(throws: TestSupportError.self) {
            try await OpenSSLTool.run(["pkey", "-in", path, "-noout", "-passin", "pass:wrong"])
        }
        let open = try await client.bundledPEM()
        try await OpenSSLTool.run(["pkey", "-in", open, "-noout"])
    }
}
