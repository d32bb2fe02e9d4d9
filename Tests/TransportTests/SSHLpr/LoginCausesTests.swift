import Foundation
import PrintModel
import SSHLpr
import TestSupport
import Testing

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
