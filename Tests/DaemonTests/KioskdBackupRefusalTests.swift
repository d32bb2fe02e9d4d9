import Foundation
import Glibc
import KioskAPI
import KioskAPIMessages
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Exports and imports that are refused, who may do what, and what is told and kept secret.
@Suite struct KioskdBackupRefusalTests {
    // MARK: Files that are refused

    @Test func `an export shows of a file that a trust names its certificates alone`() async throws {
        let old = try await KioskToExport()
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
        #expect(!exported.standardOutput.contains(KioskToExport.password))
        #expect(exported.standardOutput.contains("-----BEGIN CERTIFICATE-----\\nA\\n"))
        #expect(exported.standardError.contains("secrets.yaml: it holds no certificate in PEM or host key to export"))
    }

    @Test func `an import writes no trust at a path that the export names, and does not tell what stands there`()
        async throws
    {
        let old = try await KioskToExport()
        let backup = try BackupFixture()
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
        let old = try await KioskToExport(["--listen", "https://127.0.0.1:0"])
        _ = try await old.daemon.port()
        try old.daemon.folder.writePrivately(Array("damaged".utf8), to: "tls/key.pem")
        let backup = try BackupFixture()
        try await backup.export(old.daemon)
        let new = try await KioskdFixture(arguments: ["--listen", "https://127.0.0.1:0"])
        _ = try await new.port()
        let before = try new.folder.filesOfImports()
        let result = try await backup.importExport(new, ["--replace"])
        #expect(result.end == .exited(1))
        #expect(
            result.standardError.contains("the certificate among its secrets does not fit its key; export it again"),
            "\(result.standardError)")
        #expect(try new.folder.filesOfImports() == before)
    }

    @Test func `an export follows a link to a file, and replaces nothing that is none`() async throws {
        let old = try await KioskToExport()
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
        let old = try await KioskToExport()
        let backup = try BackupFixture()
        let text = String(decoding: try readFile(try await backup.export(old.daemon)), as: UTF8.self)
        let new = try await KioskdFixture()
        let before = try new.folder.filesOfImports()
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
        #expect(try new.folder.filesOfImports() == before)
        #expect(try await new.curl("/v1/printers").json(PrinterList.self).printers.isEmpty)
    }

    @Test func `a printer whose profile is missing here refuses all, and so does a secrets file with an error`()
        async throws
    {
        let old = try await KioskToExport()
        let changed = try await old.daemon.curlJSON(
            "PUT", "/v1/printers/till", #"{"url":"ipp://localhost:1/","profile":"our-own"}"#)
        #expect(changed.status == 200, "\(changed.text)")
        let backup = try BackupFixture()
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
            #expect(try daemon.folder.filesOfImports().keys.allSatisfy { $0 == "secrets.yaml" })
            #expect(try await daemon.curl("/v1/tokens").json(TokenList.self).tokens.isEmpty)
        }
    }

    // MARK: Rights and traces

    @Test func `a token of the network exports and imports what can be read, and takes no secrets out`() async throws {
        let old = try await KioskToExport(["--listen", "127.0.0.1:0"])
        let host = "http://127.0.0.1:\(try await old.daemon.port())"
        let admin = try await old.daemon.kioskctl("tokens", "add", "admin", "--scope", "admin").standardOutput
        func run(_ arguments: [String], _ token: String) async throws -> ChildProcess.Result {
            try await ChildProcess.run(
                try BuiltProducts.path("kioskctl"), arguments + ["--host", host],
                environment: ["KIOSKCTL_TOKEN": token.trimmingCharacters(in: .whitespacesAndNewlines)])
        }
        let backup = try BackupFixture()
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
        let old = try await KioskToExport(["--listen", "https://127.0.0.1:0"])
        _ = try await old.daemon.port()
        try old.daemon.folder.writePrivately(
            Array("office: { user: kiosk, agent: true }\n".utf8), to: "secrets.yaml")
        let backup = try BackupFixture()
        try await backup.export(old.daemon)
        let new = try await KioskdFixture(arguments: ["--listen", "127.0.0.1:0"])
        let host = "http://127.0.0.1:\(try await new.port())"
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
        let old = try await KioskToExport()
        let backup = try BackupFixture()
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
            for secret in [KioskToExport.password, "correct horse", "another passphrase", old.token] {
                #expect(!said.contains(secret))
            }
        }
        #expect(try backup.folder.permissions(of: "kiosk.export") == 0o600)
    }

    // MARK: kioskd --check

    @Test func `kioskd --check says what is wrong with an export`() async throws {
        let old = try await KioskToExport()
        let backup = try BackupFixture()
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
}
