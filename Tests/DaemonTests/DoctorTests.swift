import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskTestSupport
import Testing

/// `kioskctl doctor`: each finding is made, found, and mended by the command that it comes with.
@Suite(.timeLimit(.minutes(10)), .enabled(if: geteuid() == 0)) struct DoctorTests {
    private struct Report: Decodable {
        var findings: [Finding]
    }

    private struct Finding: Decodable {
        var code: String
        var subject: String
        var message: String
        var command: String?
    }

    /// A fault of an installation: how it is made in a state directory, and the further words of the command line.
    struct Fault: Sendable, CustomTestStringConvertible {
        var code: String
        var arguments: @Sendable (TemporaryFolder) -> [String] = { _ in [] }
        var make: @Sendable (TemporaryFolder) async throws -> Void
        /// What the message says that somebody has to do behind the command.
        var finish: @Sendable (TemporaryFolder) throws -> Void
        var testDescription: String { code }

        init(
            _ code: String, arguments: @escaping @Sendable (TemporaryFolder) -> [String] = { _ in [] },
            _ make: @escaping @Sendable (TemporaryFolder) async throws -> Void,
            finish: @escaping @Sendable (TemporaryFolder) throws -> Void = { _ in }
        ) {
            self.code = code
            self.arguments = arguments
            self.make = make
            self.finish = finish
        }

        /// A file with a mode that it should not have.
        init(_ code: String, file: String, mode: mode_t) {
            self.init(code) { folder in
                try folder.write(file.hasSuffix(".yaml") ? "" : "{}", to: file)
                try DoctorTests.change(folder.appending(file), mode: mode)
            }
        }
    }

    private static let registry = "version: 1\nprinters: []\nroles: {}\n"
    private static let overSSH = """
        version: 1
        printers:
          - { id: office, url: "ssh+lpr://kiosk@localhost/office", credentials: host }
        roles: {}

        """

    static let faults: [Fault] = [
        Fault("secrets-open", file: "secrets.yaml", mode: 0o644),
        Fault("secrets-owner") { folder in
            try change(try folder.write("", to: "secrets.yaml"), mode: 0o600, owner: 65534)
        },
        Fault("registry-writable") { try change($0.appending("printers.yaml"), mode: 0o666) },
        Fault("registry-owner") { try change($0.appending("printers.yaml"), mode: 0o600, owner: 65534) },
        Fault("registry-invalid") { folder in
            try folder.write(registry, to: "printers.yaml.~1~")
            try folder.write("version: 1\nprinters: oops\n", to: "printers.yaml")
        },
        Fault("state-directory-writable") { try change($0.path, mode: 0o777) },
        Fault("documents-open") { folder in
            try FileManager.default.createDirectory(
                atPath: folder.appending("documents"), withIntermediateDirectories: false)
            try change(folder.appending("documents"), mode: 0o755)
        },
        Fault("queue-open", file: "queue.sqlite", mode: 0o644),
        Fault("queue-owner") { folder in
            try change(try folder.write("", to: "queue.sqlite"), mode: 0o600, owner: 65534)
        },
        Fault("tokens-owner") { folder in
            try change(try folder.write("{}", to: "tokens.json"), mode: 0o600, owner: 65534)
        },
        Fault("tokens-open", file: "tokens.json", mode: 0o640),
        Fault("audit-open", file: "audit.jsonl", mode: 0o644),
        Fault("queue-damaged", file: "queue.sqlite.damaged-20261127T010203004", mode: 0o600),
        Fault("audit-damaged", file: "audit.jsonl.damaged-20261127T010203004", mode: 0o600),
        Fault("socket-replaced", file: "kioskd.sock", mode: 0o600),
        Fault("socket-folder-closed", arguments: { ["--", "--socket", $0.appending("run/kioskd.sock")] }) { folder in
            try FileManager.default.createDirectory(
                atPath: folder.appending("run"), withIntermediateDirectories: false)
            try change(folder.appending("run"), mode: 0o700)
        },
        Fault("profile-writable", arguments: { ["--", "--profiles", $0.appending("profiles")] }) { folder in
            try FileManager.default.copyItem(atPath: ShippedProfiles.folder, toPath: folder.appending("profiles"))
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.appending("profiles")) {
                try change(folder.appending("profiles/\(name)"), mode: 0o644)
            }
            try change(folder.appending("profiles"), mode: 0o755)
            try change(folder.appending("profiles/generic-80mm.yaml"), mode: 0o666)
        },
        Fault("server-certificate-expired") { folder in
            let old = try await TestAuthority.selfSigned(.init("kiosk", names: ["localhost"], validity: .expired))
            try put(certificate: old.certificate, key: old.key, in: folder)
        },
        Fault("server-certificate-names") { folder in
            let openssl = try InstalledProgram.path("openssl", package: "openssl")
            let (certificate, key) = (folder.appending("other.pem"), folder.appending("other.key"))
            let made = try await ChildProcess.run(
                openssl,
                ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "100"]
                    + [
                        "-subj", "/CN=other", "-addext", "subjectAltName=DNS:other", "-keyout", key, "-out",
                        certificate,
                    ])
            #expect(made.end.isSuccess, "\(made.standardError)")
            try put(certificate: certificate, key: key, in: folder)
        },
        Fault("server-key-open") { folder in
            let good = try await TestAuthority.selfSigned()
            try put(certificate: good.certificate, key: good.key, in: folder)
            try change(folder.appending("tls/key.pem"), mode: 0o644)
        },
        Fault("ssh-key-rsa", { try await putKey("rsa", mode: 0o600, in: $0) }) { folder in
            // The command leaves the secrets alone: the host does not know the new key yet.
            let secrets = try readFile(folder.appending("secrets.yaml"))
            #expect(secrets == Array("host:\n  private-key: id_rsa\n".utf8))
            try folder.write("host:\n  private-key: id_rsa_ed25519\n", to: "secrets.yaml")
            try change(folder.appending("secrets.yaml"), mode: 0o600)
        },
        Fault("credentials-unusable") { try await putKey("ed25519", mode: 0o644, in: $0) },
    ]

    @Test(arguments: faults) func `a finding is mended by its command`(_ fault: Fault) async throws {
        let folder = try TemporaryFolder("doctor")
        try folder.write(Self.registry, to: "printers.yaml")
        try Self.change(folder.appending("printers.yaml"), mode: 0o600)
        let arguments = ["--state-dir", folder.path, "--json"] + fault.arguments(folder)
        #expect(try await Self.findings(arguments).allSatisfy { $0.code != fault.code })
        try await fault.make(folder)
        let found = try await Self.findings(arguments).filter { $0.code == fault.code }
        #expect(found.count == 1, "\(found)")
        let command = try #require(found.first?.command)
        try await Self.mend(command)
        try fault.finish(folder)
        #expect(try await Self.findings(arguments).allSatisfy { $0.code != fault.code }, "after: \(command)")
    }

    @Test func `a command has the path as one word, whatever stands in it`() async throws {
        let folder = try TemporaryFolder("doctor")
        try await Self.putKey("ed25519", mode: 0o600, in: folder)
        let name = "run: touch \(folder.path)/evil #"
        try FileManager.default.createDirectory(
            atPath: folder.appending(name), withIntermediateDirectories: true)
        let key = folder.appending("\(name)/key")
        try FileManager.default.moveItem(atPath: folder.appending("id_ed25519"), toPath: key)
        try Self.change(key, mode: 0o644)
        try folder.write("host:\n  private-key: \"\(key)\"\n", to: "secrets.yaml")
        try Self.change(folder.appending("secrets.yaml"), mode: 0o600)
        let arguments = ["--state-dir", folder.path, "--json"]
        let found = try #require(try await Self.findings(arguments).first { $0.code == "credentials-unusable" })
        try await Self.mend(try #require(found.command))
        #expect(!FileManager.default.fileExists(atPath: folder.appending("evil")))
        #expect(try await Self.findings(arguments).allSatisfy { $0.code != "credentials-unusable" })
    }

    @Test func `a broken profile is no broken registry`() async throws {
        let folder = try TemporaryFolder("doctor")
        try folder.write(Self.registry, to: "printers.yaml")
        try Self.change(folder.appending("printers.yaml"), mode: 0o600)
        try FileManager.default.createDirectory(
            atPath: folder.appending("profiles"), withIntermediateDirectories: false)
        try folder.write("nonsense\n", to: "profiles/till.yaml")
        let found = try await Self.findings(
            ["--state-dir", folder.path, "--json", "--", "--profiles", folder.appending("profiles")])
        #expect(found.filter { $0.code == "profiles-invalid" }.count == 1, "\(found)")
        #expect(found.allSatisfy { $0.code != "registry-invalid" })
    }

    @Test func `a registry that is refused is kept beside the one that is put back`() async throws {
        let folder = try TemporaryFolder("doctor")
        try folder.write(Self.registry, to: "printers.yaml.~1~")
        try folder.write("version: 1\nprinters: oops\n", to: "printers.yaml")
        let found = try #require(
            try await Self.findings(["--state-dir", folder.path, "--json"]).first { $0.code == "registry-invalid" })
        try await Self.mend(try #require(found.command))
        #expect(try readFile(folder.appending("printers.yaml.refused")) == Array("version: 1\nprinters: oops\n".utf8))
    }

    /// Systemd listens for a daemon that hangs.
    @Test func `a listener that does not answer is seen, and the doctor ends`() async throws {
        let folder = try TemporaryFolder("doctor")
        let listener = try RawListener(folder.appending("kioskd.sock"))
        let found = try await Self.findings(["--state-dir", folder.path, "--json"])
        #expect(found.contains { $0.code == "daemon-not-answering" && $0.command == nil }, "\(found)")
        #expect(found.allSatisfy { $0.code != "daemon-not-running" })
        withExtendedLifetime(listener) {}
    }

    @Test func `a folder that the socket's group alone may enter is no finding`() async throws {
        let folder = try TemporaryFolder("doctor")
        try FileManager.default.createDirectory(atPath: folder.appending("run"), withIntermediateDirectories: false)
        let audio = try #require(getgrnam("audio")).pointee.gr_gid
        #expect(chown(folder.appending("run"), 0, audio) == 0 && chmod(folder.appending("run"), 0o750) == 0)
        let arguments = ["--state-dir", folder.path, "--json", "--", "--socket", folder.appending("run/kioskd.sock")]
        #expect(try await Self.findings(arguments).contains { $0.code == "socket-folder-closed" })
        let ofGroup = try await Self.findings(arguments + ["--socket-group", "audio"])
        #expect(ofGroup.allSatisfy { $0.code != "socket-folder-closed" })
    }

    @Test func `a certificate whose key the daemon's user cannot read is seen`() async throws {
        let folder = try TemporaryFolder("doctor")
        let state = folder.appending("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        try Self.change(state, mode: 0o700, owner: 65534)
        let good = try await TestAuthority.selfSigned()
        let (certificate, key) = (folder.appending("certificate.pem"), folder.appending("key.pem"))
        try FileManager.default.copyItem(atPath: good.certificate, toPath: certificate)
        try FileManager.default.copyItem(atPath: good.key, toPath: key)
        try Self.change(certificate, mode: 0o644)
        try Self.change(key, mode: 0o600)
        let arguments =
            ["--state-dir", state, "--json", "--", "--listen", "127.0.0.1"]
            + ["--tls-certificate", certificate, "--tls-key", key]
        let found = try await Self.findings(arguments).filter { $0.code == "server-certificate-unreadable" }
        #expect(found.map(\.subject) == [key])
        try Self.change(key, mode: 0o600, owner: 65534)
        #expect(try await Self.findings(arguments).allSatisfy { $0.code != "server-certificate-unreadable" })
    }

    @Test func `a state directory that is missing is made by the command`() async throws {
        let folder = try TemporaryFolder("doctor")
        let arguments = ["--state-dir", folder.appending("state"), "--json"]
        let found = try #require(try await Self.findings(arguments).first { $0.code == "state-directory-missing" })
        try await Self.mend(try #require(found.command))
        #expect(try await Self.findings(arguments).allSatisfy { $0.code != found.code })
    }

    @Test func `a daemon that is not running is started by the command, and its socket's mode is seen`() async throws {
        let folder = try TemporaryFolder("doctor")
        try folder.write(Self.registry, to: "printers.yaml")
        try Self.change(folder.appending("printers.yaml"), mode: 0o600)
        let arguments = ["--state-dir", folder.path, "--json"]
        let found = try #require(try await Self.findings(arguments).first { $0.code == "daemon-not-running" })
        let daemon = try ChildProcess("/bin/sh", ["-c", "exec \(try #require(found.command))"], environment: Self.path)
        try await eventually("kioskd to be found") {
            try await Self.findings(arguments).allSatisfy { $0.code != "daemon-not-running" }
        }
        try Self.change(folder.appending("kioskd.sock"), mode: 0o777)
        let mode = try #require(try await Self.findings(arguments).first { $0.code == "socket-mode" })
        try await Self.mend(try #require(mode.command))
        #expect(try await Self.findings(arguments).allSatisfy { $0.code != "socket-mode" })
        #expect(try await daemon.terminate() == .exited(0))
    }

    @Test func `a helper that cannot be run is mended, and one that is missing is told`() async throws {
        let folder = try TemporaryFolder("doctor")
        for name in ["kioskd", "kiosk-draw", "kiosk-render"] {
            try FileManager.default.copyItem(atPath: try BuiltProducts.path(name), toPath: folder.appending(name))
        }
        let program = folder.appending("kioskd")
        let arguments = ["--doctor", "--state-dir", folder.path, "--json"]
        try Self.change(folder.appending("kiosk-draw"), mode: 0o644)
        let found = try #require(
            try await Self.findings(arguments, program: program).first { $0.code == "helper-not-executable" })
        #expect(found.subject == folder.appending("kiosk-draw"))
        try await Self.mend(try #require(found.command))
        #expect(try await Self.findings(arguments, program: program).allSatisfy { $0.code != "helper-not-executable" })
        try FileManager.default.removeItem(atPath: folder.appending("kiosk-render"))
        #expect(try await Self.findings(arguments, program: program).contains { $0.code == "helper-missing" })
    }

    /// In a copy of /etc, so that this computer's groups stay as they are.
    @Test(arguments: [
        ("group-missing", ["--", "--admin-group", "kiosk-doctor-test"]),
        ("user-not-in-group", ["--user", "nobody", "--", "--socket-group", "audio"]),
        ("user-missing", ["--user", "kiosk-doctor-test"]),
    ])
    func `users and groups are made by the command`(_ code: String, _ more: [String]) async throws {
        let folder = try TemporaryFolder("doctor")
        let arguments = ["--state-dir", folder.path, "--json"] + more
        let found = try #require(try await Self.findings(arguments).first { $0.code == code })
        let kioskctl = try BuiltProducts.path("kioskctl")
        let again = (["doctor"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            cp -a /etc '\(folder.path)/etc' && mount --bind '\(folder.path)/etc' /etc || exit 99
            \(try #require(found.command)) >&2 || exit 98
            exec '\(kioskctl)' \(again)
            """
        let unshare = try InstalledProgram.path("unshare", package: "util-linux")
        let result = try await ChildProcess.run(unshare, ["-m", "sh", "-c", script], environment: Self.path)
        #expect(result.end == .exited(0) || result.end == .exited(1), "\(result.standardError)")
        let after = try JSONDecoder().decode(Report.self, from: Data(result.standardOutput.utf8)).findings
        #expect(after.allSatisfy { $0.code != code })
    }

    @Test(.enabled(if: SmallDisk.isPossible))
    func `a disk that takes no writes is mounted writable by the command`() async throws {
        let disk = try SmallDisk()
        let arguments = ["--state-dir", disk.path, "--json"]
        let mount = try InstalledProgram.path("mount", package: "mount")
        #expect(try await ChildProcess.run(mount, ["-o", "remount,ro", disk.path]).end.isSuccess)
        let found = try #require(try await Self.findings(arguments).first { $0.code == "disk-read-only" })
        try await Self.mend(try #require(found.command))
        let after = try await Self.findings(arguments)
        #expect(after.allSatisfy { $0.code != "disk-read-only" })
        // It is a small one.
        #expect(after.contains { $0.code == "disk-space-low" })
    }

    @Test func `for people each finding has its command on a line of its own`() async throws {
        let folder = try TemporaryFolder("doctor")
        try folder.write("", to: "secrets.yaml")
        try Self.change(folder.appending("secrets.yaml"), mode: 0o644)
        let result = try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"), ["doctor", "--state-dir", folder.path])
        #expect(result.end == .exited(1))
        #expect(result.standardOutput.contains("[secrets-open]\n    # chmod 600 \(folder.path)/secrets.yaml\n"))
    }

    // MARK: Parts

    private static var path: [String: String] {
        get throws {
            let folder = URL(fileURLWithPath: try BuiltProducts.path("kioskd")).deletingLastPathComponent().path
            return ["PATH": "\(folder):/usr/sbin:/usr/bin:/sbin:/bin"]
        }
    }

    private static func findings(_ arguments: [String], program: String? = nil) async throws -> [Finding] {
        let result = try await ChildProcess.run(
            try program ?? BuiltProducts.path("kioskctl"), (program == nil ? ["doctor"] : []) + arguments)
        #expect(result.end == .exited(0) || result.end == .exited(1), "\(result.standardError)")
        return try JSONDecoder().decode(Report.self, from: Data(result.standardOutput.utf8)).findings
    }

    private static func mend(_ command: String) async throws {
        let result = try await ChildProcess.run("/bin/sh", ["-c", command], environment: try path)
        #expect(result.end.isSuccess, "\(command): \(result.standardError)")
    }

    private static func change(_ path: String, mode: mode_t, owner: uid_t? = nil) throws {
        guard chmod(path, mode) == 0, owner.map({ chown(path, $0, gid_t($0)) == 0 }) ?? true else {
            throw TestSupportError.errno("chmod \(path)", errno)
        }
    }

    private static func put(certificate: String, key: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(atPath: folder.appending("tls"), withIntermediateDirectories: false)
        for (source, name) in [(certificate, "certificate.pem"), (key, "key.pem")] {
            try FileManager.default.copyItem(atPath: source, toPath: folder.appending("tls/\(name)"))
            try change(folder.appending("tls/\(name)"), mode: 0o600)
        }
    }

    private static func putKey(_ kind: String, mode: mode_t, in folder: TemporaryFolder) async throws {
        let tool = try InstalledProgram.path("ssh-keygen", package: "openssh-client")
        let key = folder.appending("id_\(kind)")
        let made = try await ChildProcess.run(tool, ["-q", "-t", kind, "-N", "", "-f", key])
        #expect(made.end.isSuccess, "\(made.standardError)")
        try change(key, mode: mode)
        try folder.write(overSSH, to: "printers.yaml")
        try folder.write("host:\n  private-key: id_\(kind)\n", to: "secrets.yaml")
        try change(folder.appending("secrets.yaml"), mode: 0o600)
    }
}
