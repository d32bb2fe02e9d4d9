import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Printers with certificates and logins, from the till's command to the paper: nginx stands before the printer, as
/// print-release gateways do.
@Suite struct KioskdTrustTests {
    private static let certificates = Certificates()

    /// One authority and two certificates of it for all tests.
    private actor Certificates {
        private var made: (authority: TestAuthority, old: TestCertificate, new: TestCertificate)?

        func all() async throws -> (authority: TestAuthority, old: TestCertificate, new: TestCertificate) {
            if let made { return made }
            let authority = try await TestAuthority()
            let made = (authority, try await authority.issue(.localhost), try await authority.issue(.localhost))
            self.made = made
            return made
        }
    }

    private func registry(_ gateway: NginxGateway, _ more: String) -> String {
        """
        version: 1
        printers:
          # The gateway's printer.
          - { id: till-1, url: "\(gateway.secureURI)", \(more) }
        roles:
          receipt: { printers: [till-1] }
        """
    }

    private func check(_ code: String, _ daemon: KioskdFixture) async throws -> HealthReport.Check? {
        try await daemon.curl("/v1/health").json(HealthReport.self).checks.first { $0.code == code }
    }

    private func settled(_ job: Job, _ daemon: KioskdFixture) async throws -> Job {
        try await daemon.curl("/v1/jobs/\(job.id)?wait=300").json(Job.self)
    }

    @Test func `a job waits for a person to accept the certificate, then prints with no further hand`() async throws {
        let printer = try await SimulatedPrinter.start()
        let made = try await Self.certificates.all()
        let gateway = try await NginxGateway(.init(certificate: made.old), upstreamPort: printer.port)
        let daemon = try await KioskdFixture(registry: registry(gateway, "trust: ask"))
        let job = try await daemon.submit("TEA").json(Job.self)
        try await eventually("the certificate to be seen") {
            try await check("certificate-not-accepted", daemon) != nil
        }
        #expect(try gateway.requests().isEmpty)
        let shown = try await daemon.curl("/v1/printers/till-1/certificate").json(PrinterTrust.self)
        #expect(shown.certificate?.keyFingerprint.description == "sha256:\(made.old.keyFingerprint)")
        #expect(shown.certificate?.fingerprint.description == "sha256:\(made.old.fingerprint)")
        #expect(!shown.isTrusted)
        let wrong = try await daemon.curlJSON(
            "POST", "/v1/printers/till-1/trust", #"{"key-fingerprint":"sha256:\#(made.new.keyFingerprint)"}"#)
        #expect(wrong.status == 409)
        #expect(try wrong.json(Problem.self).code == .certificateMismatch)
        let trusted = try await daemon.kioskctl(
            "printers", "trust", "till-1", "--yes", "--fingerprint", made.old.keyFingerprint)
        #expect(trusted.end.isSuccess, "\(trusted.standardError)")
        #expect(try await settled(job, daemon).state == .completed)
        let file = String(decoding: try readFile(daemon.registryPath), as: UTF8.self)
        #expect(file == registry(gateway, "trust: sha256:\(made.old.keyFingerprint)"))
        #expect(try await check("certificate-not-accepted", daemon) == nil)
    }

    @Test func `a certificate that a reload swapped gets nothing, is critical, and prints once it is accepted`()
        async throws
    {
        let printer = try await SimulatedPrinter.start()
        let made = try await Self.certificates.all()
        var options = NginxGateway.Options(certificate: made.old)
        options.hasMaster = true
        let gateway = try await NginxGateway(options, upstreamPort: printer.port)
        let daemon = try await KioskdFixture(
            registry: registry(gateway, "trust: \"sha256:\(made.old.keyFingerprint)\""))
        #expect(try await daemon.submit("TEA", "role=receipt&wait=300").json(Job.self).state == .completed)
        // The gateway never was away, and sessions that it keeps outlive this.
        options.certificate = made.new
        try await gateway.reload(options)
        let before = try gateway.requests().count
        let job = try await daemon.submit("MILK").json(Job.self)
        try await eventually("the change to be seen") { try await check("certificate-changed", daemon) != nil }
        let found = try #require(try await check("certificate-changed", daemon))
        #expect(found.status == .critical)
        for key in [made.old.keyFingerprint, made.new.keyFingerprint] {
            #expect(
                found.message.replacingOccurrences(of: ":", with: "").lowercased().contains(key), "\(found.message)")
        }
        #expect(try gateway.requests().count == before)
        #expect(try await daemon.curl("/v1/jobs/\(job.id)").json(Job.self).state == .pending)
        let status = try await daemon.curl("/v1/printers/till-1").json(PrinterStatus.self)
        #expect(status.availability.reasons.map(\.keyword) == ["certificate-changed"])
        let seen = try await daemon.kioskctl("printers", "trust", "till-1")
        #expect(seen.standardOutput.contains("old key's SHA-256"))
        let trusted = try await daemon.kioskctl(
            "printers", "trust", "till-1", "--yes", "--fingerprint", made.new.fingerprint)
        #expect(trusted.end.isSuccess, "\(trusted.standardError)")
        #expect(try await settled(job, daemon).state == .completed)
    }

