import Foundation
import Glibc
import KioskAPI
import KioskAPIMessages
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Exports of one daemon, and their imports into another.
@Suite struct KioskdBackupTests {
    private static let password = "PASSWORD-7f3aa91c"

    /// A folder with a passphrase, and the commands with it.
    private struct Backup {
        let folder: TemporaryFolder
        let passphraseFile: String
        var file: String { folder.appending("kiosk.export") }

        init() throws {
            folder = try TemporaryFolder("backup")
            passphraseFile = try folder.writePrivately(Array("correct horse battery staple\n".utf8), to: "passphrase")
        }

        /// Writes an export with secrets; returns the file's path.
        @discardableResult
        func export(_ daemon: KioskdFixture) async throws -> String {
            let result = try await daemon.kioskctl(
                "export", "--secrets", "--passphrase-file", passphraseFile, "--output", file)
            #expect(result.end == .exited(0), "\(result.standardError)")
            return file
        }

        func importExport(
            _ daemon: KioskdFixture, _ more: [String] = [], file: String? = nil
        ) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"),
                ["import", file ?? self.file, "--passphrase-file", passphraseFile] + more,
                environment: ["KIOSKD_SOCKET": daemon.socket])
        }

        func report(_ daemon: KioskdFixture, _ more: [String] = []) async throws -> ImportReport {
            let result = try await importExport(daemon, ["--json"] + more)
            #expect(result.end == .exited(0), "\(result.standardError)")
            return try APIJSON.decode(ImportReport.self, from: Array(result.standardOutput.utf8))
        }
    }

    /// A daemon with printers that are away, a login with a password, a key and a CA file, and a token.
    private struct Kiosk {
        let daemon: KioskdFixture
        let token: String

        init(_ arguments: [String] = []) async throws {
            let folder = try TemporaryFolder("kioskd")
            try folder.writePrivately(Array("KEY \(KioskdBackupTests.password)".utf8), to: "gateway.key")
            try folder.write("-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n", to: "ca.pem")
            try folder.write("-----BEGIN CERTIFICATE-----\nB\n-----END CERTIFICATE-----\n", to: "gateway.pem")
            try folder.writePrivately(
                Array(
                    """
                    office: { user: kiosk, password: \(KioskdBackupTests.password) }
                    gateway: { client-certificate: gateway.pem, client-key: gateway.key }
                    """.utf8), to: "secrets.yaml")
            let port = try freePort()
            daemon = try await KioskdFixture(
                folder: folder,
                registry: """
                    version: 1
                    printers:
                      - { id: office, url: "ipps://localhost:\(port)/ipp/print", credentials: office, trust: "ca:\(folder.path)/ca.pem" }
                      - { id: gateway, url: "ipps://localhost:\(port)/", credentials: gateway, trust: ask }
                      - { id: till, url: "ipp://localhost:\(port)/ipp/print", location: Front desk }
                    roles:
                      document: { printers: [office], page-limit: 20 }
                      receipt: { printers: [till], expires-after: 10m }
                    """,
                arguments: arguments)
            let made = try await daemon.curlJSON("POST", "/v1/tokens", #"{"name":"till-1","scopes":["print:receipt"]}"#)
            token = try made.json(NewToken.self).secret
        }

        /// Takes away the CA file, as it is on another machine.
        func forgetAuthority() throws { try FileManager.default.removeItem(atPath: daemon.folder.appending("ca.pem")) }
    }

    private func port(_ daemon: KioskdFixture) async throws -> Int {
        try await eventuallyValue("the daemon to listen over TCP") {
            daemon.log.firstMatch(of: /listening at https?:\/\/[^ ]*:([0-9]+)\n/).flatMap { Int($0.1) }
        }
    }

    /// The files that an import may touch, by name; the names of versions and times differ.
    private static func state(_ folder: TemporaryFolder) throws -> [String: [UInt8]] {
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        let wanted = names.filter { name in
            ["printers.yaml", "secrets.yaml", "tokens.json"].contains(name) || name.hasPrefix("tls/")
                || name.hasPrefix("keys/") || name.hasPrefix("trust/")
        }
        return try Dictionary(uniqueKeysWithValues: wanted.map { ($0, try folder.read($0)) })
    }

    // MARK: Replacing a kiosk

    @Test func `a kiosk is replaced: the till's token, a pinned printer and a login by key work on the new one`()
        async throws
    {
        let host = try await KioskdUnixHost()
        let old = host.daemon
        var options = SimulatedPrinter.Options()
        options.tls = PrinterTLSOptions()
        let printer = try await SimulatedPrinter.start(options)
        let added = try await old.kioskctl(
            "printers", "add", "till", printer.uri, "--trust", "ask", "--role", "receipt")
        #expect(added.end == .exited(0), "\(added.standardError)")
        let shown = try await old.curl("/v1/printers/till/certificate").json(PrinterTrust.self)
        let key = try #require(shown.certificate?.keyFingerprint).description
        let trusted = try await old.kioskctl("printers", "trust", "till", "--yes", "--fingerprint", key)
        #expect(trusted.end == .exited(0), "\(trusted.standardError)")
        let token = try await old.kioskctl("tokens", "add", "till-1", "--scope", "print:receipt").standardOutput
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let backup = try Backup()
        try await backup.export(old)
        // The old one is gone, with all of its files.
        try await old.terminate()
        for name in try FileManager.default.contentsOfDirectory(atPath: old.folder.path) {
            try FileManager.default.removeItem(atPath: old.folder.appending(name))
        }
        try host.forgetKeys()

        let new = try await KioskdFixture(arguments: ["--listen", "127.0.0.1:0"])
        let result = try await backup.importExport(new)
        #expect(result.end == .exited(0), "\(result.standardError)")
        #expect(!result.standardError.contains("missing"), "\(result.standardError)")
        // Over the network, by the token that the till has.
        let curl = try await ChildProcess.run(
            try InstalledProgram.path("curl", package: "curl"),
            [
                "-sS", "-H", "Authorization: Bearer \(token)", "-H", "Content-Type: text/plain", "--data-binary", "TEA",
                "http://127.0.0.1:\(try await port(new))/v1/jobs?role=receipt&wait=300",
            ], deadline: .seconds(600))
        let receipt = try APIJSON.decode(Job.self, from: Array(curl.standardOutput.utf8))
        #expect(receipt.state == .completed, "\(curl.standardOutput) \(new.log)")
        #expect(receipt.printer == "till")
        #expect(try await new.curl("/v1/printers/till").text.contains("\"trust\":\"\(key)\""))
        // Through the Unix host, by its key and known_hosts.
        let document = try await new.curl(
            "/v1/jobs?role=document&wait=300",
            ["-H", "Content-Type: application/octet-stream", "--data-binary", "PAGE"]
        ).json(Job.self)
        #expect(document.state == .completed, "\(document) \(new.log)")
        try await eventually("the paper") { try host.paper() == [Array("PAGE".utf8)] }
        #expect(try await new.terminate() == .exited(0))
    }

    @Test func `clients that trust the old kiosk's key reach the new one`() async throws {
        let old = try await Kiosk(["--listen", "https://127.0.0.1:0"])
        _ = try await port(old.daemon)
        func key(_ daemon: KioskdFixture) async throws -> String {
            let server = try await daemon.kioskctl("server", "--json").standardOutput
            return try #require(server.firstMatch(of: /"key-fingerprint" : "(sha256:[0-9a-f]+)"/)).1.description
        }
        let backup = try Backup()
        try await backup.export(old.daemon)
        let new = try await KioskdFixture(arguments: ["--listen", "https://127.0.0.1:0"])
        let port = try await port(new)
        #expect(try await key(new) != key(old.daemon))
        let kept = try await backup.report(new)
        #expect(kept.changes.first { $0.kind == .certificate }?.action == .keep)
        #expect(try await key(new) != key(old.daemon))
        let replaced = try await backup.report(new, ["--replace"])
        #expect(replaced.changes.first { $0.kind == .certificate }?.action == .replace)
        // At once, and after a restart.
        for isRestarted in [false, true] {
            let port = isRestarted ? try await self.port(new) : port
            #expect(try await key(new) == key(old.daemon))
            let result = try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"),
                ["jobs", "--host", "https://127.0.0.1:\(port)", "--host-fingerprint", key(old.daemon)],
                environment: ["KIOSKCTL_TOKEN": old.token])
            #expect(result.end == .exited(0), "\(result.standardError)")
            if !isRestarted {
                try await new.terminate()
                try await new.start()
            }
        }
    }

    // MARK: What changes, and what stays

    @Test func `a dry run changes nothing, an import all, and the same import again nothing`() async throws {
        let old = try await Kiosk()
        let backup = try Backup()
        try await backup.export(old.daemon)
        try old.forgetAuthority()
        let new = try await KioskdFixture()
        let before = try Self.state(new.folder)
        let planned = try await backup.report(new, ["--dry-run"])
        #expect(planned.isDryRun)
        #expect(planned.changes.allSatisfy { $0.action == .add })
        #expect(try Self.state(new.folder) == before)
        #expect(try await new.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
        let done = try await backup.report(new)
        #expect(done.changes == planned.changes)
        #expect(done.missing.isEmpty, "\(done.missing)")
        #expect(
            done.changes.map(\.kind) == [
                .trustFile, .login, .login, .token, .printer, .printer, .printer, .role, .role,
            ])
        let after = try Self.state(new.folder)
        let again = try await backup.report(new)
        #expect(again.changes.allSatisfy { $0.action == .same }, "\(again.changes)")
        #expect(try Self.state(new.folder) == after)
        // Roles and printers are those of the old one, but for where the CA file is.
        #expect(
            try await new.curl("/v1/roles").json(RoleList.self).roles.sorted { $0.name < $1.name }
                == old.daemon.curl("/v1/roles").json(RoleList.self).roles.sorted { $0.name < $1.name })
        let check = try await ChildProcess.run(
            try BuiltProducts.path("kioskd"), ["--state-dir", new.folder.path, "--check"])
        // The gateway's certificate is none: what is said of it is said of the old one too.
        #expect(check.standardOutput.contains("\"gateway\""))
        #expect(!check.standardOutput.contains("\"office\""), "\(check.standardOutput)")
        // Nobody else reads what was imported.
        for name in after.keys where !name.hasPrefix("trust/") && name != "printers.yaml" {
            #expect(try permissions(new.folder.appending(name)) & 0o077 == 0, "\(name)")
        }
    }

    @Test func `what stands and differs stays, until it is to be replaced; what is not in the export stays always`()
        async throws
    {
        let old = try await Kiosk()
        let backup = try Backup()
        try await backup.export(old.daemon)
        try old.forgetAuthority()
        let folder = try TemporaryFolder("kioskd")
        try folder.writePrivately(
            Array("# Ours.\noffice: { user: other, password: other }\nown: { token: abc }\n".utf8), to: "secrets.yaml")
        let new = try await KioskdFixture(
            folder: folder,
            registry: """
                version: 1
                # The printers here.
                printers:
                  - { id: till, url: "ipp://localhost:\(try freePort())/ipp/print" }
                  - { id: own, url: "ipp://localhost:\(try freePort())/ipp/print" }
                roles:
                  receipt: { printers: [own] }
                """)
        _ = try await new.curlJSON("POST", "/v1/tokens", #"{"name":"till-1","scopes":["read"]}"#)
        let before = try Self.state(folder)
        func actions(_ report: ImportReport) -> [String: ImportReport.Action] {
            Dictionary(uniqueKeysWithValues: report.changes.map { ("\($0.kind.rawValue) \($0.name)", $0.action) })
        }
        let kept = try await backup.importExport(new)
        #expect(kept.end == .exited(0), "\(kept.standardError)")
        #expect(kept.standardError.contains("5 add, 4 keep; --replace replaces what is kept"), "\(kept.standardError)")
        let after = try Self.state(folder)
        #expect(after["tokens.json"] == before["tokens.json"])
        let secrets = String(decoding: try #require(after["secrets.yaml"]), as: UTF8.self)
        #expect(secrets.hasPrefix("# Ours.\noffice: { user: other, password: other }\nown: { token: abc }\ngateway:"))
        let registry = String(decoding: try #require(after["printers.yaml"]), as: UTF8.self)
        #expect(registry.contains("# The printers here.\n"))
        #expect(registry.contains("receipt: { printers: [own] }"))

        let replaced = actions(try await backup.report(new, ["--replace"]))
        for name in ["printer till", "role receipt", "login office", "token till-1"] {
            #expect(replaced[name] == .replace, "\(name)")
        }
        #expect(replaced["printer gateway"] == .same)
        let last = try Self.state(folder)
        let text = String(decoding: try #require(last["secrets.yaml"]), as: UTF8.self)
        #expect(text.hasPrefix("# Ours.\n"))
        #expect(text.contains("own: { token: abc }\n"))
        #expect(text.contains(Self.password))
        #expect(try await new.curl("/v1/printers/own").status == 200)
        #expect(try await new.curl("/v1/roles/receipt").text.contains("\"printers\":[\"till\"]"))
        #expect(try await backup.report(new, ["--replace"]).changes.allSatisfy { $0.action == .same })
    }

    @Test func `without secrets it says which logins are missing`() async throws {
        let old = try await Kiosk()
        let folder = try TemporaryFolder("backup")
        let exported = try await old.daemon.kioskctl("export")
        #expect(exported.end == .exited(0), "\(exported.standardError)")
        #expect(!exported.standardOutput.contains(Self.password))
        #expect(!exported.standardOutput.contains("sha256"))
        let file = try folder.write(exported.standardOutput, to: "kiosk.json")
        let new = try await KioskdFixture()
        let result = try await new.kioskctl("import", file)
        #expect(result.end == .exited(0), "\(result.standardError)")
        #expect(result.standardError.contains("missing: the login \"office\" of office: there are no credentials"))
        #expect(result.standardError.contains("missing: the login \"gateway\" of gateway"))
        #expect(try await new.curl("/v1/tokens").json(TokenList.self).tokens.isEmpty)
        #expect(try await new.curl("/v1/printers/office").status == 200)
        // Of one with secrets, the readable part alone.
        let backup = try Backup()
        try await backup.export(old.daemon)
        let other = try await KioskdFixture()
        let readable = try await other.kioskctl("import", backup.file, "--without-secrets")
        #expect(readable.end == .exited(0), "\(readable.standardError)")
        #expect(readable.standardError.contains("missing: the export's logins, tokens and certificate"))
        // Where nobody can be asked, it asks for the option.
        let nobody = try await other.kioskctl("import", backup.file)
        #expect(nobody.end == .exited(1))
        #expect(nobody.standardError.contains("--passphrase-file"))
    }

    @Test func `a passphrase is asked for on a terminal, twice for a new one, and never shown`() async throws {
        let old = try await Kiosk()
        let backup = try Backup()
        /// Types each line once its prompt is there, and returns all that the terminal showed.
        func type(
            _ command: String, _ lines: [(prompt: String, line: String)]
        ) async throws -> (ChildProcess.End, String) {
            let child = try ChildProcess(
                try InstalledProgram.path("script", package: "bsdutils"),
                ["-qec", "'\(try BuiltProducts.path("kioskctl"))' \(command)", "/dev/null"],
                environment: ["KIOSKD_SOCKET": old.daemon.socket])
            for (prompt, line) in lines {
                try await child.waitForOutput(prompt)
                try child.write("\(line)\n")
            }
            return (try await child.wait(), child.standardOutput + child.standardError)
        }
        let export = "export --secrets --output '\(backup.file)'"
        let prompts = ["the export's passphrase: ", "once more: "]
        let different = try await type(export, [(prompts[0], "correct horse"), (prompts[1], "correct cow")])
        #expect(different.0 == .exited(1))
        #expect(different.1.contains("the two passphrases are not the same"))
        #expect(!FileManager.default.fileExists(atPath: backup.file))
        let short = try await type(export, [(prompts[0], "short"), (prompts[1], "short")])
        #expect(short.0 == .exited(1))
        #expect(short.1.contains("a passphrase has 8 to 1000 bytes"), "\(short.1)")
        let words = "correct horse battery staple"
        let exported = try await type(export, [(prompts[0], words), (prompts[1], words)])
        #expect(exported.0 == .exited(0), "\(exported.1)")
        let imported = try await type("import '\(backup.file)'", [("the passphrase of ", words)])
        #expect(imported.0 == .exited(0), "\(imported.1)")
        for shown in [different, short, exported, imported].map(\.1) {
            #expect(!shown.contains("horse") && !shown.contains("short\r"), "\(shown)")
        }
        // Ctrl-C is a line without one.
        #expect(try await type(export, [(prompts[0], "\u{3}")]).0 == .exited(130))
    }

    // MARK: Files that are refused

    @Test func `an export shows of a file that a trust names its certificates alone`() async throws {
        let old = try await Kiosk()
        let secrets = old.daemon.folder.appending("secrets.yaml")
        for (id, url, trust) in [
            ("spy", "ipps://localhost:1/", "ca:\(secrets)"),
            ("ssh", "ssh+lpr://kiosk@localhost/lp", "known-hosts:\(secrets)"),
        ] {
            let saved = try await old.daemon.curlJSON(
                "PUT", "/v1/printers/\(id)", #"{"url":"\#(url)","trust":"\#(trust)"}"#)
            #expect(saved.status == 200 || saved.status == 201, "\(saved.text)")
        }
        let exported = try await old.daemon.kioskctl("export")
        #expect(exported.end == .exited(0), "\(exported.standardError)")
        #expect(!exported.standardOutput.contains(Self.password))
        #expect(exported.standardOutput.contains("-----BEGIN CERTIFICATE-----\\nA\\n"))
        #expect(exported.standardError.contains("secrets.yaml: it holds no certificate in PEM or host key to export"))
    }

    @Test func `an import writes no trust at a path that the export names, and does not tell what stands there`()
        async throws
    {
        let old = try await Kiosk()
        let backup = try Backup()
        try await backup.export(old.daemon)
        // The CA file is where the export has it, but no printer here trusts it.
        let new = try await KioskdFixture()
        let planned = try await backup.report(new, ["--dry-run"])
        let file = try #require(planned.changes.first { $0.kind == .trustFile })
        #expect(file.action == .add)
        #expect(file.name.hasPrefix(new.folder.appending("trust/")), "\(file.name)")
        #expect(try await backup.report(new).changes == planned.changes)
        // On the old one a printer trusts it already, with a comment beside the certificate or not.
        let path = old.daemon.folder.appending("ca.pem")
        let text = String(decoding: try readFile(path), as: UTF8.self)
        try old.daemon.folder.write("# The printers' CA.\n" + text, to: "ca.pem")
        #expect(try await backup.report(old.daemon).changes.allSatisfy { $0.action == .same })
        #expect(String(decoding: try readFile(path), as: UTF8.self) == "# The printers' CA.\n" + text)
    }

    @Test func `a certificate that does not fit its key is not imported`() async throws {
        let old = try await Kiosk(["--listen", "https://127.0.0.1:0"])
        _ = try await port(old.daemon)
        try old.daemon.folder.writePrivately(Array("damaged".utf8), to: "tls/key.pem")
        let backup = try Backup()
        try await backup.export(old.daemon)
        let new = try await KioskdFixture(arguments: ["--listen", "https://127.0.0.1:0"])
        _ = try await port(new)
        let before = try Self.state(new.folder)
        let result = try await backup.importExport(new, ["--replace"])
        #expect(result.end == .exited(1))
        #expect(
            result.standardError.contains("the certificate among its secrets does not fit its key; export it again"),
            "\(result.standardError)")
        #expect(try Self.state(new.folder) == before)
    }

    @Test func `an export follows a link to a file, and replaces nothing that is none`() async throws {
        let old = try await Kiosk()
        let folder = try TemporaryFolder("backup")
        let pipe = folder.appending("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let refused = try await old.daemon.kioskctl("export", "--output", pipe)
        #expect(refused.end == .exited(1))
        #expect(refused.standardError.contains("is no regular file; name another"), "\(refused.standardError)")
        let kind = try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType
        #expect(kind != .typeRegular)
        let file = try folder.write("old", to: "kiosk.json")
        let link = folder.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        let exported = try await old.daemon.kioskctl("export", "--output", link)
        #expect(exported.end == .exited(0), "\(exported.standardError)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
        #expect(String(decoding: try readFile(file), as: UTF8.self).contains("kioskd-export"))
    }

    @Test func `a wrong passphrase, a cut, changed, newer or huge file changes nothing and says why`() async throws {
        let old = try await Kiosk()
        let backup = try Backup()
        let text = String(decoding: try readFile(try await backup.export(old.daemon)), as: UTF8.self)
        let new = try await KioskdFixture()
        let before = try Self.state(new.folder)
        let wrong = try backup.folder.writePrivately(Array("another passphrase\n".utf8), to: "wrong")
        let refused = try await new.kioskctl("import", backup.file, "--passphrase-file", wrong)
        #expect(refused.end == .exited(1))
        #expect(refused.standardError.contains("the passphrase is wrong, or the file was changed"))
        let end = try #require(text.range(of: "-----END KIOSKD"))
        for (name, content, reason) in [
            ("cut", String(text[..<end.lowerBound]), "damaged or cut off"),
            ("short", String(text.prefix(300)), "JSON"),
            ("edited", text.replacingOccurrences(of: "Front desk", with: "Back door"), "the file was changed"),
            (
                "newer", text.replacingOccurrences(of: "\"version\" : 1", with: "\"version\" : 2"),
                "install a newer kioskd"
            ),
            ("huge", text + String(repeating: " ", count: APILimits.maximumExport), "it is longer than"),
        ] {
            let file = try backup.folder.write(content, to: name)
            for more in [[], ["--dry-run"]] {
                let result = try await backup.importExport(new, more, file: file)
                #expect(result.end == .exited(1), "\(name)")
                #expect(result.standardError.contains(reason), "\(name): \(result.standardError)")
            }
        }
        // Past kioskctl's own checks.
        let body = try backup.folder.write(
            #"{"export":"\#(String(repeating: " ", count: APILimits.maximumExport * 2))"}"#, to: "body")
        let huge = try await new.curl(
            "/v1/import", ["-X", "POST", "-H", "Content-Type: application/json", "--data-binary", "@\(body)"])
        #expect(huge.status == 413, "\(huge.text)")
        let none = try await new.curlJSON("POST", "/v1/import", #"{"export":"{}"}"#)
        #expect(none.status == 422)
        #expect(try none.json(Problem.self).code == .exportRefused)
        #expect(try Self.state(new.folder) == before)
        #expect(try await new.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
    }

    @Test func `a printer whose profile is missing here refuses all, and so does a secrets file with an error`()
        async throws
    {
        let old = try await Kiosk()
        let changed = try await old.daemon.curlJSON(
            "PUT", "/v1/printers/till", #"{"url":"ipp://localhost:1/","profile":"our-own"}"#)
        #expect(changed.status == 200, "\(changed.text)")
        let backup = try Backup()
        try await backup.export(old.daemon)
        let shipped = try await KioskdFixture(arguments: ["--profiles", ShippedProfiles.folder])
        let refused = try await backup.importExport(shipped)
        #expect(refused.end == .exited(1))
        #expect(refused.standardError.contains("there is no profile \"our-own\""), "\(refused.standardError)")
        let folder = try TemporaryFolder("kioskd")
        try folder.writePrivately(Array("own: {\n".utf8), to: "secrets.yaml")
        let broken = try await KioskdFixture(folder: folder)
        #expect(try await backup.importExport(broken).end == .exited(1))
        for daemon in [shipped, broken] {
            #expect(try Self.state(daemon.folder).keys.allSatisfy { $0 == "secrets.yaml" })
            #expect(try await daemon.curl("/v1/tokens").json(TokenList.self).tokens.isEmpty)
        }
    }

    // MARK: Rights and traces

    @Test func `a token of the network exports and imports what can be read, and takes no secrets out`() async throws {
        let old = try await Kiosk(["--listen", "127.0.0.1:0"])
        let host = "http://127.0.0.1:\(try await port(old.daemon))"
        let admin = try await old.daemon.kioskctl("tokens", "add", "admin", "--scope", "admin").standardOutput
        func run(_ arguments: [String], _ token: String) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), arguments + ["--host", host],
                environment: ["KIOSKCTL_TOKEN": token.trimmingCharacters(in: .whitespacesAndNewlines)])
        }
        let backup = try Backup()
        for token in [old.token, admin] {
            let secrets = try await run(
                ["export", "--secrets", "--passphrase-file", backup.passphraseFile, "--output", backup.file], token)
            #expect(secrets.end == .exited(77), "\(secrets.standardError)")
            #expect(!FileManager.default.fileExists(atPath: backup.file))
        }
        #expect(try await run(["export"], old.token).end == .exited(77))
        let export = try await run(["export"], admin)
        #expect(export.end == .exited(0), "\(export.standardError)")
        let file = try backup.folder.write(export.standardOutput, to: "kiosk.json")
        #expect(try await run(["import", file], old.token).end == .exited(77))
        let imported = try await run(["import", file], admin)
        #expect(imported.end == .exited(0), "\(imported.standardError)")
        #expect(imported.standardError.contains("imported: 5 same"), "\(imported.standardError)")
        let audit = try await old.daemon.kioskctl("audit", "--json").standardOutput
        for word in ["\"export\"", "\"import\"", "token:2 (admin)"] { #expect(audit.contains(word), "\(word)") }
    }

    @Test func `over the network an import skips the certificate and logins by an agent`() async throws {
        let old = try await Kiosk(["--listen", "https://127.0.0.1:0"])
        _ = try await port(old.daemon)
        try old.daemon.folder.writePrivately(
            Array("office: { user: kiosk, agent: true }\n".utf8), to: "secrets.yaml")
        let backup = try Backup()
        try await backup.export(old.daemon)
        let new = try await KioskdFixture(arguments: ["--listen", "127.0.0.1:0"])
        let host = "http://127.0.0.1:\(try await port(new))"
        let admin = try await new.kioskctl("tokens", "add", "admin", "--scope", "admin").standardOutput
        let result = try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"),
            ["import", backup.file, "--passphrase-file", backup.passphraseFile, "--json", "--host", host],
            environment: ["KIOSKCTL_TOKEN": admin.trimmingCharacters(in: .whitespacesAndNewlines)])
        #expect(result.end == .exited(0), "\(result.standardError)")
        let report = try APIJSON.decode(ImportReport.self, from: Array(result.standardOutput.utf8))
        for kind in [ImportReport.Kind.certificate, .login] {
            let change = try #require(report.changes.first { $0.kind == kind })
            #expect(change.action == .skip, "\(change)")
            #expect(change.message?.contains("on the kiosk itself only") == true, "\(change)")
        }
        // The token is here, and the audit tells what it may and who brought it.
        let audit = try await new.kioskctl("audit", "--json").standardOutput
        for word in ["token.import", "print:receipt"] { #expect(audit.contains(word), "\(audit)") }
        let tokens = try await new.curl("/v1/tokens").json(TokenList.self).tokens
        #expect(tokens.first { $0.name == "till-1" }?.createdBy.hasSuffix("(admin) (import)") == true)
    }

    @Test func `the audit tells of it, and no secret shows in it, in a log, or in a process`() async throws {
        let old = try await Kiosk()
        let backup = try Backup()
        try await backup.export(old.daemon)
        let new = try await KioskdFixture(arguments: ["--log-level", "trace"])
        _ = try await new.kioskctl("import", backup.file, "--passphrase-file", backup.passphraseFile)
        let wrong = try backup.folder.writePrivately(Array("another passphrase\n".utf8), to: "wrong")
        _ = try await new.kioskctl("import", backup.file, "--passphrase-file", wrong)
        let (before, after) = (
            try await old.daemon.kioskctl("audit", "--json").standardOutput,
            try await new.kioskctl("audit", "--json").standardOutput
        )
        #expect(before.contains("export.secrets"))
        for word in ["import", "printer.add", "role.add", "failed"] { #expect(after.contains(word), "\(after)") }
        try await old.daemon.terminate()
        try await new.terminate()
        let exported = String(decoding: try readFile(backup.file), as: UTF8.self)
        for said in [before, after, old.daemon.log, new.log, exported] {
            for secret in [Self.password, "correct horse", "another passphrase", old.token] {
                #expect(!said.contains(secret))
            }
        }
        #expect(try permissions(backup.file) == 0o600)
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    // MARK: kioskd --check

    @Test func `kioskd --check says what is wrong with an export`() async throws {
        let old = try await Kiosk()
        let backup = try Backup()
        let file = try await backup.export(old.daemon)
        func check(_ arguments: [String], input: String = "") async throws -> ChildProcess.Result {
            try await ChildProcess.run(try BuiltProducts.path("kioskd"), ["--check"] + arguments, input: input)
        }
        let unopened = try await check([file])
        #expect(unopened.end == .exited(0), "\(unopened.standardOutput)\(unopened.standardError)")
        #expect(unopened.standardOutput.contains("3 printers, 2 roles"))
        #expect(unopened.standardOutput.contains("not opened"))
        for opened in [
            try await check([file, "--passphrase-file", backup.passphraseFile]),
            try await check([file, "--passphrase-file", "-"], input: "correct horse battery staple\n"),
        ] {
            #expect(opened.end == .exited(0), "\(opened.standardOutput)\(opened.standardError)")
            #expect(opened.standardOutput.contains("2 logins, 1 token\n"))
        }
        let bytes = try backup.folder.writePrivately([UInt8](repeating: 0xFF, count: 20), to: "bytes")
        let open = try backup.folder.write("correct horse battery staple\n", to: "open")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        for (passphrase, reason) in [(bytes, "openssl rand -base64 24"), (open, "every user of this machine")] {
            let refused = try await check([file, "--passphrase-file", passphrase])
            #expect(refused.end != .exited(0))
            #expect(refused.standardError.contains(reason), "\(refused.standardError)")
            let imported = try await old.daemon.kioskctl("import", file, "--passphrase-file", passphrase)
            #expect(imported.end != .exited(0))
            #expect(imported.standardError.contains(reason), "\(imported.standardError)")
        }
        let wrong = try await check([file, "--passphrase-file", "-"], input: "another passphrase\n")
        #expect(wrong.end == .exited(78))
        #expect(wrong.standardOutput.contains("the passphrase is wrong"))
        let text = String(decoding: try readFile(file), as: UTF8.self)
        let cut = try backup.folder.write(String(text.dropLast(40)), to: "cut")
        let both = try await check([file, cut])
        #expect(both.end == .exited(78))
        #expect(both.standardOutput.contains("is valid"))
        #expect(both.standardOutput.contains("\(cut): its encrypted block is damaged or cut off"))
        let readable = try await old.daemon.kioskctl("export").standardOutput
        let profile = try backup.folder.write(
            readable.replacingOccurrences(
                of: "\"location\" : \"Front desk\"", with: "\"profile\" : \"our-own\""), to: "profile")
        let unknown = try await check([profile, "--profiles", ShippedProfiles.folder])
        #expect(unknown.end == .exited(78), "\(unknown.standardOutput)")
        #expect(unknown.standardOutput.contains("there is no profile \"our-own\""))
        let missing = try await check(["/nonexistent/export"])
        #expect(missing.end == .exited(78))
        #expect(missing.standardOutput.contains("/nonexistent/export"))
    }

    // MARK: A power cut

    /// One export with everything, for all steps.
    private actor SharedExport {
        private var made: Task<Backup, any Error>?

        func backup() async throws -> Backup {
            if let made { return try await made.value }
            let task = Task {
                let kiosk = try await Kiosk(["--listen", "https://127.0.0.1:0"])
                try await eventually("the daemon to have its certificate") {
                    FileManager.default.fileExists(atPath: kiosk.daemon.folder.appending("tls/certificate.pem"))
                }
                let backup = try Backup()
                try await backup.export(kiosk.daemon)
                return backup
            }
            made = task
            return try await task.value
        }
    }

    private static let shared = SharedExport()

    /// Before and after each file of an import comes into its place.
    static let steps = [
        "*.pem", "*+client-key-*", "secrets.yaml", "tokens.json", "key.pem", "certificate.pem", "printers.yaml",
    ].flatMap { ["rename:\($0)", "renamed:\($0)"] }

    @Test(arguments: steps)
    func `an import that is cut off leaves each file old or new, and the same import completes it`(
        _ step: String
    ) async throws {
        let library = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../CrashPoint/build/crash_point.so").standardized.path
        try #require(FileManager.default.fileExists(atPath: library), "run `make -C Tests/CrashPoint` first")
        let backup = try await Self.shared.backup()
        let folder = try TemporaryFolder("kioskd")
        try folder.writePrivately(Array("office: { user: other, password: other }\n".utf8), to: "secrets.yaml")
        let new = try await KioskdFixture(
            folder: folder,
            registry: """
                version: 1
                printers:
                  - { id: till, url: "ipp://localhost:\(try freePort())/ipp/print" }
                roles:
                  receipt: { printers: [till] }
                """)
        _ = try await new.curlJSON("POST", "/v1/tokens", #"{"name":"till-1","scopes":["read"]}"#)
        try await new.terminate()
        let before = try Self.state(folder)
        try await new.start(environment: ["LD_PRELOAD": library, "CRASH_POINT": step])
        let cut = try await backup.importExport(new, ["--replace"])
        #expect(cut.end != .exited(0), "\(cut.standardError)")
        #expect(try await new.process.wait() == .signalled(SIGKILL))
        let between = try Self.state(folder)

        // The next start reads whatever there is.
        try await new.start()
        #expect(try await new.curl("/v1/health").status == 200)
        let report = try await backup.report(new, ["--replace"])
        #expect(report.missing.isEmpty, "\(report.missing)")
        let after = try Self.state(folder)
        // Tokens have the time of their last use, and none was used.
        for (name, content) in between {
            #expect(content == before[name] || content == after[name], "\(name) after \(step)")
        }
        #expect(between["printers.yaml"] == (step == "renamed:printers.yaml" ? after : before)["printers.yaml"])
        #expect(try await backup.report(new, ["--replace"]).changes.allSatisfy { $0.action == .same })
        #expect(Set(after.keys).isSuperset(of: between.keys))
        #expect(try await new.terminate() == .exited(0))
    }
}
