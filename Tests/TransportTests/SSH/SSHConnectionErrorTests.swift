import KioskPrintModel
import KioskSSH
import KioskTestSupport
import NIOCore
import NIOPosix
import Testing

@Suite("SSH: why there is no connection", .timeLimit(.minutes(10)))
struct SSHConnectionErrorTests {
    private func failure(of endpoint: SSHEndpoint, _ deadlines: SSHDeadlines = .patient) async throws -> SSHError {
        try await withHost(at: endpoint, deadlines: deadlines) { host in
            try await sshError { _ = try await host.run(RemoteCommand.patient("true")) }
        }
    }

    private var short: SSHDeadlines {
        var deadlines = SSHDeadlines.patient
        deadlines.handshake = .milliseconds(300)
        return deadlines
    }

    @Test("A port that nobody listens on refuses")
    func closedPort() async throws {
        let error = try await failure(of: SSHEndpoint(host: "127.0.0.1", port: try freePort(), user: "u"))
        #expect(error.code == .connectionRefused)
        #expect(error.operation == "connect")
    }

    @Test("A name that leads nowhere")
    func unknownName() async throws {
        #expect(try await failure(of: SSHEndpoint(host: "nobody.invalid", user: "u")).code == .hostNotFound)
    }

    @Test("A host that accepts and says nothing is given up")
    func silence() async throws {
        let server = try await ScriptedSSHServer { _ in }
        let error = try await failure(of: SSHEndpoint(host: "127.0.0.1", port: server.port, user: "u"), short)
        #expect(error.code == .timedOut)
        #expect(error.operation == "handshake")
    }

    @Test("A host that hangs up, at once or after its greeting", arguments: ["", "SSH-2.0-x\r\n"])
    func hangsUp(greeting: String) async throws {
        let server = try await ScriptedSSHServer { channel in
            channel.writeAndFlush(ByteBuffer(string: greeting)).whenComplete { _ in channel.close(promise: nil) }
        }
        let error = try await failure(of: SSHEndpoint(host: "127.0.0.1", port: server.port, user: "u"))
        #expect(error.code == .connectionLost)
        #expect(error.operation == "handshake")
    }

    @Test(
        "What answers speaks no SSH",
        arguments: ["\0\0\0\0", "SSH-2.0-x\r\n" + String(repeating: "garbage ", count: 100)])
    func garbage(text: String) async throws {
        let server = try await ScriptedSSHServer { $0.sendText(text) }
        let error = try await failure(of: SSHEndpoint(host: "127.0.0.1", port: server.port, user: "u"), short)
        #expect(error.code == .protocolViolation || error.code == .timedOut, "\(error)")
    }

    @Test("Greetings without end are cut off")
    func endlessGreeting() async throws {
        let server = try await ScriptedSSHServer { $0.repeatForever(String(repeating: "hello\r\n", count: 500)) }
        let error = try await failure(of: SSHEndpoint(host: "127.0.0.1", port: server.port, user: "u"))
        #expect(error.code == .tooMuchOutput)
    }

    @Test(
        "A server with which we have no algorithm in common, by its kind",
        arguments: [
            ("KexAlgorithms sntrup761x25519-sha512@openssh.com", "key exchange or host key"),
            ("Ciphers chacha20-poly1305@openssh.com", "cipher"),
            ("Ciphers aes256-gcm@openssh.com,aes128-gcm@openssh.com", "cipher"),
            ("MACs umac-128-etm@openssh.com", "MAC"),
        ])
    func noCommonAlgorithm(line: String, kind: String) async throws {
        var options = SSHServer.Options()
        options.lines = [line]
        let server = try await SSHServer(options)
        let error = try await failure(of: server.endpoint())
        #expect(error.code == .noCommonAlgorithm, "\(error)")
        #expect(error.reason.contains("no \(kind) algorithm in common with libssh2 "))
    }

    @Test("A server that has an RSA host key alone signs with what libssh2 does not know")
    func rsaHostKey() async throws {
        var options = SSHServer.Options()
        options.hostKeyTypes = ["rsa"]
        let server = try await SSHServer(options)
        let error = try await failure(of: server.endpoint())
        #expect(error.code == .noCommonAlgorithm, "\(error)")
        #expect(error.reason.contains("host key") && error.reason.contains("ssh-rsa"))
    }

    @Test("The host key is shown without a login, with what the policy says of it")
    func showsHostKey() async throws {
        let server = try await SSHServer()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let first = try await SSHHost.hostKey(of: server.endpoint(), policy: .any, eventLoop: loop)
        #expect(first.key.algorithm == "ssh-ed25519")
        #expect(first.refusal == nil)
        let line = try #require(try server.hostKeyLines().first)
        let refusing = HostKeyPolicy { key, _ throws(SSHError) in
            throw SSHError(.hostKeyChanged(from: []), operation: "host key", reason: "other", hostKey: key)
        }
        try await server.changeHostKeys()
        let second = try await SSHHost.hostKey(of: server.endpoint(), policy: refusing, eventLoop: loop)
        #expect(second.key != first.key)
        #expect(second.refusal?.code == .hostKeyChanged(from: []))
        #expect(try server.hostKeyLines().first != line)
        #expect(!server.log.contains("userauth-request"))
    }

    @Test("A key that is not trusted ends the connection before anybody logs in")
    func distrust() async throws {
        let server = try await SSHServer()
        let refusing = HostKeyPolicy { key, _ throws(SSHError) in
            throw SSHError(.hostKeyUnknown, operation: "host key", reason: "unknown", hostKey: key)
        }
        let error = try await withHost(at: server.endpoint(), policy: refusing) { host in
            try await sshError { _ = try await host.run(RemoteCommand.patient("true")) }
        }
        #expect(error.code == .hostKeyUnknown)
        #expect(error.hostKey?.algorithm == "ssh-ed25519")
        #expect(!server.log.contains("userauth-request"))
    }

    @Test("The type of key that is known is asked for first, and another where the first is not the pinned one")
    func prefersKnownType() async throws {
        var options = SSHServer.Options()
        options.hostKeyTypes = ["ed25519", "ecdsa"]
        let server = try await SSHServer(options)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let ecdsa = try await SSHHost.hostKey(
            of: server.endpoint(), policy: HostKeyPolicy(preferredAlgorithms: ["ecdsa-sha2-nistp256"]) { _, _ in },
            eventLoop: loop)
        #expect(ecdsa.key.algorithm == "ecdsa-sha2-nistp256")
        let trust = HostKeyTrust()
        let policy = try await trust.policy(for: .pinned([ecdsa.key.fingerprint]), host: "127.0.0.1", port: server.port)
        let pinned = try await SSHHost.hostKey(of: server.endpoint(), policy: policy, eventLoop: loop)
        #expect(pinned.key == ecdsa.key)
        #expect(pinned.refusal == nil)
        try await server.withHost(policy: policy) { host in
            let result = try await host.run(RemoteCommand.patient("echo on"))
            #expect(result.text == "on\n")
        }
    }
}
