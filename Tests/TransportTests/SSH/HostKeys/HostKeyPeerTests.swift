import Foundation
import KioskPrintModel
import KioskTestSupport
import Logging
import NIOPosix
import Testing

@testable import KioskSSH

/// Trust against a real sshd, with files that OpenSSH's own programs write.
@Suite struct HostKeyPeerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("host-key-peer") }

    private func server(_ types: [String] = ["ed25519", "ecdsa"]) async throws -> SSHServer {
        var options = SSHServer.Options()
        options.hostKeyTypes = types
        return try await SSHServer(options)
    }

    /// Runs a command on the server, or says why nothing was sent to it.
    private func refusal(
        _ server: SSHServer, _ trust: Trust, _ keys: HostKeyTrust = HostKeyTrust(systemFiles: [])
    ) async throws -> SSHError? {
        let policy = try await keys.policy(for: trust, host: "127.0.0.1", port: server.port)
        do {
            let result = try await server.withHost(policy: policy) { try await $0.run(RemoteCommand.patient("exit 0")) }
            #expect(result.exit == .status(0))
            return nil
        } catch let error as SSHError {
            return error
        }
    }

    private func shown(_ server: SSHServer, preferring algorithms: [String] = []) async throws -> HostKey {
        let policy = HostKeyPolicy(preferredAlgorithms: algorithms) { _, _ in }
        return try await SSHHost.hostKey(
            of: server.endpoint(), policy: policy, eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        ).key
    }

    @Test(arguments: [false, true]) func `what ssh-keyscan writes is trusted, and changed keys are not`(
        isHashed: Bool
    ) async throws {
        let server = try await server()
        let scan = try await ChildProcess.run(
            try InstalledProgram.path("ssh-keyscan", package: "openssh-client"), ["-p", "\(server.port)", "127.0.0.1"])
        let path = try folder.write(scan.standardOutput, to: "known_hosts")
        if isHashed { try await HostKeyFixtures.run(["-q", "-H", "-f", path]) }
        #expect(try await refusal(server, .knownHosts(path: path)) == nil)
        let old = try await shown(server)
        try await server.changeHostKeys()
        let error = try #require(try await refusal(server, .knownHosts(path: path)))
        #expect(error.code == .hostKeyChanged(from: [old.fingerprint]))
        #expect(try await error.hostKey == shown(server))
        #expect(
            !server.log.contains("Accepted publickey")
                || server.log.components(separatedBy: "Accepted publickey").count == 2)
    }

    @Test(arguments: [0, 1]) func `a host of which one key is known is asked for that one`(index: Int) async throws {
        let server = try await server()
        let path = try folder.write(
            "[127.0.0.1]:\(server.port) \(try server.hostKeyLines()[index])\n", to: "known_hosts")
        #expect(try await refusal(server, .knownHosts(path: path)) == nil)
    }

    @Test func `the key that is shown can be pinned, and its fingerprint is the one that ssh-keygen prints`()
        async throws
    {
        let server = try await server()
        for algorithm in ["ssh-ed25519", "ecdsa-sha2-nistp256"] {
            let key = try await shown(server, preferring: [algorithm])
            #expect(key.algorithm == algorithm)
            let line = try #require(try server.hostKeyLines().first { $0.hasPrefix(algorithm) })
            let printed = try await HostKeyFixtures.run(["-l", "-f", folder.write(line, to: "key.pub")])
            #expect(printed.contains(key.fingerprint.openSSH))
        }
        #expect(try await refusal(server, .pinned([shown(server).fingerprint])) == nil)
        let other = try #require(Fingerprint(octets: [UInt8](repeating: 7, count: 32)))
        #expect(try await refusal(server, .pinned([other]))?.code == .hostKeyChanged(from: [other]))
    }

    @Test func `the Ed25519 key is shown where none is known, as ssh shows it`() async throws {
        let server = try await server(["rsa", "ecdsa", "ed25519"])
        #expect(try await shown(server).algorithm == "ssh-ed25519")
        #expect(try await refusal(server, .ask)?.hostKey?.algorithm == "ssh-ed25519")
    }

    @Test func `a key that the system's files revoke is refused although it is pinned`() async throws {
        let server = try await server(["ed25519"])
        let path = try folder.write("@revoked * \(try server.hostKeyLines()[0])\n", to: "known_hosts")
        let pin = Trust.pinned([try await shown(server).fingerprint])
        #expect(try await refusal(server, pin, HostKeyTrust(systemFiles: [path]))?.code == .hostKeyRevoked)
        #expect(!server.log.contains("userauth"))
    }

    @Test(arguments: [0, 1]) func `either key of a host can be pinned, whichever it shows first`(
        index: Int
    ) async throws {
        let server = try await server()
        let types = ["ssh-ed25519", "ecdsa-sha2-nistp256"]
        #expect(try await refusal(server, .pinned([shown(server, preferring: [types[index]]).fingerprint])) == nil)
    }

    @Test func `nothing goes to a host that nobody knows, or whose key was revoked`() async throws {
        let server = try await server(["ed25519"])
        #expect(try await refusal(server, .ask)?.code == .hostKeyUnknown)
        #expect(try await refusal(server, .system)?.code == .hostKeyUnknown)
        let line = try server.hostKeyLines()[0]
        let path = try folder.write("[127.0.0.1]:\(server.port) \(line)\n@revoked * \(line)\n", to: "known_hosts")
        #expect(try await refusal(server, .knownHosts(path: path))?.code == .hostKeyRevoked)
        #expect(!server.log.contains("userauth"))
        #expect(try await refusal(server, .none) == nil)
        #expect(server.log.contains("userauth"))
    }
}
