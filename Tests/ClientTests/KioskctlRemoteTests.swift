import Foundation
import Glibc
import KioskAPI
import KioskPrintModel
import KioskTestSupport
import Testing

/// `kioskctl --host`.
@Suite struct KioskctlRemoteTests {
    /// Runs the program without a socket in its environment.
    private func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        try await ChildProcess.run(BuiltProducts.path("kioskctl"), arguments, environment: environment)
    }

    @Test func `prints over TLS with the token of a file`() async throws {
        let server = try KioskctlProgram.server([Samples.json(Samples.job())])
        let certificate = try await TestAuthority.selfSigned()
        let tunnel = try await TLSTunnel(to: server.path, certificate: certificate)
        let folder = try TemporaryFolder()
        let token = try folder.write("kiosk_abc\n", to: "token")
        chmod(token, 0o600)
        let file = try folder.write("Tea 2.50\n", to: "receipt.txt")
        let result = try await run([
            "print", file, "--role", "receipt", "--host", "https://localhost:\(tunnel.port)", "--token-file", token,
            "--host-fingerprint", "sha256:\(certificate.keyFingerprint)",
        ])
        #expect(result.end == .exited(0))
        #expect(result.standardOutput == "job 12 accepted for receipt (812 B)\n")
        #expect(server.received.first?.headers["authorization"] == "Bearer kiosk_abc")
    }

    @Test func `takes host, key and token from the environment, and trusts the system's CAs`() async throws {
        let authority = try await TestAuthority()
        let certificate = try await authority.issue()
        let environment = ["KIOSKCTL_TOKEN": "kiosk_env", "SSL_CERT_FILE": authority.root]
        let server = try KioskctlProgram.server([#"{"roles":[]}"#])
        let tunnel = try await TLSTunnel(to: server.path, certificate: certificate)
        let host = ["KIOSKCTL_HOST": "https://127.0.0.1:\(tunnel.port)"]
        let trusted = try await run(["roles"], environment: environment.merging(host) { $1 })
        #expect(trusted.end == .exited(0))
        #expect(server.received.first?.headers["authorization"] == "Bearer kiosk_env")
        let pinned = ["KIOSKCTL_FINGERPRINT": String(repeating: "0", count: 64)]
        let refused = try await run(["roles"], environment: environment.merging(host) { $1 }.merging(pinned) { $1 })
        #expect(refused.end == .exited(1))
        #expect(refused.standardError.contains("nothing was sent"))
    }

    @Test func `a daemon that does not know the token ends it with 77`() async throws {
        let server = try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respondProblem(
                "401 Unauthorized",
                #"{"type":"urn:kioskd:problem:x","title":"x","status":401,"detail":"the token is revoked","code":"x"}"#)
        }
        let tunnel = try await TLSTunnel(to: server.path, certificate: nil)
        let result = try await run(["roles", "--host", "http://127.0.0.1:\(tunnel.port)"])
        #expect(result.end == .exited(77))
        #expect(result.standardError == "kioskctl: the token is revoked\n")
    }

    @Test func `a file that every user can read is no place for a token`() async throws {
        let folder = try TemporaryFolder()
        let token = try folder.write("kiosk_abc\n", to: "token")
        chmod(token, 0o644)
        let result = try await run(["roles", "--host", "https://kiosk.invalid", "--token-file", token])
        #expect(result.end == .exited(1))
        #expect(result.standardError.contains("chmod o= "))
        #expect(!result.standardError.contains("kiosk_abc"))
    }

    @Test(
        arguments: [
            (["roles", "--host", "http://192.0.2.1"], 64), (["roles", "--host", "https://k", "--socket", "/s"], 64),
            (["roles", "--token-file", "/dev/null"], 1), (["roles", "--host", "https://k.invalid"], 69),
        ] as [([String], Int32)]) func `says what is wrong with the choice of a daemon`(
            _ arguments: [String], _ code: Int32
        ) async throws
    {
        let result = try await run(arguments)
        #expect(result.end == .exited(code))
        #expect(result.standardError.hasPrefix("kioskctl: "))
    }
}