    @Test func `a mended password prints what waited, with no further hand`() async throws {
        let printer = try await SimulatedPrinter.start()
        let made = try await Self.certificates.all()
        let login = TestLogin("kiosk", "right-0b5d")
        let gateway = try await NginxGateway(.init(certificate: made.old, login: login), upstreamPort: printer.port)
        let folder = try TemporaryFolder("trust")
        let secrets = try folder.write("office: { user: kiosk, password: wrong-7c1e }", to: "secrets.yaml")
        #expect(chmod(secrets, 0o600) == 0)
        let daemon = try await KioskdFixture(
            folder: folder, registry: registry(gateway, "credentials: office, trust: \"ca:\(made.authority.root)\""))
        let job = try await daemon.submit("TEA").json(Job.self)
        try await eventually("the refusal to be seen") { try await check("login-refused", daemon) != nil }
        try folder.write("office: { user: kiosk, password: right-0b5d }", to: "secrets.yaml")
        #expect(try await settled(job, daemon).state == .completed)
        #expect(try await check("login-refused", daemon) == nil)
        for secret in ["right-0b5d", "wrong-7c1e", Data("kiosk:wrong-7c1e".utf8).base64EncodedString()] {
            #expect(!daemon.log.contains(secret))
        }
    }

    @Test func `a client certificate opens the gateway, and a wrong passphrase says so until it is mended`()
        async throws
    {
        let printer = try await SimulatedPrinter.start()
        let made = try await Self.certificates.all()
        let client = try await made.authority.issue(.init("kiosk", purpose: .client))
        let bundle = try await client.pkcs12(passphrase: "right-4f19")
        let gateway = try await NginxGateway(
            .init(certificate: made.old, clientAuthority: made.authority.root), upstreamPort: printer.port)
        let folder = try TemporaryFolder("trust")
        func secrets(_ passphrase: String) -> String {
            "gate: { client-certificate: \(bundle), passphrase: \(passphrase) }"
        }
        #expect(chmod(try folder.write(secrets("wrong-5a7c"), to: "secrets.yaml"), 0o600) == 0)
        let daemon = try await KioskdFixture(
            folder: folder, registry: registry(gateway, "credentials: gate, trust: \"ca:\(made.authority.root)\""))
        let job = try await daemon.submit("TEA").json(Job.self)
        try await eventually("the passphrase to be refused") { try await check("credentials-unusable", daemon) != nil }
        #expect(try gateway.requests().isEmpty)
        try folder.write(secrets("right-4f19"), to: "secrets.yaml")
        #expect(try await settled(job, daemon).state == .completed)
        #expect(try await gateway.requests(atLeast: 1).last?.clientVerification == "SUCCESS")
        #expect(!daemon.log.contains("wrong-5a7c"))
    }
}
