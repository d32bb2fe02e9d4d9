import Foundation
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Logging
import Testing

@testable import kioskd

/// The certificate of the TCP door: made, kept, renewed, and read again.
@Suite struct ServerCertificateTests {
    private static let names = ["kiosk", "kiosk.local", "localhost", "127.0.0.1", "::1"]
    private static let day = 86_400

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("server-certificate") }

    private func own(_ names: [String] = names) -> ServerCertificate {
        ServerCertificate(.own(folder: folder.appending("tls"), names: names), logger: Logger(label: "test"))
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.appending(name))[.posixPermissions] as? Int
    }

    private func codes(_ certificate: ServerCertificate, at now: Timestamp) -> [String] {
        certificate.checks(at: now).map(\.code)
    }

    @Test func `it is made once, for all names, and for its owner's eyes alone`() throws {
        let first = own()
        first.refresh()
        let made = try #require(first.certificate)
        #expect(made.names == Self.names)
        #expect(made.key == "EC P-256" && made.isSelfSigned)
        #expect(first.context != nil && first.checks().isEmpty)
        let days = (made.notAfter.millisecondsSince1970 - Timestamp.now.millisecondsSince1970) / Int64(Self.day * 1000)
        #expect(days == 824 || days == 825)
        #expect(try mode("tls/key.pem") == 0o600 && mode("tls/certificate.pem") == 0o600)
        let second = own()
        second.refresh()
        #expect(second.certificate == made)
    }

    @Test func `openssl finds it well-formed, and good for its names`() async throws {
        let certificate = own()
        certificate.refresh()
        let openssl = try InstalledProgram.path("openssl", package: "openssl")
        let file = folder.appending("tls/certificate.pem")
        let text = try await ChildProcess.run(openssl, ["x509", "-in", file, "-noout", "-text"]).standardOutput
        for expected in [
            "CA:FALSE", "Digital Signature", "TLS Web Server Authentication", "DNS:kiosk.local", "IP Address:127.0.0.1",
            "prime256v1",
        ] { #expect(text.contains(expected), "\(text)") }
        for name in ["-verify_hostname", "-verify_ip"] {
            let checked = try await ChildProcess.run(
                openssl,
                ["verify", "-x509_strict", "-CAfile", file, name, name == "-verify_ip" ? "::1" : "kiosk", file])
            #expect(checked.end.isSuccess, "\(checked.standardError)")
        }
        let print = try await ChildProcess.run(openssl, ["x509", "-in", file, "-noout", "-fingerprint", "-sha256"])
        let digits = print.standardOutput.filter(\.isHexDigit).lowercased()
        #expect(try digits.hasSuffix(#require(certificate.certificate).fingerprint.description.dropFirst(7)))
    }

    @Test func `it is renewed when less than 30 days are left, with the same key`() throws {
        let certificate = own()
        certificate.refresh()
        let first = try #require(certificate.certificate)
        certificate.refresh(at: first.notAfter.advanced(bySeconds: -31 * Self.day))
        #expect(certificate.certificate == first)
        certificate.refresh(at: first.notAfter.advanced(bySeconds: -29 * Self.day))
        let second = try #require(certificate.certificate)
        #expect(second.fingerprint != first.fingerprint)
        #expect(second.keyFingerprint == first.keyFingerprint)
        // Another start finds the new one.
        let later = own()
        later.refresh()
        #expect(later.certificate == second)
    }

    @Test(arguments: ["certificate.pem", "key.pem"], ["", "damaged", nil])
    func `files that are damaged or missing are made again`(name: String, content: String?) throws {
        own().refresh()
        if let content {
            try folder.write(content, to: "tls/\(name)")
        } else {
            try FileManager.default.removeItem(atPath: folder.appending("tls/\(name)"))
        }
        let certificate = own()
        certificate.refresh()
        #expect(certificate.context != nil && certificate.checks().isEmpty)
        #expect(try mode("tls/key.pem") == 0o600)
    }

    @Test func `a folder that cannot be written shows in health, and is tried again`() throws {
        try folder.write("", to: "tls")
        let certificate = own()
        certificate.refresh()
        #expect(certificate.context == nil)
        #expect(codes(certificate, at: .now) == ["server-certificate-refused"])
        try FileManager.default.removeItem(atPath: folder.appending("tls"))
        certificate.refresh()
        #expect(certificate.context != nil && certificate.checks().isEmpty)
    }

    private func given(_ days: Int, _ name: String = "till.example") async throws {
        let made = try await ChildProcess.run(
            try InstalledProgram.path("openssl", package: "openssl"),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "\(days)",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)", "-keyout", folder.appending("key"),
                "-out", folder.appending("cert"),
            ])
        #expect(made.end.isSuccess, "\(made.standardError)")
    }

    private func givenCertificate() -> ServerCertificate {
        ServerCertificate(
            .given(certificate: folder.appending("cert"), key: folder.appending("key")), logger: Logger(label: "test"))
    }

    @Test func `a given one is read again when its file changes, and kept while the new one is no good`() async throws {
        try await given(90)
        let certificate = givenCertificate()
        certificate.refresh()
        let first = try #require(certificate.certificate)
        let context = try #require(certificate.context)
        certificate.refresh()
        // Clients go on with their sessions.
        #expect(certificate.context === context)
        try folder.write("-----BEGIN CERTIFICATE-----\ndamaged", to: "cert")
        certificate.refresh()
        #expect(certificate.certificate == first && certificate.context === context)
        #expect(codes(certificate, at: .now) == ["server-certificate-refused"])
        try await given(90, "other.example")
        certificate.refresh()
        #expect(certificate.certificate?.names == ["other.example"])
        #expect(certificate.checks().isEmpty)
    }

    @Test func `health warns 21 days before a given one ends, and is critical after it`() async throws {
        try await given(90)
        let certificate = givenCertificate()
        certificate.refresh()
        let end = try #require(certificate.certificate).notAfter
        #expect(codes(certificate, at: end.advanced(bySeconds: -22 * Self.day)) == [])
        #expect(codes(certificate, at: end.advanced(bySeconds: -20 * Self.day)) == ["server-certificate-expires"])
        #expect(codes(certificate, at: end.advanced(bySeconds: 1)) == ["server-certificate-expired"])
        #expect(certificate.checks(at: end.advanced(bySeconds: 1)).map(\.status) == [.critical])
    }
}
