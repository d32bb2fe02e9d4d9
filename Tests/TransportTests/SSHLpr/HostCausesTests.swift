import Foundation
import KioskPrintModel
import KioskSSHLpr
import KioskTestSupport
import Testing

/// A host that is not reached or not trusted, by each real cause, as contact and delivery tell of it.
@Suite struct HostCausesTests {
    enum Cause: Sendable {
        case unknownName, closedPort, silentPort, frozenServer, otherService, noCommonAlgorithm, unknownKey, changedKey,
            revokedKey
    }

    @Test(arguments: [
        (Cause.unknownName, TransportError.Code.hostNotFound, "nobody.invalid is not known; check the printer's URL"),
        (.closedPort, .connectionRefused, "check that the host is on"),
        (.silentPort, .timedOut, "check the host"),
        (.frozenServer, .timedOut, "check the host"),
        (.otherService, .connectionLost, "check that the URL names an SSH server"),
        (.noCommonAlgorithm, .noCommonAlgorithm, "let it offer one of them, too"),
        (.unknownKey, .hostKeyUnknown, "`kioskctl printers trust`"),
        (.changedKey, .hostKeyChanged, "if it was renewed on purpose, accept the new one"),
        (.revokedKey, .hostKeyRevoked, "find out who answers there"),
    ])
    func `a host that is not reached or not trusted gets nothing, and people read why`(
        _ cause: Cause, _ code: TransportError.Code, _ advice: String
    ) async throws {
        let place = try await Place(cause)
        for error in try await place.host.failures(at: place.target) {
            #expect(error.code == code, "\(error.message)")
            #expect(error.bytesAccepted == 0)
            #expect(error.message.hasPrefix("\(place.target.url): "), "\(error.message)")
            #expect(error.message.contains(advice), "\(error.message)")
            #expect((error.identity != nil) == [.hostKeyUnknown, .hostKeyChanged, .hostKeyRevoked].contains(code))
        }
        #expect(!place.host.server.log.contains("userauth-request"))
        place.host.server.thaw()
        await place.host.transport.shutDown()
    }

    /// A host that is as a cause has it.
    private struct Place {
        let host: LprHost
        private(set) var target: PrinterTarget
        private var listener: Listener?

        init(_ cause: Cause) async throws {
            var options = SSHServer.Options()
            if cause == .noCommonAlgorithm { options.hostKeyTypes = ["rsa"] }
            var deadlines = SSHLprTransport.Deadlines()
            if cause == .silentPort || cause == .frozenServer { deadlines.login = .milliseconds(300) }
            host = try await LprHost(environment: [:], deadlines: deadlines, options: options)
            target = host.target
            switch cause {
            case .unknownName: target.url = try PrinterURL("ssh+lpr://kiosk@nobody.invalid/receipt")
            case .closedPort: target.url = try PrinterURL("ssh+lpr://kiosk@127.0.0.1:\(try freePort())/receipt")
            case .silentPort:
                let silent = try Listener()
                target.url = try PrinterURL("ssh+lpr://kiosk@127.0.0.1:\(silent.port)/receipt")
                listener = silent
            case .frozenServer: try await host.server.freeze()
            case .otherService:
                let cups = try await CupsServer()
                listener = Listener(cups)
                target.url = try PrinterURL("ssh+lpr://kiosk@127.0.0.1:\(cups.port)/receipt")
            case .noCommonAlgorithm: break
            case .unknownKey: try known("")
            case .changedKey: try await host.server.changeHostKeys()
            case .revokedKey:
                let key = try #require(try host.server.hostKeyLines().first)
                try known("@revoked [127.0.0.1]:\(host.server.port) \(key)\n")
            }
        }

        private func known(_ lines: String) throws {
            try Data(lines.utf8).write(to: URL(fileURLWithPath: "\(host.server.home).known_hosts"))
        }
    }

    /// What listens in place of an SSH server.
    private final class Listener: Sendable {
        let port: Int
        private let descriptor: Int32
        private let cups: CupsServer?

        /// The kernel takes connections, and nobody ever reads from them.
        init() throws {
            (descriptor, port) = try listenOnLoopback()
            cups = nil
        }

        init(_ cups: CupsServer) {
            (descriptor, port) = (-1, cups.port)
            self.cups = cups
        }

        deinit { if descriptor >= 0 { close(descriptor) } }
    }
}

extension LprHost {
    /// What contact and delivery say of a host or a queue.
    func failures(at target: PrinterTarget) async throws -> [TransportError] {
        [
            try await transportError { _ = try await transport.contact(target) },
            try await transportError {
                _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3]), to: target) { _ in }
            },
        ]
    }
}

/// A host that lets nobody in, by each real cause.
@Suite struct LoginCausesTests {
    /// What contact says where this is all there is to log in with; none of the secrets stands in it.
    private func refusal(of credentials: Credentials?, at server: SSHServer) async throws -> TransportError {
        let transport = SSHLprTransport(
            credentials: credentials.map { SavedCredentials(named: "host", $0) } ?? SavedCredentials())
        var target = try server.target(queue: "receipt")
        if credentials == nil { target.credentials = nil }
        let seen = target
        let contact = try await transportError { _ = try await transport.contact(seen) }
        let delivery = try await transportError {
            _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3]), to: seen) { _ in }
        }
        await transport.shutDown()
        #expect(delivery.code == contact.code)
        #expect(delivery.bytesAccepted == 0)
        #expect(contact.message.hasPrefix("\(seen.url): "), "\(contact.message)")
        #expect(!contact.message.contains(Self.secret))
        return contact
    }

    private static let secret = "hunter2 and more"

    @Test func `a key that the host does not know is refused, and the message says what the host takes`() async throws {
        let server = try await SSHServer()
        let key = try await server.makeKey(authorized: false)
        let error = try await refusal(of: Credentials(privateKey: .init(path: key)), at: server)
        #expect(error.code == .loginRefused)
        #expect(error.message.contains("it offers publickey;"), "\(error.message)")
        #expect(error.message.contains("check the user in the URL and the credentials"))
    }

    @Test(.enabled(if: geteuid() == 0, "accounts of its own take root"))
    func `a wrong password is refused, and the message says what the host takes`() async throws {
        var options = SSHServer.Options()
        options.accounts = .clerk(password: "the right one")
        let server = try await SSHServer(options)
        let error = try await refusal(of: Credentials(password: Secret(Self.secret)), at: server)
        #expect(error.code == .loginRefused)
        #expect(error.message.contains("the login of clerk"), "\(error.message)")
        #expect(error.message.contains("it offers publickey, password, keyboard-interactive;"), "\(error.message)")
    }

    @Test(arguments: [true, false])
    func `a key that a wrong passphrase, or none, does not open is named`(_ isGiven: Bool) async throws {
        let server = try await SSHServer()
        let key = try await server.makeKey(passphrase: "correct horse")
        let error = try await refusal(
            of: Credentials(privateKey: .init(path: key, passphrase: isGiven ? Secret(Self.secret) : nil)), at: server)
        #expect(error.code == .credentialsUnusable)
        #expect(error.message.contains(key), "\(error.message)")
        #expect(error.message.contains("passphrase"), "\(error.message)")
    }

    @Test func `without a login the message says what the host takes and where to save it`() async throws {
        let error = try await refusal(of: nil, at: try await SSHServer())
        #expect(error.code == .authenticationRequired)
        #expect(error.message.contains("put a key or a password in the secrets file"), "\(error.message)")
    }
}
