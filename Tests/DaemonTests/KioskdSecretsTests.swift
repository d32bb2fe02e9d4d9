import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// A secret stands in the secrets file and nowhere else, whatever is done with it.
@Suite struct KioskdSecretsTests {
    private static let password = "PASSWORD-7f3aa91c"
    private static let passphrase = "PASSPHRASE-52be08d4"
    private static let key = "PRIVATEKEY-0d6a17fe"
    private static let slip = "SLIPPED-c04e66b2"

    private static let secrets = """
        office: { user: kiosk, password: \(password) }
        gateway:
          client-certificate: gateway.p12
          passphrase: \(passphrase)
        host: { private-key: id, passphrase: \(passphrase), password: \(password) }
        slipped: { \(slip): kiosk, user: \(slip), password: [\(slip)] }
        """

    /// Every way in which they might be written.
    private static let markers = [
        password, passphrase, key, slip, Data("kiosk:\(password)".utf8).base64EncodedString(),
    ]

    private static func registry(_ printer: String, refusing: String) throws -> String {
        let port = try freePort()
        return """
            version: 1
            printers:
              - { id: till-1, url: "\(printer)", credentials: office, login-without-tls: true }
              - { id: till-2, url: "ipps://localhost:\(port)/ipp/print", credentials: gateway, trust: ask }
              - { id: till-3, url: "ipp://localhost:\(port)/ipp/print", credentials: slipped, login-without-tls: true }
              - { id: till-4, url: "\(printer)", credentials: missing }
              - { id: till-5, url: "\(refusing)", credentials: office }
              - { id: till-7, url: "ssh+lpr://till@localhost:\(port)/till", credentials: host, trust: none }
            roles:
              receipt: { printers: [till-5, till-2, till-3, till-1] }
            """
    }

    /// With a printer that takes the login, and one that refuses it.
    private func daemon(_ folder: TemporaryFolder, _ gateways: Gateways) async throws -> KioskdFixture {
        for (name, text) in [
            ("secrets.yaml", Self.secrets), ("gateway.p12", "no PKCS#12 at all"), ("id", "no key at all: \(Self.key)"),
        ] {
            #expect(chmod(try folder.write(text, to: name), 0o600) == 0)
        }
        return try await KioskdFixture(
            folder: folder, registry: Self.registry(gateways.open.uri, refusing: gateways.closed.uri),
            arguments: ["--log-level", "trace"])
    }

    /// nginx before a printer: one knows the password, the other wants another one.
    private struct Gateways {
        let printer: SimulatedPrinter
        let open: NginxGateway
        let closed: NginxGateway

        init() async throws {
            printer = try await SimulatedPrinter.start()
            open = try await NginxGateway(.init(login: TestLogin("kiosk", password)), upstreamPort: printer.port)
            closed = try await NginxGateway(.init(login: TestLogin("kiosk", "another")), upstreamPort: printer.port)
        }
    }

    /// All that the daemon and the command line say when they are asked for everything.
    private func everythingSaid(_ daemon: KioskdFixture) async throws -> String {
        var said = ""
        for id in [1, 2, 3, 4, 5, 7] {
            for path in ["", "/certificate"] { said += try await daemon.curl("/v1/printers/till-\(id)\(path)").text }
            said += try await daemon.curl("/v1/printers/till-\(id)/contact", ["-X", "POST"]).text
            let key = "sha256:" + String(repeating: "00", count: 32)
            said += try await daemon.curlJSON(
                "POST", "/v1/printers/till-\(id)/trust", #"{"key-fingerprint":"\#(key)"}"#
            ).text
            for command in ["show", "contact", "trust"] {
                let result = try await daemon.kioskctl("printers", command, "till-\(id)")
                said += result.standardOutput + result.standardError
            }
        }
        said += try await daemon.submit("TEA", "role=receipt&wait=5").text
        said += try await daemon.submit("TEA", "printer=till-2").text
        said += try await daemon.curlJSON(
            "PUT", "/v1/printers/till-6", #"{"url":"usb://A/B","credentials":"office","trust":"none"}"#
        ).text
        for path in ["/v1/printers", "/v1/jobs", "/v1/health", "/v1/roles"] { said += try await daemon.curl(path).text }
        for arguments in [["printers", "list"], ["health"], ["health", "--json"], ["jobs"]] {
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": daemon.socket])
            said += result.standardOutput + result.standardError
        }
        return said
    }

    private func expectNoMarker(in text: some Sequence<UInt8>, _ place: String) {
        let text = String(decoding: Array(text), as: UTF8.self)
        for marker in Self.markers { #expect(!text.contains(marker), "\(marker) stands in \(place)") }
    }

    @Test func `no secret shows in a response, an event, a log, a process or a file`() async throws {
        let folder = try TemporaryFolder("secrets")
        let gateways = try await Gateways()
        let daemon = try await daemon(folder, gateways)
        let watcher = try ChildProcess(
            try BuiltProducts.path("kioskctl"), ["watch", "--json", "--after", "0"],
            environment: ["KIOSKD_SOCKET": daemon.socket])
        let said = try await everythingSaid(daemon)
        // The credentials were looked at and sent, or this proves nothing.
        #expect(said.contains("secrets.yaml:6:"))
        #expect(said.contains("login-refused"))
        #expect(try gateways.open.requests().contains { $0.status == 200 })
        #expect(
            said.contains("there are no credentials \\\"missing\\\"")
                || said.contains("there are no credentials \"missing\""))
        expectNoMarker(in: said.utf8, "what was said")
        for process in [try daemon.process.processID, watcher.processID] {
            for file in ["cmdline", "environ"] { expectNoMarker(in: try readFile("/proc/\(process)/\(file)"), file) }
        }
        try await daemon.terminate()
        expectNoMarker(in: watcher.standardOutput.utf8, "the events")
        expectNoMarker(in: watcher.standardError.utf8, "the watcher's errors")
        expectNoMarker(in: daemon.log.utf8, "the log")
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        let files = names.filter { name in
            var isFolder: ObjCBool = false
            return !["secrets.yaml", "id"].contains(name)
                && FileManager.default.fileExists(atPath: folder.appending(name), isDirectory: &isFolder)
                && !isFolder.boolValue && !name.hasSuffix(".sock")
        }
        #expect(files.contains { $0.hasPrefix("queue.sqlite") })
        for name in files { expectNoMarker(in: try readFile(folder.appending(name)), name) }
    }

