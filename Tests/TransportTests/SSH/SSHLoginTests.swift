import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskSSH

@Suite("SSH: logins", .timeLimit(.minutes(10)))
struct SSHLoginTests {
    private func output(_ server: SSHServer, _ login: SSHLogin) async throws -> String {
        try await server.withHost(login) { try await $0.run(RemoteCommand.patient("echo on")).text }
    }

    private func failure(_ server: SSHServer, _ login: SSHLogin) async throws -> SSHError {
        try await sshError { _ = try await output(server, login) }
    }

    @Test(
        "Keys of every kind that libssh2 knows, with and without a passphrase",
        arguments: [
            ("ed25519", "", false), ("ed25519", "secret words", false), ("ecdsa", "", false),
            ("ecdsa", "secret words", false),
            ("ecdsa", "", true), ("ecdsa", "secret words", true),
        ])
    func keys(type: String, passphrase: String, pem: Bool) async throws {
        let server = try await SSHServer()
        let path = try await server.makeKey(type, passphrase: passphrase, pem: pem)
        let key = SSHLogin.PrivateKey(path: path, passphrase: passphrase.isEmpty ? nil : Secret(passphrase))
        #expect(try await output(server, SSHLogin(privateKey: key)) == "on\n")
    }

    @Test("A key that the server does not know is refused, with what it offers")
    func unknownKey() async throws {
        let server = try await SSHServer()
        let path = try await server.makeKey(authorized: false)
        let error = try await failure(server, SSHLogin(privateKey: .init(path: path)))
        #expect(error.code == .loginRefused)
        #expect(error.offeredMethods == ["publickey"])
    }

    @Test("An RSA key is refused by today's servers, and the error says what to do", arguments: [false, true])
    func rsaKey(pem: Bool) async throws {
        let server = try await SSHServer()
        let path = try await server.makeKey("rsa", pem: pem)
        let error = try await failure(server, SSHLogin(privateKey: .init(path: path)))
        #expect(error.code == .loginRefused)
        #expect(error.reason.contains("ssh-keygen -t ed25519"), "\(error)")
    }

    @Test("A wrong passphrase, a missing one, a file that is not a key, and none at all")
    func unusableKeys() async throws {
        let server = try await SSHServer()
        let locked = try await server.makeKey(passphrase: "secret words")
        let folder = try TemporaryFolder("keys")
        let keys: [SSHLogin.PrivateKey] = [
            .init(path: locked, passphrase: Secret("other words")), .init(path: locked),
            .init(path: try folder.write("no key", to: "text")), .init(path: folder.appending("nothing")),
        ]
        for key in keys {
            let error = try await failure(server, SSHLogin(privateKey: key))
            #expect(error.code == .credentialsUnusable, "\(error)")
            #expect(error.reason.contains(key.path))
            #expect(!error.reason.contains("words"))
        }
    }

    @Test("Nothing to log in with is an error of its own")
    func noLogin() async throws {
        let server = try await SSHServer()
        #expect(try await failure(server, SSHLogin()).code == .loginMissing)
    }

    @Test("An agent signs with whichever of its keys the server takes")
    func agent() async throws {
        let server = try await SSHServer()
        let agent = try await SSHAgent(keys: [
            try await server.makeKey("rsa", name: "old", authorized: false),
            try await server.makeKey(name: "unknown", authorized: false),
            try await server.makeKey("ecdsa", name: "known"),
        ])
        #expect(try await output(server, SSHLogin(agentSocket: agent.socket)) == "on\n")
    }

    @Test("An agent without a key, with others' keys, and no agent at all")
    func uselessAgents() async throws {
        let server = try await SSHServer()
        let empty = try await SSHAgent(keys: [])
        #expect(try await failure(server, SSHLogin(agentSocket: empty.socket)).code == .credentialsUnusable)
        let foreign = try await SSHAgent(keys: [try await server.makeKey(name: "unknown", authorized: false)])
        #expect(try await failure(server, SSHLogin(agentSocket: foreign.socket)).code == .loginRefused)
        #expect(try await failure(server, SSHLogin(agentSocket: "/nowhere/agent")).code == .credentialsUnusable)
    }
}

@Suite(
    "SSH: logins by password", .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "a user of its own needs root"))
struct SSHPasswordTests {
    private static let password = "correct horse"

    private func server(_ methods: String?) async throws -> SSHServer {
        var options = SSHServer.Options()
        options.accounts = .clerk(password: Self.password)
        options.methods = methods
        return try await SSHServer(options)
    }

