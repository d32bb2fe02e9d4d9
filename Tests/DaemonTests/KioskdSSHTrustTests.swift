import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// A queue of a print server, from the till's command to the paper: a real `sshd` before a real CUPS.
@Suite struct KioskdSSHTrustTests {
    private static let passphrase = "PASSPHRASE-9d21c07e"
    private static let password = "PASSWORD-41fb6a3c"

    private struct Site {
        let folder: TemporaryFolder
        let cups: CupsServer
        let server: SSHServer
        /// The private key's file.
        let key: String

        init() async throws {
            folder = try TemporaryFolder("kioskd")
            cups = try await CupsServer()
            var options = SSHServer.Options()
            options.hostKeyTypes = ["ecdsa", "ed25519"]
            options.environment = ["CUPS_SERVER": "127.0.0.1:\(cups.port)"]
            server = try await SSHServer(options)
            key = try await server.makeKey(passphrase: passphrase)
            let secrets = "host: { private-key: \(key), passphrase: \(passphrase), password: \(password) }"
            #expect(chmod(try folder.write(secrets, to: "secrets.yaml"), 0o600) == 0)
        }

        func registry(_ trust: String) -> String {
            """
            version: 1
            printers:
              - { id: till-1, url: "ssh+lpr://\(server.user)@127.0.0.1:\(server.port)/receipt", credentials: host, trust: "\(trust)" }
            roles:
              receipt: { printers: [till-1] }
            """
        }

        func daemon(_ trust: String) async throws -> KioskdFixture {
            try await KioskdFixture(folder: folder, registry: registry(trust), arguments: ["--log-level", "trace"])
        }

        var logins: Int { server.log.components(separatedBy: "userauth-request").count - 1 }

        var ed25519: String {
            get throws { try #require(try server.hostKeyLines().first { $0.hasPrefix("ssh-ed25519 ") }) }
        }

        /// As `ssh-keygen -l` prints it.
        func fingerprint() async throws -> Fingerprint {
            let path = try folder.write(ed25519, to: "host.pub")
            let listed = try await ChildProcess.run(
                try InstalledProgram.path("ssh-keygen", package: "openssh-client"), ["-l", "-f", path])
            let word = try #require(listed.standardOutput.split(separator: " ").dropFirst().first)
            #expect(word.hasPrefix("SHA256:"))
            return try #require(Fingerprint(String(word)))
        }

        /// All that must stand nowhere but in the secrets file and the key's own.
        func markers() throws -> [String] {
            let lines = String(decoding: try readFile(key), as: UTF8.self).split(separator: "\n")
            return [passphrase, password] + lines.dropFirst().dropLast().map(String.init)
        }
    }

    private func check(_ code: String, _ daemon: KioskdFixture) async throws -> HealthReport.Check? {
        try await daemon.curl("/v1/health").json(HealthReport.self).checks.first { $0.code == code }
    }

    private func settled(_ job: Job, _ daemon: KioskdFixture) async throws -> Job {
        try await daemon.curl("/v1/jobs/\(job.id)?wait=300").json(Job.self)
    }

    private func trust(_ key: Fingerprint, _ daemon: KioskdFixture) async throws -> ChildProcess.Result {
        try await daemon.kioskctl("printers", "trust", "till-1", "--yes", "--fingerprint", key.openSSH)
    }