    @Test func `a secrets file that others can read is refused with what to do, and mending it is enough`() async throws
    {
        let folder = try TemporaryFolder("secrets")
        let gateways = try await Gateways()
        let daemon = try await daemon(folder, gateways)
        #expect(chmod(folder.appending("secrets.yaml"), 0o644) == 0)
        func check() async throws -> HealthReport.Check? {
            try await daemon.curl("/v1/health").json(HealthReport.self).checks.first {
                $0.code == "credentials-unusable" && $0.subject == "till-5"
            }
        }
        let message = try #require(try await check()?.message)
        #expect(message.contains("run: chmod 600 \(folder.appending("secrets.yaml"))"))
        // Mended at once, nothing would have changed.
        try await eventually("the daemon to see it") { daemon.log.contains("secrets.yaml changed") }
        #expect(chmod(folder.appending("secrets.yaml"), 0o600) == 0)
        try await eventually("the printer to be asked again") { try await check() == nil }
        let result = try await ChildProcess.run(
            try BuiltProducts.path("kioskd"), ["--state-dir", folder.path, "--check"])
        #expect(result.end == .exited(78))
        #expect(result.standardOutput.contains("there are no credentials \"missing\""))
        #expect(result.standardOutput.contains("the private key \(folder.appending("id")) holds no private key"))
        expectNoMarker(in: result.standardOutput.utf8, "the check")
    }

    @Test func `the service manager's credentials log in, and come before the file's`() async throws {
        let printer = try await SimulatedPrinter.start()
        let gateway = try await NginxGateway(
            .init(login: TestLogin("kiosk", Self.password)), upstreamPort: printer.port)
        let (folder, managed) = (try TemporaryFolder("secrets"), try TemporaryFolder("managed"))
        #expect(chmod(try folder.write("office: { user: kiosk, password: another }", to: "secrets.yaml"), 0o600) == 0)
        #expect(chmod(try managed.write("user: kiosk\npassword: \(Self.password)\n", to: "office"), 0o400) == 0)
        let daemon = try await KioskdFixture(
            folder: folder,
            registry: """
                version: 1
                printers: [{ id: till-1, url: "\(gateway.uri)", credentials: office }]
                roles: { receipt: { printers: [till-1] } }
                """, environment: ["CREDENTIALS_DIRECTORY": managed.path])
        #expect(try await daemon.submit("TEA", "role=receipt&wait=300").json(Job.self).state == .completed)
        #expect(try gateway.requests().allSatisfy { $0.status != 401 || $0.user != "kiosk" })
        expectNoMarker(in: daemon.log.utf8, "the log")
    }

    /// The printer's role is its id.
    private static func registry(digest: String, secure: String, _ authority: String) -> String {
        """
        version: 1
        printers:
          - { id: digest, url: "\(digest)", credentials: office }
          - { id: gate, url: "\(secure)", credentials: gateway, trust: "ca:\(authority)" }
        roles:
          digest: { printers: [digest], job-type: receipt }
          gate: { printers: [gate], job-type: receipt }
        """
    }

    @Test func `no secret shows where a Digest login and a client certificate work`() async throws {
        let printer = try await SimulatedPrinter.start()
        let authority = try await TestAuthority()
        let bundle = try await authority.issue(.init("kiosk", purpose: .client)).pkcs12(passphrase: Self.passphrase)
        let digest = try await LighttpdGateway(
            .init(.both, login: TestLogin("kiosk", Self.password)), upstreamPort: printer.port)
        let gate = try await NginxGateway(
            .init(certificate: try await authority.issue(.localhost), clientAuthority: authority.root),
            upstreamPort: printer.port)
        let folder = try TemporaryFolder("secrets")
        let secrets = """
            office: { user: kiosk, password: \(Self.password) }
            gateway: { client-certificate: \(bundle), passphrase: \(Self.passphrase) }
            """
        #expect(chmod(try folder.write(secrets, to: "secrets.yaml"), 0o600) == 0)
        let daemon = try await KioskdFixture(
            folder: folder, registry: Self.registry(digest: digest.uri, secure: gate.secureURI, authority.root),
            arguments: ["--log-level", "trace"])
        var said = ""
        for role in ["digest", "gate"] {
            let response = try await daemon.submit("TEA", "role=\(role)&wait=300")
            #expect(try response.json(Job.self).state == .completed, "\(response.text)")
            said += response.text
        }
        for path in ["/v1/printers", "/v1/health", "/v1/jobs"] { said += try await daemon.curl(path).text }
        // It writes its notes down now and then.
        try await eventually("the login in the gateway's notes") {
            try digest.requests().contains { $0.contains("kiosk") }
        }
        #expect(try await gate.requests(atLeast: 1).last?.clientVerification == "SUCCESS")
        try await daemon.terminate()
        expectNoMarker(in: said.utf8, "what was said")
        expectNoMarker(in: daemon.log.utf8, "the log")
        for name in try folder.names() where name.hasPrefix("queue") {
            expectNoMarker(in: try readFile(folder.appending(name)), name)
        }
    }
}
