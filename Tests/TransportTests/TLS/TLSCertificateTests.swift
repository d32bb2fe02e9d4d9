import Foundation
import KioskPrintModel
import KioskTLS
import KioskTestSupport
import Testing

/// Reading certificates as printers might show them, created with `openssl req -x509`.
@Suite struct TLSCertificateTests {
    private func shown(
        _ arguments: [String], key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    ) async throws -> Certificate {
        let folder = try TemporaryFolder("odd")
        let (key, certificate) = (
            ["-newkey"] + key + ["-nodes", "-keyout", folder.appending("key.pem")], folder.appending("c.pem")
        )
        let settings = try folder.write("[req]\ndistinguished_name=d\n[d]\n", to: "req.conf")
        try await OpenSSLTool.run(
            ["req", "-x509", "-config", settings, "-utf8", "-out", certificate] + key + arguments)
        return try TLSIdentity.load(.init(path: certificate, keyPath: folder.appending("key.pem")), ignoringDates: true)
            .certificate
    }

    @Test func `a common name serves where there are no other names`() async throws {
        let certificate = try await shown(["-subj", "/C=DE/O=Drucker GmbH, Köln/CN=laser-2.example"])
        #expect(certificate.names == ["laser-2.example"])
        #expect(certificate.subject == "CN=laser-2.example,O=Drucker GmbH\\, Köln,C=DE")
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.isSelfSigned)
        #expect(certificate.key == "EC P-256")
    }

    @Test func `no name at all is an empty one`() async throws {
        let certificate = try await shown(["-subj", "/"])
        #expect(certificate.subject.isEmpty)
        #expect(certificate.names.isEmpty)
    }

    @Test func `names are cleaned and bounded`() async throws {
        let hostile = try await shown(["-subj", "/CN=a\u{1B}[31m\u{202E}b\nc"])
        #expect(!hostile.subject.hasControlCharacters)
        #expect(hostile.names.allSatisfy { !$0.hasControlCharacters })
        let long = (0..<90).map { "/OU=\($0)" + String(repeating: "x", count: 60) }.joined()
        let big = try await shown(["-subj", long])
        #expect(big.subject.utf8.count <= 515)
        #expect(big.subject.hasSuffix("…"))
        let many = (0..<200).map { "DNS:host-\($0).example" }.joined(separator: ",")
        #expect(try await shown(["-subj", "/CN=x", "-addext", "subjectAltName=\(many)"]).names.count == 32)
        let other = try await shown([
            "-subj", "/CN=x", "-addext",
            "subjectAltName=email:a@b.example,URI:ipp://x,IP:2001:db8::7,IP:192.0.2.7,DNS:y",
        ])
        #expect(other.names == ["2001:db8::7", "192.0.2.7", "y"])
    }

    @Test(arguments: [
        (["rsa:1024"], "RSA 1024"), (["rsa:3072"], "RSA 3072"),
        (["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], "EC P-384"),
        (["ed25519"], "Ed25519"), (["ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"], "EC brainpoolP256r1"),
    ])
    func `describes the key`(key: [String], words: String) async throws {
        #expect(try await shown(["-subj", "/CN=x"], key: key).key == words)
    }

    @Test func `reads dates long before 1970 and long after now`() async throws {
        let folder = try TemporaryFolder("dates")
        let key = folder.appending("key.pem")
        try await OpenSSLTool.run(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key])
        let settings = try folder.write(
            """
            [req]
            distinguished_name=d
            [d]
            [ca]
            default_ca=c
            [c]
            database=\(folder.appending("db"))
            new_certs_dir=\(folder.path)
            rand_serial=yes
            default_md=sha256
            policy=p
            [p]
            commonName=supplied
            """, to: "ca.conf")
        try folder.write("", to: "db")
        try await OpenSSLTool.run([
            "req", "-new", "-config", settings, "-key", key, "-subj", "/CN=old", "-out", folder.appending("r"),
        ])
        let path = folder.appending("c.pem")
        try await OpenSSLTool.run(
            [
                "ca", "-config", settings, "-batch", "-notext", "-selfsign", "-keyfile", key, "-in",
                folder.appending("r"), "-out", path,
            ]
                + ["-startdate", "19500101000000Z", "-enddate", "99991231235959Z"])
        let certificate = try TLSIdentity.load(.init(path: path, keyPath: key)).certificate
        #expect(certificate.notBefore.description == "1950-01-01T00:00:00.000Z")
        #expect(certificate.notAfter.description == "9999-12-31T23:59:59.000Z")
    }
}