    @Test("A password, as such and as the answer to a prompt", arguments: ["password", "keyboard-interactive", nil])
    func passwords(methods: String?) async throws {
        let server = try await server(methods)
        try await server.withHost(SSHLogin(password: Secret(Self.password))) { host in
            let result = try await host.run(RemoteCommand.patient("id -un"))
            #expect(result.text == "clerk\n")
        }
    }

    @Test("A wrong password is refused", arguments: ["password", "keyboard-interactive", nil])
    func wrongPassword(methods: String?) async throws {
        let server = try await server(methods)
        let error = try await sshError {
            try await server.withHost(SSHLogin(password: Secret("wrong"))) {
                _ = try await $0.run(RemoteCommand.patient("id"))
            }
        }
        #expect(error.code == .loginRefused, "\(error)")
        #expect(!error.offeredMethods.isEmpty)
        #expect(!error.reason.contains("wrong\""))
    }

    @Test(
        "A refused key, or one that cannot be used, does not stand in the password's way, even where attempts are few",
        arguments: [
            "", "secret words",
        ])
    func passwordAfterKey(passphrase: String) async throws {
        var options = SSHServer.Options()
        options.accounts = .clerk(password: Self.password)
        options.lines = ["MaxAuthTries 2"]
        let server = try await SSHServer(options)
        let key = SSHLogin.PrivateKey(path: try await server.makeKey(passphrase: passphrase, authorized: false))
        try await server.withHost(SSHLogin(privateKey: key, password: Secret(Self.password))) { host in
            let result = try await host.run(RemoteCommand.patient("echo on"))
            #expect(result.text == "on\n")
        }
    }

    @Test(
        "A key and then a password, where the server wants both",
        arguments: [
            "publickey,password", "publickey,keyboard-interactive", "password,publickey",
        ])
    func bothFactors(methods: String) async throws {
        let server = try await server(methods)
        let key = SSHLogin.PrivateKey(path: try await server.makeKey())
        try await server.withHost(SSHLogin(privateKey: key, password: Secret(Self.password))) { host in
            let result = try await host.run(RemoteCommand.patient("echo on"))
            #expect(result.text == "on\n")
        }
        let error = try await sshError {
            try await server.withHost(SSHLogin(privateKey: key)) { _ = try await $0.run(RemoteCommand.patient("id")) }
        }
        #expect(error.code == .loginRefused)
    }

    @Test("What the user may not write, SFTP refuses with its reason")
    func permissions() async throws {
        let server = try await server("password")
        try await server.withHost(SSHLogin(password: Secret(Self.password))) { host in
            let error = try await sshError {
                try await host.upload(.bytes([1]), to: "/etc/kiosk-test", progress: { _ in })
            }
            #expect(error.code == .uploadRefused)
            #expect(error.reason.contains("permission denied"))
        }
    }
}

@Suite("PasswordPrompt")
struct PasswordPromptTests {
    @Test(
        "The password answers the one hidden prompt of the first round that has any, and nothing else",
        arguments: [
            ([[false]], [true]), ([[], [false], []], [false, true, false]), ([[false], [false]], [true, false]),
            ([[true]], [false]), ([[true], [false]], [false, false]), ([[false, false]], [false]),
            ([[true, false], [false]], [false, false]),
        ])
    func takes(rounds: [[Bool]], expected: [Bool]) {
        var prompt = PasswordPrompt()
        #expect(rounds.map { prompt.accepts($0) } == expected)
    }
}

@Suite struct AgentSignatureTests {
    private static func request(_ algorithm: String, method: String = "publickey") -> [UInt8] {
        var writer = WireWriter()
        writer.string([1, 2, 3])
        writer.byte(50)
        for word in ["till", "ssh-connection", method] { writer.string(Array(word.utf8)) }
        writer.byte(1)
        writer.string(Array(algorithm.utf8))
        writer.string([4, 5, 6])
        return writer.octets
    }

    @Test(
        arguments: [("ssh-rsa", 0), ("rsa-sha2-256", 2), ("rsa-sha2-512", 4), ("ssh-ed25519", 0)] as [(String, UInt32)])
    func `an agent is asked for the signature that the login names`(_ algorithm: String, _ flags: UInt32) {
        #expect(AgentClient.flags(forSigning: Self.request(algorithm)) == flags)
    }

    @Test func `what is not a login asks for nothing special, wherever it ends`() {
        let request = Self.request("rsa-sha2-512")
        for count in 0..<request.count - 7 { #expect(AgentClient.flags(forSigning: Array(request.prefix(count))) == 0) }
    }
}
