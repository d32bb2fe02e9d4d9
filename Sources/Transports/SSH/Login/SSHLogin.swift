package import PrintModel

/// What to log in with. Each that is there and that the server offers is tried: the key file, the agent, the password
/// (as such and for prompts that do not echo), until the server is content.
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
