import Foundation
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// TLS and logins of the simulated printer, tested with curl and ipptool, two independent clients.
@Suite struct SimulatedPrinterSecurityTests {
    private static let attributesTest = "get-printer-attributes.test"

    private func withPrinter(
        _ options: SimulatedPrinter.Options, _ body: (SimulatedPrinter) async throws -> Void
    ) async throws {
        let printer = try await SimulatedPrinter.start(options)
        try await body(printer)
        try await printer.stop()
    }

    private static func serving(tls: PrinterTLSOptions? = nil, login: PrinterLogin? = nil) -> SimulatedPrinter.Options {
        var options = SimulatedPrinter.Options(.receipt)
        options.tls = tls
        options.login = login
        return options
    }

    /// The status of a POST without an IPP message, which is 400 once it is let in; nil where there is no response.
    private func post(_ printer: SimulatedPrinter, _ arguments: String...) async throws -> Int? {
        let curl = try InstalledProgram.path("curl", package: "curl")
        let url = printer.uri.replacingOccurrences(of: "ipp", with: "http", options: .anchored)
        let result = try await ChildProcess.run(
            curl,
            [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Content-Type: application/ipp", "--data-binary",
                "x",
            ]
                + arguments + [url])
        return Int(result.standardOutput).flatMap { $0 == 0 ? nil : $0 }
    }

    private func login(_ scheme: PrinterLogin.Scheme) -> PrinterLogin {
        PrinterLogin(scheme, user: "till", password: Secret("secret"))
    }

    @Test(arguments: [
        (PrinterLogin.Scheme.basic, ["--basic"]), (.digest, ["--digest"]), (.digestMD5, ["--digest"]),
        (.digest, ["--anyauth"]),
    ])
    func `lets in who logs in, and nobody else`(scheme: PrinterLogin.Scheme, option: [String]) async throws {
        try await withPrinter(Self.serving(login: login(scheme))) { printer async throws in
            #expect(try await post(printer, option[0], "-u", "till:secret") == 400)
            #expect(try await post(printer, option[0], "-u", "till:wrong") == 401)
            #expect(try await post(printer, option[0], "-u", "other:secret") == 401)
            #expect(try await post(printer) == 401)
            #expect(try await post(printer, "-H", "Expect: 100-continue") == 401)
        }
    }

    @Test(arguments: [PrinterLogin.Scheme.basic, .digest]) func `a job belongs to who logged in`(
        scheme: PrinterLogin.Scheme
    ) async throws {
        try await withPrinter(Self.serving(login: login(scheme))) { printer in
            let folder = try TemporaryFolder()
            let file = try folder.write("page\n", to: "page.txt")
            let uri = printer.uri.replacingOccurrences(of: "://", with: "://till:secret@")
            let result = try await Ipptool.run("print-job.test", on: uri, file: file)
            #expect(result.end.isSuccess, "\(result.standardOutput)\(result.standardError)")
            #expect(try await printer.jobs.map(\.user) == ["till"])
        }
    }

    @Test func `a nonce that is over is renewed without asking for the password`() async throws {
        var login = login(.digest)
        login.nonceLifetime = .zero
        try await withPrinter(Self.serving(login: login)) { printer in
            let folder = try TemporaryFolder()
            let heads = folder.appending("heads")
            #expect(try await post(printer, "--digest", "-u", "till:secret", "-D", heads) == 401)
            #expect(String(decoding: try readFile(heads), as: UTF8.self).contains("stale=true"))
        }
    }

    @Test func `makes its own certificate and shows it`() async throws {
        try await withPrinter(Self.serving(tls: PrinterTLSOptions())) { printer in
            let certificate = try #require(try await printer.certificate)
            #expect(printer.uri.hasPrefix("ipps://localhost:"))
            #expect(certificate.isSelfSigned)
            #expect(Set(certificate.names).isSuperset(of: ["localhost", "127.0.0.1"]))
            #expect(certificate.key == "EC P-256")
            let pin = try pin(certificate)
            #expect(try await post(printer, "--insecure", "--pinnedpubkey", pin) == 400)
            try await printer.perform(.newCertificate)
            #expect(try await printer.certificate?.keyFingerprint != certificate.keyFingerprint)
            #expect(try await post(printer, "--insecure", "--pinnedpubkey", pin) == nil)
        }
    }

    /// curl's spelling.
    private func pin(_ certificate: Certificate) throws -> String {
        "sha256//\(Data(certificate.keyFingerprint.octets).base64EncodedString())"
    }