    @Test func `a job waits for the host key to be accepted, and again when it has changed`() async throws {
        let site = try await Site()
        let daemon = try await site.daemon("ask")
        let watcher = try ChildProcess(
            try BuiltProducts.path("kioskctl"), ["watch", "--json", "--after", "0"],
            environment: ["KIOSKD_SOCKET": daemon.socket])
        let first = try await daemon.submit("TEA").json(Job.self)
        try await eventually("the host key to be seen") { try await check("host-key-unknown", daemon) != nil }
        #expect(try await check("host-key-unknown", daemon)?.status == .warning)
        let old = try await site.fingerprint()
        var said = ""
        func show() async throws -> String {
            let shown = try await daemon.kioskctl("printers", "trust", "till-1")
            #expect(shown.end == .exited(1))
            said += shown.standardOutput + shown.standardError
            return shown.standardOutput
        }
        let shown = try await show()
        for part in [
            "ssh-ed25519", old.openSSH, "\(old)", "nobody has accepted its host key yet",
            "/etc/ssh/ssh_host_ed25519_key.pub",
        ] {
            #expect(shown.contains(part), "\(part) is missing in: \(shown)")
        }
        #expect(site.logins == 0)
        let accepted = try await trust(old, daemon)
        #expect(accepted.end.isSuccess, "\(accepted.standardError)")
        let printed = try await settled(first, daemon)
        #expect(printed.state == .completed, "\(printed)")
        #expect(String(decoding: try readFile(daemon.registryPath), as: UTF8.self) == site.registry("\(old)"))
        try await eventually("the first receipt") { try site.cups.keptFiles().count == 1 }

        try await site.server.changeHostKeys()
        // Connections outlive it.
        site.server.killSessions()
        let new = try await site.fingerprint()
        let logins = site.logins
        let second = try await daemon.submit("MILK").json(Job.self)
        try await eventually("the change to be seen") { try await check("host-key-changed", daemon) != nil }
        let found = try #require(try await check("host-key-changed", daemon))
        #expect(found.status == .critical)
        for key in [old, new] { #expect(found.message.contains("\(key)"), "\(found.message)") }
        let change = try await show()
        for part in ["old key's SHA-256  \(old.openSSH)", "new key's SHA-256  \(new.openSSH)"] {
            #expect(change.contains(part), "\(change)")
        }
        #expect(try await daemon.curl("/v1/jobs/\(second.id)").json(Job.self).state == .pending)
        #expect(site.logins == logins)
        #expect(try site.cups.keptFiles().count == 1)
        let renewed = try await trust(new, daemon)
        #expect(renewed.end.isSuccess, "\(renewed.standardError)")
        #expect(renewed.standardError == "kioskctl: till-1 is trusted no longer by \(old)\n")
        #expect(try await settled(second, daemon).state == .completed)
        try await eventually("the second receipt") { try site.cups.keptFiles().count == 2 }
        #expect(try site.cups.keptFiles().map { String(decoding: try readFile($0), as: UTF8.self) } == ["TEA", "MILK"])
        #expect(try await check("host-key-changed", daemon) == nil)
        for path in ["/v1/printers/till-1", "/v1/jobs", "/v1/health"] { said += try await daemon.curl(path).text }
        try await daemon.terminate()
        for text in [said, watcher.standardOutput, watcher.standardError, daemon.log] {
            for marker in try site.markers() { #expect(!text.contains(marker)) }
        }
        #expect(watcher.standardOutput.contains("host-key-changed"))
    }

    @Test func `a key that a known_hosts file revokes is never pinned`() async throws {
        let site = try await Site()
        let path = try site.folder.write(
            "[127.0.0.1]:\(site.server.port) \(try site.ed25519)\n@revoked * \(try site.ed25519)\n", to: "known_hosts")
        let daemon = try await site.daemon("known-hosts:\(path)")
        let job = try await daemon.submit("TEA").json(Job.self)
        try await eventually("the revoked key to be seen") { try await check("host-key-revoked", daemon) != nil }
        #expect(try await check("host-key-revoked", daemon)?.status == .critical)
        let key = try await site.fingerprint()
        let refused = try await trust(key, daemon)
        #expect(refused.end == .exited(1))
        #expect(refused.standardError.contains("is marked as revoked"), "\(refused.standardError)")
        let response = try await daemon.curlJSON("POST", "/v1/printers/till-1/trust", #"{"key-fingerprint":"\#(key)"}"#)
        #expect(response.status == 409)
        #expect(try response.json(Problem.self).code == .keyRevoked)
        #expect(
            String(decoding: try readFile(daemon.registryPath), as: UTF8.self) == site.registry("known-hosts:\(path)"))
        #expect(try await daemon.curl("/v1/jobs/\(job.id)").json(Job.self).state == .pending)
        #expect(site.logins == 0)
    }
}
