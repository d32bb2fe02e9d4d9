import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// The registry, changed through the API, the command line and by hand, while the daemon runs.
@Suite struct KioskdRegistryTests {
    @Test func `a printer that is saved and assigned by the command line prints the next receipt`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture()
        for arguments in [["printers", "add", "till-1", printer.uri], ["roles", "assign", "receipt", "till-1"]] {
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), arguments, environment: ["KIOSKD_SOCKET": daemon.socket])
            #expect(result.end.isSuccess, "\(result.standardError)")
        }
        #expect(try await daemon.submit("TEA", "role=receipt&wait=300").json(Job.self).state == .completed)
    }

    @Test func `PUT creates, replaces and is in force at once; DELETE takes away`() async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture()
        let body = #"{"url":"\#(printer.uri)","location":"Bar"}"#
        #expect(try await daemon.curlJSON("PUT", "/v1/printers/bar-1", body).status == 201)
        #expect(try await daemon.curlJSON("PUT", "/v1/printers/bar-1", body).status == 200)
        #expect(try await daemon.curlJSON("PUT", "/v1/roles/receipt", #"{"printers":["bar-1"]}"#).status == 201)
        #expect(try await daemon.submit("TEA", "role=receipt&wait=300").status == 200)
        let role = try await daemon.curl("/v1/roles/receipt").json(Role.self)
        #expect(role.jobType == .receipt)
        #expect(
            try await daemon.curl("/v1/printers/bar-1").json(PrinterStatus.self).roles.map(\.rawValue) == ["receipt"])
        #expect(try await daemon.curl("/v1/roles/receipt", ["-X", "DELETE"]).status == 204)
        #expect(try await daemon.curl("/v1/printers/bar-1", ["-X", "DELETE"]).status == 204)
        #expect(try await daemon.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
    }

    @Test
    func `saving a printer anew at its URL keeps its trust and login, and weakening them takes words and is logged`()
        async throws
    {
        let daemon = try await KioskdFixture()
        let pin = "sha256:" + String(repeating: "ab", count: 32)
        func save(_ more: String, host: String = "h") async throws -> SavedPrinter {
            try await daemon.curlJSON("PUT", "/v1/printers/p", #"{"url":"ipps://\#(host)/"\#(more)}"#).json(
                PrinterStatus.self
            ).printer
        }
        var saved = try await save(#","trust":"\#(pin)","credentials":"office","login-without-tls":true"#)
        #expect(saved.trust?.description == pin)
        saved = try await save(#","name":"Hall""#)
        #expect(saved.trust?.description == pin)
        #expect(saved.credentials == "office")
        #expect(saved.name == "Hall")
        #expect(saved.allowsPlainLogin == nil)
        #expect(try await save("", host: "other").trust == nil)
        saved = try await save(#","trust":"none","credentials":"office""#)
        #expect(try await save(#","credentials":null"#).credentials == nil)
        #expect(try await save(#","trust":"system""#).trust == .system)
        for words in ["from system to \(pin)", "from \(pin) to system", "from system to none", "from none to system"] {
            try await eventually("\(words) in the log") {
                daemon.log.contains("uid:\(geteuid()) changed the trust of p (ipps://") && daemon.log.contains(words)
            }
        }
    }

    @Test func `a printer on USB has no certificate to trust`() async throws {
        let daemon = try await KioskdFixture(printers: ["usb://Vendor/Model"])
        let shown = try await daemon.curl("/v1/printers/till-1/certificate").json(PrinterTrust.self)
        #expect(shown.certificate == nil && shown.hostKey == nil && !shown.isTrusted)
    }

    @Test func `printers are filtered by role, job type and availability`() async throws {
        let receipt = try await SimulatedPrinter.start()
        let laser = try await SimulatedPrinter.start(.init(.laser))
        let daemon = try await KioskdFixture(
            printers: [receipt.uri, laser.uri, "ipp://localhost:\(try freePort())/ipp/print"],
            more: "  page:\n    printers: [till-3, till-2]\n")
        for id in ["till-1", "till-2", "till-3"] {
            _ = try await daemon.curl("/v1/printers/\(id)/contact", ["-X", "POST"])
        }
        func ids(_ query: String) async throws -> [String] {
            try await daemon.curl("/v1/printers?\(query)").json(PrinterList.self).printers.map(\.printer.id.rawValue)
        }
        #expect(try await ids("") == ["till-1", "till-2", "till-3"])
        #expect(try await ids("role=page") == ["till-3", "till-2"])
        #expect(try await ids("job-type=receipt") == ["till-1"])
        #expect(try await ids("available=true") == ["till-1", "till-2"])
        #expect(try await ids("available=false&role=page") == ["till-3"])
    }

    enum Nudge: String, CaseIterable { case signal, request, none }

    @Test(arguments: Nudge.allCases)
    func `an edit by hand comes into force; a broken one shows in health, and the last good one stays`(
        nudge: Nudge
    ) async throws {
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(printers: ["ipp://localhost:\(try freePort())/ipp/print"])
        func edit(_ text: String) async throws {
            try daemon.folder.write(text, to: "printers.yaml.new")
            #expect(rename(daemon.folder.appending("printers.yaml.new"), daemon.registryPath) == 0)
            switch nudge {
            case .signal: try daemon.process.signal(SIGHUP)
            case .request: _ = try await daemon.curl("/v1/registry/reload", ["-X", "POST"])
            case .none: break
            }
        }
        try await edit(KioskdFixture.registry([printer.uri], role: "kitchen"))
        try await eventually("the new role") { try await daemon.curl("/v1/roles/kitchen").status == 200 }

        try await edit("version: 1\nprinters:\n  - { id: till-1, ulr: nowhere }\n")
        try await eventually("the problem in health") {
            try await daemon.curl("/v1/health").json(HealthReport.self).checks.contains { check in
                check.code == "registry-refused" && check.message.contains("printers.yaml:3:")
            }
        }
        #expect(try await daemon.submit("TEA", "role=kitchen&wait=300").json(Job.self).state == .completed)
        if nudge == .request {
            let refused = try await daemon.curl("/v1/registry/reload", ["-X", "POST"])
            #expect(refused.status == 422)
            #expect(try refused.json(Problem.self).problems?.first?.line == 3)
        }
        try await edit(KioskdFixture.registry([printer.uri]))
        try await eventually("health without it") {
            try await !daemon.curl("/v1/health").json(HealthReport.self).checks.contains {
                $0.code == "registry-refused"
            }
        }
    }

    @Test func `a registry that is broken from the start lets the daemon live, and tells where`() async throws {
        let daemon = try await KioskdFixture(registry: "printers: [\n")
        let health = try await daemon.curl("/v1/health").json(HealthReport.self)
        #expect(health.checks.contains { $0.code == "registry-refused" && $0.message.contains("printers.yaml:") })
        let change = try await daemon.curlJSON("PUT", "/v1/printers/till-1", #"{"url":"ipp://host/ipp/print"}"#)
        #expect(change.status == 422)
        #expect(try readFile(daemon.registryPath) == Array("printers: [\n".utf8))
    }

    @Test func `--check says whether a registry is valid`() async throws {
        let folder = try TemporaryFolder()
        let program = try BuiltProducts.path("kioskd")
        let good = try folder.write(KioskdFixture.registry(["ipp://host/ipp/print"]), to: "good.yaml")
        let valid = try await ChildProcess.run(program, ["--check", "--registry", good, "--state-dir", folder.path])
        #expect(valid.end == .exited(0))
        #expect(valid.standardOutput.contains("1 printer"))
        let bad = try folder.write("version: 1\nprintres: []\n", to: "bad.yaml")
        let broken = try await ChildProcess.run(program, ["--check", "--registry", bad, "--state-dir", folder.path])
        #expect(broken.end == .exited(78))
        #expect(broken.standardOutput.contains("bad.yaml:2:1"))
        let missing = try await ChildProcess.run(
            program, ["--check", "--registry", "/nonexistent/x.yaml", "--state-dir", folder.path])
        #expect(missing.end == .exited(78))
    }

    @Test func `--check looks at the certificate that the API would show`() async throws {
        let folder = try TemporaryFolder()
        let registry = try folder.write("version: 1\n", to: "printers.yaml")
        let authority = try await TestAuthority()
        let good = try await authority.issue()
        let other = try await authority.issue()
        let expired = try await authority.issue(.init("localhost", names: ["localhost"], validity: .expired))
        func check(_ certificate: String, _ key: String) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                try BuiltProducts.path("kioskd"),
                [
                    "--check", "--registry", registry, "--state-dir", folder.path, "--listen", "0.0.0.0",
                    "--tls-certificate", certificate, "--tls-key", key,
                ])
        }
        let fine = try await check(good.certificate, good.key)
        #expect(fine.end == .exited(0), "\(fine.standardOutput)")
        for (certificate, key, reason) in [
            (good.certificate, other.key, "does not belong"), (expired.certificate, expired.key, "expired on"),
            ("/nonexistent.pem", good.key, "/nonexistent.pem"), (good.certificate, registry, "holds no private key"),
        ] {
            let result = try await check(certificate, key)
            #expect(result.end == .exited(78))
            #expect(result.standardOutput.contains("the server's certificate cannot be used"))
            #expect(result.standardOutput.contains(reason), "\(result.standardOutput)")
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `--check by root says whether the daemon's user can read the certificate's key`() async throws {
        let folder = try TemporaryFolder()
        let registry = try folder.write("version: 1\n", to: "printers.yaml")
        for path in [folder.path, registry] { #expect(chown(path, 1, 1) == 0) }
        let made = try await TestAuthority().issue()
        func check() async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                try BuiltProducts.path("kioskd"),
                [
                    "--check", "--registry", registry, "--state-dir", folder.path, "--listen", "0.0.0.0",
                    "--tls-certificate", made.certificate, "--tls-key", made.key,
                ])
        }
        #expect(chmod(made.certificate, 0o644) == 0)
        #expect(chmod(made.key, 0o600) == 0)
        let closed = try await check()
        #expect(closed.end == .exited(78))
        #expect(closed.standardOutput.contains("user 1, who owns the registry, cannot read \(made.key)"))
        #expect(chown(made.key, 1, 1) == 0)
        #expect(try await check().end == .exited(0))
    }

    /// What `--check` says of a folder with these files, all of them closed to others.
    private func check(_ folder: TemporaryFolder, _ files: [String: String]) async throws -> ChildProcess.Result {
        for (name, text) in files { #expect(chmod(try folder.write(text, to: name), 0o600) == 0) }
        return try await ChildProcess.run(try BuiltProducts.path("kioskd"), ["--check", "--state-dir", folder.path])
    }

    @Test func `--check looks at what SSH takes: keys, known_hosts files, and whose login it is`() async throws {
        let folder = try TemporaryFolder()
        func registry(_ more: String) -> String {
            "version: 1\nprinters:\n  - { id: till-1, url: \"ssh+lpr://till@host/q\", credentials: host, \(more) }\n"
        }
        let keygen = try InstalledProgram.path("ssh-keygen", package: "openssh-client")
        for type in ["rsa", "ed25519"] {
            let made = try await ChildProcess.run(
                keygen, ["-q", "-t", type, "-N", "hunter2", "-f", folder.appending(type)])
            #expect(made.end.isSuccess, "\(made.standardError)")
        }
        let secrets = "host: { private-key: ed25519, passphrase: hunter2 }"
        let known = [
            "printers.yaml": registry("trust: known-hosts:\(folder.appending("known_hosts"))"), "secrets.yaml": secrets,
        ]
        let missing = try await check(folder, known)
        #expect(missing.end == .exited(78))
        #expect(
            missing.standardOutput
                == "the trust of till-1 cannot be used: the known_hosts file \(folder.appending("known_hosts")) cannot be opened (No such file or directory)\n"
        )
        let good = try await check(folder, known.merging(["known_hosts": ""]) { $1 })
        #expect(good.end == .exited(0))
        #expect(!good.standardOutput.contains("warning"))
        for (secrets, words) in [
            ("host: { private-key: ed25519 }", "wants a passphrase"),
            ("host: { private-key: ed25519.pub }", "is the public key"),
            ("host: { user: kiosk, agent: true }", "are for another user than the one in ssh+lpr://till@host/q"),
            ("host: { private-key: gone }", "there is no file \(folder.appending("gone")) for the private key"),
        ] {
            let result = try await check(folder, ["secrets.yaml": secrets, "ed25519.pub": "ssh-ed25519 AAAA"])
            #expect(result.end == .exited(78))
            #expect(result.standardOutput.contains(words))
        }
        let old = try await check(folder, ["secrets.yaml": "host: { private-key: rsa, passphrase: hunter2 }"])
        #expect(old.end == .exited(0))
        #expect(!old.standardOutput.contains("hunter2"))
        #expect(old.standardOutput.hasSuffix("is valid: 1 printer, 0 roles\n"))
    }

    private static let withLogin =
        "version: 1\nprinters:\n  - { id: till-1, url: \"ipps://host/\", credentials: office }\n"

    @Test(.enabled(if: geteuid() == 0)) func `--check as root takes the secrets of the user who owns the registry`()
        async throws
    {
        let folder = try TemporaryFolder()
        let files = ["printers.yaml": Self.withLogin, "secrets.yaml": "office: { user: a, password: b }"]
        #expect(chown(folder.path, 65534, 65534) == 0)
        let unreadable = try await check(folder, files)
        #expect(unreadable.end == .exited(78))
        #expect(unreadable.standardOutput.contains("run: chown 65534 \(folder.appending("secrets.yaml"))"))
        #expect(chown(folder.appending("secrets.yaml"), 65534, 65534) == 0)
        #expect(try await check(folder, files).end == .exited(0))
    }

    @Test func `--check opens client certificates and CA files`() async throws {
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority()
        let bundle = try await authority.issue(.init("kiosk", purpose: .client)).pkcs12(passphrase: "right-4f19")
        func files(_ passphrase: String, _ authority: String) -> [String: String] {
            [
                "printers.yaml":
                    "version: 1\nprinters:\n  - { id: till-1, url: \"ipps://host/\", credentials: gate, trust: \"ca:\(authority)\" }\n",
                "secrets.yaml": "gate: { client-certificate: \(bundle), passphrase: \(passphrase) }",
            ]
        }
        let good = try await check(folder, files("right-4f19", authority.root))
        #expect(good.end == .exited(0), "\(good.standardOutput)")
        let bad = try await check(folder, files("wrong-5a7c", "/nonexistent/ca.pem"))
        #expect(bad.end == .exited(78))
        #expect(bad.standardOutput.contains("the credentials \"gate\" cannot be used: "), "\(bad.standardOutput)")
        #expect(bad.standardOutput.contains(bundle))
        #expect(bad.standardOutput.contains("the trust of till-1 cannot be used: "))
        #expect(bad.standardOutput.contains("/nonexistent/ca.pem"))
        #expect(!bad.standardOutput.contains("wrong-5a7c"))
    }
}
