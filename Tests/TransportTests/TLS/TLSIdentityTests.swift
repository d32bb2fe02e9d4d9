import Foundation
import KioskPrintModel
import KioskTLS
import KioskTestSupport
import Testing

@Suite struct TLSIdentityTests {
    private func load(_ path: String, key: String? = nil, passphrase: String? = nil) throws(TLSError) -> TLSIdentity {
        try TLSIdentity.load(.init(path: path, keyPath: key, passphrase: passphrase.map { Secret($0) }))
    }

    /// The reason why the file cannot be loaded. It must not contain a secret.
    private func reason(_ path: String, key: String? = nil, passphrase: String? = nil) -> String {
        do {
            _ = try load(path, key: key, passphrase: passphrase)
            return "loaded"
        } catch {
            #expect(error.code == .badIdentity)
            var text = "\(error)"
            dump(error, to: &text)
            #expect(!text.contains("s3cret") && !text.contains("wr0ng"))
            return error.reason
        }
    }

    private func till(
        _ authority: TestAuthority? = nil, _ key: TestCertificate.Key = .p256
    ) async throws -> TestCertificate {
        let fixtures = try await TLSFixtures.get()
        return try await (authority ?? fixtures.authority).issue(.init("till-7", purpose: .client, key: key))
    }

    @Test(arguments: TestCertificate.Key.allCases, ["s3cret", "", "pass wörd €"])
    func `reads modern PKCS#12`(key: TestCertificate.Key, passphrase: String) async throws {
        let certificate = try await till(nil, key)
        let path = try await certificate.pkcs12(.modern, passphrase: passphrase)
        let identity = try load(path, passphrase: passphrase)
        #expect(identity.certificate.keyFingerprint == Fingerprint(certificate.keyFingerprint))
        #expect(identity.certificate.key == (key == .p256 ? "EC P-256" : "RSA 2048"))
        // For some programs, an empty passphrase is none.
        if passphrase.isEmpty { _ = try load(path) }
    }

    @Test func `refuses PKCS#12 that anybody could have changed`() async throws {
        let certificate = try await till()
        let path = try await certificate.pkcs12(.open)
        for passphrase in [nil, "", "whatever"] {
            #expect(reason(path, passphrase: passphrase).contains("has no MAC"))
        }
    }

    @Test(arguments: ["p12", "pem"])
    func `sends the chain along`(kind: String) async throws {
        let fixtures = try await TLSFixtures.get()
        let intermediate = try await TestAuthority("Tills CA", under: fixtures.authority)
        let certificate = try await till(intermediate)
        let path =
            kind == "p12" ? try await certificate.pkcs12(passphrase: "s3cret") : try await certificate.bundledPEM()
        let pair = try TLSPair(
            client: .client(fixtures.trust, identity: load(path, passphrase: "s3cret")),
            server: .server(fixtures.identity, clientCAs: fixtures.authority.root, requiresClient: true))
        #expect(try pair.performHandshake().server.certificate?.issuer.contains("CN=Tills CA") == true)
    }

    @Test func `tells a wrong passphrase, a missing one and outdated encryption apart`() async throws {
        let certificate = try await till()
        let modern = try await certificate.pkcs12(.modern, passphrase: "s3cret")
        let legacy = try await certificate.pkcs12(.legacy, passphrase: "s3cret")
        for path in [modern, legacy] {
            #expect(reason(path, passphrase: "wr0ng").contains("cannot be opened with the passphrase that is saved"))
            #expect(reason(path).contains("needs a passphrase, and none is saved"))
        }
        let outdated = reason(legacy, passphrase: "s3cret")
        #expect(outdated.contains("outdated"))
        #expect(outdated.contains("openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem"))
    }

