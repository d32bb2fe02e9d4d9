package import KioskPrintModel
import NIOCore
import NIOPosix

/// The credentials of a login. Each method that the server offers is tried: the key file, the agent, the password (as
/// such and for prompts that do not echo), until the server is satisfied.
package struct SSHLogin: Hashable, Sendable {
    package var privateKey: PrivateKey?
    /// The socket of an ssh-agent.
    package var agentSocket: String?
    package var password: Secret?

    /// A file in OpenSSH's format or PEM.
    package struct PrivateKey: Hashable, Sendable {
        package var path: String
        package var passphrase: Secret?

        package init(path: String, passphrase: Secret? = nil) {
            self.path = path
            self.passphrase = passphrase
        }
    }

    package init(privateKey: PrivateKey? = nil, agentSocket: String? = nil, password: Secret? = nil) {
        self.privateKey = privateKey
        self.agentSocket = agentSocket
        self.password = password
    }

    package var isEmpty: Bool { privateKey == nil && agentSocket == nil && password == nil }
}

/// A login whose key file has been read.
struct LoadedLogin: Sendable {
    struct Key: Sendable {
        let path: String
        let octets: [UInt8]
        let file: PrivateKeyFile

        var isRSA: Bool { file.algorithm == "ssh-rsa" }
    }

    private(set) var key: Key?
    /// Why the key file cannot be used, when there are other credentials to try.
    private(set) var keyFailure: SSHError?
    let passphrase: String?
    let agentSocket: String?
    let password: String?

    /// Reads the key file on the thread pool.
    static func load(
        _ login: SSHLogin, threadPool: NIOThreadPool, eventLoop: any EventLoop
    ) -> EventLoopFuture<LoadedLogin> {
        guard !login.isEmpty else {
            return eventLoop.makeFailedFuture(
                SSHError(.loginMissing, operation: "log in", reason: "no key, agent or password is saved"))
        }
        let loaded = LoadedLogin(
            passphrase: login.privateKey?.passphrase?.reveal(), agentSocket: login.agentSocket,
            password: login.password?.reveal())
        guard let path = login.privateKey?.path else { return eventLoop.makeSucceededFuture(loaded) }
        return threadPool.runIfActive(eventLoop: eventLoop) {
            var loaded = loaded
            do throws(SSHError) {
                let (file, octets) = try PrivateKeyFile.open(path, hasPassphrase: loaded.passphrase != nil)
                loaded.key = Key(path: path, octets: octets, file: file)
            } catch {
                if loaded.agentSocket == nil, loaded.password == nil { throw error }
                loaded.keyFailure = error
            }
            return loaded
        }
    }

    private init(passphrase: String?, agentSocket: String?, password: String?) {
        self.passphrase = passphrase
        self.agentSocket = agentSocket
        self.password = password
    }
}
