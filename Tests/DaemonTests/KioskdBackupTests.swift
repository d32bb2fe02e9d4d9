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
        let backup = try BackupFixture()
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
                "http://127.0.0.1:\(try await new.port())/v1/jobs?role=receipt&wait=300",
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
        let old = try await KioskToExport(["--listen", "https://127.0.0.1:0"])
        _ = try await old.daemon.port()
        func key(_ daemon: KioskdFixture) async throws -> String {
            let server = try await daemon.kioskctl("server", "--json").standardOutput
            return try #require(server.firstMatch(of: /"key-fingerprint" : "(sha256:[0-9a-f]+)"/)).1.description
        }
        let backup = try BackupFixture()
        try await backup.export(old.daemon)
        let new = try await KioskdFixture(arguments: ["--listen", "https://127.0.0.1:0"])
        let port = try await new.port()
        #expect(try await key(new) != key(old.daemon))
        let kept = try await backup.report(new)
        #expect(kept.changes.first { $0.kind == .certificate }?.action == .keep)
        #expect(try await key(new) != key(old.daemon))
        let replaced = try await backup.report(new, ["--replace"])
        #expect(replaced.changes.first { $0.kind == .certificate }?.action == .replace)
        // At once, and after a restart.
        for isRestarted in [false, true] {
            let port = isRestarted ? try await new.port() : port
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
        let old = try await KioskToExport()
        let backup = try BackupFixture()
        try await backup.export(old.daemon)
        try old.forgetAuthority()
        let new = try await KioskdFixture()
        let before = try new.folder.filesOfImports()
        let planned = try await backup.report(new, ["--dry-run"])
        #expect(planned.isDryRun)
        #expect(planned.changes.allSatisfy { $0.action == .add })
        #expect(try new.folder.filesOfImports() == before)
        #expect(try await new.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
        let done = try await backup.report(new)
        #expect(done.changes == planned.changes)
        #expect(done.missing.isEmpty, "\(done.missing)")
        #expect(
            done.changes.map(\.kind) == [
                .trustFile, .login, .login, .token, .printer, .printer, .printer, .role, .role,
            ])
        let after = try new.folder.filesOfImports()
        let again = try await backup.report(new)
        #expect(again.changes.allSatisfy { $0.action == .same }, "\(again.changes)")
        #expect(try new.folder.filesOfImports() == after)
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
            #expect(try new.folder.permissions(of: name) & 0o077 == 0, "\(name)")
        }
    }

    @Test func `what stands and differs stays, until it is to be replaced; what is not in the export stays always`()
        async throws
    {
        let old = try await KioskToExport()
        let backup = try BackupFixture()
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
        let before = try folder.filesOfImports()
        func actions(_ report: ImportReport) -> [String: ImportReport.Action] {
            Dictionary(uniqueKeysWithValues: report.changes.map { ("\($0.kind.rawValue) \($0.name)", $0.action) })
        }
        let kept = try await backup.importExport(new)
        #expect(kept.end == .exited(0), "\(kept.standardError)")
        #expect(kept.standardError.contains("5 add, 4 keep; --replace replaces what is kept"), "\(kept.standardError)")
        let after = try folder.filesOfImports()
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
        let last = try folder.filesOfImports()
        let text = String(decoding: try #require(last["secrets.yaml"]), as: UTF8.self)
        #expect(text.hasPrefix("# Ours.\n"))
        #expect(text.contains("own: { token: abc }\n"))
        #expect(text.contains(KioskToExport.password))
        #expect(try await new.curl("/v1/printers/own").status == 200)
        #expect(try await new.curl("/v1/roles/receipt").text.contains("\"printers\":[\"till\"]"))
        #expect(try await backup.report(new, ["--replace"]).changes.allSatisfy { $0.action == .same })
    }

    @Test func `without secrets it says which logins are missing`() async throws {
        let old = try await KioskToExport()
        let folder = try TemporaryFolder("backup")
        let exported = try await old.daemon.kioskctl("export")
        #expect(exported.end == .exited(0), "\(exported.standardError)")
        #expect(!exported.standardOutput.contains(KioskToExport.password))
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
        let backup = try BackupFixture()
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
        let old = try await KioskToExport()
        let backup = try BackupFixture()
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

    // MARK: A power cut

    /// One export with everything, for all steps.
    private actor SharedExport {
        private var made: Task<BackupFixture, any Error>?

        func backup() async throws -> BackupFixture {
            if let made { return try await made.value }
            let task = Task {
                let kiosk = try await KioskToExport(["--listen", "https://127.0.0.1:0"])
                try await eventually("the daemon to have its certificate") {
                    FileManager.default.fileExists(atPath: kiosk.daemon.folder.appending("tls/certificate.pem"))
                }
                let backup = try BackupFixture()
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
        let before = try folder.filesOfImports()
        try await new.start(environment: ["LD_PRELOAD": library, "CRASH_POINT": step])
        let cut = try await backup.importExport(new, ["--replace"])
        #expect(cut.end != .exited(0), "\(cut.standardError)")
        #expect(try await new.process.wait() == .signalled(SIGKILL))
        let between = try folder.filesOfImports()

        // The next start reads whatever there is.
        try await new.start()
        #expect(try await new.curl("/v1/health").status == 200)
        let report = try await backup.report(new, ["--replace"])
        #expect(report.missing.isEmpty, "\(report.missing)")
        let after = try folder.filesOfImports()
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