    @Test func `the conversion that it advises makes the file readable`() async throws {
        let certificate = try await till()
        let legacy = try await certificate.pkcs12(.legacy, passphrase: "s3cret")
        let folder = try TemporaryFolder("conversion")
        let new = folder.appending("new.pem")
        try await OpenSSLTool.run(
            ["pkcs12", "-legacy", "-in", legacy, "-out", new, "-passin", "pass:s3cret", "-passout", "pass:s3cret"])
        #expect(reason(new).contains("encrypted key, and no passphrase"))
        #expect(
            try load(new, passphrase: "s3cret").certificate.keyFingerprint == Fingerprint(certificate.keyFingerprint))
    }

    @Test func `reads PEM in every arrangement`() async throws {
        let certificate = try await till()
        let encrypted = try await certificate.encryptedKey(passphrase: "s3cret")
        let folder = try TemporaryFolder("pem")
        let keyFirst = try folder.write(readFile(certificate.key) + readFile(certificate.chain), to: "key-first.pem")
        let fixtures = try await TLSFixtures.get()
        let rootFirst = try folder.write(
            readFile(fixtures.authority.root) + readFile(certificate.certificate), to: "root-first.pem")
        let annotated = try folder.write(
            Array("Bag Attributes\n    friendlyName: till\n".utf8) + readFile(try await certificate.bundledPEM()),
            to: "annotated.pem")
        for (path, key, passphrase) in [
            (certificate.chain, certificate.key, nil), (certificate.chain, encrypted, "s3cret"),
            (try await certificate.bundledPEM(), nil, nil),
            (try await certificate.bundledPEM(passphrase: "s3cret"), nil, "s3cret"),
            (keyFirst, nil, nil), (rootFirst, certificate.key, nil), (annotated, nil, "not needed"),
        ] as [(String, String?, String?)] {
            #expect(
                try load(path, key: key, passphrase: passphrase).certificate.subject.hasPrefix("CN=till-7"), "\(path)")
        }
    }

    @Test func `says what is wrong with PEM`() async throws {
        let (certificate, other) = (try await till(), try await till())
        let encrypted = try await certificate.encryptedKey(passphrase: "s3cret")
        let folder = try TemporaryFolder("pem")
        let damaged = try folder.write(
            String(decoding: readFile(certificate.certificate), as: UTF8.self).replacingOccurrences(
                of: "MII", with: "MI!"), to: "a.pem")
        #expect(reason(certificate.chain, key: other.key).contains("key that does not belong to its certificate"))
        #expect(reason(certificate.chain).contains("holds no private key"))
        #expect(reason(certificate.key).contains("holds no certificate"))
        #expect(reason(certificate.chain, key: encrypted).contains("encrypted key, and no passphrase is saved"))
        #expect(reason(certificate.chain, key: encrypted, passphrase: "wr0ng").contains("passphrase does not open"))
        #expect(reason(damaged, key: certificate.key).contains("cannot be read"))
        #expect(
            reason(certificate.chain, key: "/nowhere/key.pem").contains(
                "/nowhere/key.pem cannot be opened: No such file"))
    }

    @Test func `says what is wrong with a file that is neither`() async throws {
        let folder = try TemporaryFolder("identity")
        let certificate = try await till()
        let p12 = try readFile(try await certificate.pkcs12(passphrase: "s3cret"))
        #expect(reason(folder.appending("none.p12")).contains("No such file or directory"))
        #expect(reason(try folder.write("", to: "empty")).contains("is empty"))
        #expect(reason(try folder.write("hello", to: "text")).contains("neither PKCS#12 nor PEM"))
        #expect(reason(folder.path).contains("Is a directory"))
        #expect(reason("/dev/zero").contains("larger than"))
        for count in stride(from: 1, to: p12.count, by: 97) {
            #expect(reason(try folder.write(p12.prefix(count), to: "cut"), passphrase: "s3cret") != "loaded")
        }
        for position in stride(from: 0, to: p12.count, by: 41) {
            var changed = p12
            changed[position] ^= 0x41
            _ = reason(try folder.write(changed, to: "changed"), passphrase: "s3cret")
        }
    }

    @Test(arguments: [(TestCertificate.Validity.expired, "expired on 20"), (.notYet, "not valid before 20")])
    func `refuses a certificate of ours that is out of its time`(
        validity: TestCertificate.Validity, words: String
    ) async throws {
        let fixtures = try await TLSFixtures.get()
        let certificate = try await fixtures.authority.issue(.init("till-8", purpose: .client, validity: validity))
        #expect(reason(certificate.chain, key: certificate.key).contains(words))
        #expect(reason(try await certificate.pkcs12(passphrase: "s3cret"), passphrase: "s3cret").contains(words))
    }
}