    @Test func `keeps its key across restarts, unread by others`() async throws {
        let folder = try TemporaryFolder()
        var options = Self.serving(tls: PrinterTLSOptions())
        options.folder = folder.path
        var keys: [Fingerprint?] = []
        for _ in 0..<2 {
            try await withPrinter(options) { keys.append(try await $0.certificate?.keyFingerprint) }
        }
        #expect(keys[0] != nil && keys[0] == keys[1])
        #expect(try folder.names() == ["printer-certificate.pem"])
        let mode = try FileManager.default.attributesOfItem(atPath: folder.appending("printer-certificate.pem"))[
            .posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `serves a given certificate, and only clients of a given authority`() async throws {
        let authority = try await TestAuthority()
        let (server, client) = (try await authority.issue(), try await authority.issue(.init("till", purpose: .client)))
        let stranger = try await TestAuthority("Other").issue(.init("till", purpose: .client))
        var tls = PrinterTLSOptions()
        tls.certificate = Credentials.ClientCertificate(path: server.chain, keyPath: server.key)
        tls.clientCAFile = authority.root
        try await withPrinter(Self.serving(tls: tls)) { printer async throws in
            #expect(
                try await post(printer, "--cacert", authority.root, "--cert", client.chain, "--key", client.key) == 400)
            #expect(
                try await post(printer, "--cacert", authority.root, "--cert", stranger.chain, "--key", stranger.key)
                    == nil)
            #expect(try await post(printer, "--cacert", authority.root) == nil)
        }
    }

    @Test func `serves a certificate out of PKCS#12`() async throws {
        let authority = try await TestAuthority()
        let bundle = try await authority.issue().pkcs12(passphrase: "open sesame")
        var tls = PrinterTLSOptions()
        tls.certificate = Credentials.ClientCertificate(path: bundle, passphrase: Secret("open sesame"))
        try await withPrinter(Self.serving(tls: tls)) { printer async throws in
            #expect(try await post(printer, "--cacert", authority.root) == 400)
        }
        tls.certificate?.passphrase = Secret("wrong")
        let error = await #expect(throws: SimulatedPrinterError.self) {
            _ = try await SimulatedPrinter.start(Self.serving(tls: tls))
        }
        #expect(error?.description.contains(bundle) == true)
    }

    @Test func `a certificate that cannot be read is named`() async throws {
        var tls = PrinterTLSOptions()
        tls.certificate = Credentials.ClientCertificate(path: "/nowhere/printer.pem")
        let error = await #expect(throws: SimulatedPrinterError.self) {
            _ = try await SimulatedPrinter.start(Self.serving(tls: tls))
        }
        #expect(error?.description.contains("/nowhere/printer.pem") == true)
    }

    @Test func `serves nobody without TLS where clients have to upgrade`() async throws {
        var tls = PrinterTLSOptions()
        tls.byUpgrade = true
        try await withPrinter(Self.serving(tls: tls)) { printer in
            #expect(printer.uri.hasPrefix("ipp://"))
            #expect(try await post(printer) == 426)
            #expect(try await post(printer, "-H", "Connection: Upgrade", "-H", "Upgrade: TLS/1.2") == 426)
            for options in [["-t"], ["-t", "-E"]] {
                let result = try await Ipptool.run(Self.attributesTest, on: printer.uri, options: options)
                #expect(result.standardOutput.contains("[PASS]"), "\(result.standardOutput)\(result.standardError)")
            }
        }
    }

    @Test(
        arguments: [
            (nil, nil, "requesting-user-name", "none"), (PrinterTLSOptions(), nil, "requesting-user-name", "tls"),
            (nil, PrinterLogin.Scheme.basic, "basic", "none"), (PrinterTLSOptions(), .digest, "digest", "tls"),
        ] as [(PrinterTLSOptions?, PrinterLogin.Scheme?, String, String)])
    func `says truly how it is secured`(
        tls: PrinterTLSOptions?, scheme: PrinterLogin.Scheme?, authentication: String, security: String
    ) async throws {
        try await withPrinter(Self.serving(tls: tls, login: scheme.map(login))) { printer in
            let uri = scheme == nil ? printer.uri : printer.uri.replacingOccurrences(of: "://", with: "://till:secret@")
            let result = try await Ipptool.run(Self.attributesTest, on: uri, options: ["-tv"])
            #expect(result.standardOutput.contains("uri-authentication-supported (keyword) = \(authentication)\n"))
            #expect(result.standardOutput.contains("uri-security-supported (keyword) = \(security)\n"))
            #expect(result.standardOutput.contains("printer-uri-supported (uri) = \(printer.uri)\n"))
        }
    }

    @Test func `breaks connections without a goodbye, with TLS too`() async throws {
        try await withPrinter(Self.serving(tls: PrinterTLSOptions())) { printer in
            let tool = try InstalledProgram.path("openssl", package: "openssl")
            let client = try ChildProcess(tool, ["s_client", "-connect", "localhost:\(printer.port)", "-quiet"])
            try await eventually { try await printer.connectionCount == 1 }
            try await printer.perform(.dropConnections)
            let end = try await client.wait()
            #expect(end != .exited(0))
        }
    }

    @Test func `what is not TLS harms nothing`() async throws {
        try await withPrinter(Self.serving(tls: PrinterTLSOptions())) { printer in
            let curl = try InstalledProgram.path("curl", package: "curl")
            for _ in 0..<3 {
                let result = try await ChildProcess.run(curl, ["-s", "http://localhost:\(printer.port)/"])
                #expect(!result.end.isSuccess)
            }
            #expect(try await post(printer, "--insecure") == 400)
            try await eventually { try await printer.connectionCount == 0 }
        }
    }
}
