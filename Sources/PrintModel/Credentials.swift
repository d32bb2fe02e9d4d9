/// A text that nothing shows: not a log, not an error, not a dump.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    public init(_ text: String) { self.text = text }

    /// For the one place that hands it to the other side.
    public func reveal() -> String { text }

    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What to log in to a printer with. The registry knows it by name only.
///
/// Over HTTP: a user with a password, a client certificate, or both. Over SSH: a private key, an agent, a password, or
/// several of them; the user stands in the printer's URL.
public struct Credentials: Hashable, Sendable {
    public var user: String?
    public var password: Secret?
    /// What proves who we are to a server that demands it in the TLS handshake.
    public var clientCertificate: ClientCertificate?
    /// What proves who we are to an SSH server.
    public var privateKey: PrivateKey?
    /// Who signs for us at an SSH server.
    public var agent: Agent?

    public init(
        user: String? = nil, password: Secret? = nil, clientCertificate: ClientCertificate? = nil,
        privateKey: PrivateKey? = nil, agent: Agent? = nil
    ) {
        self.user = user
        self.password = password
        self.clientCertificate = clientCertificate
        self.privateKey = privateKey
        self.agent = agent
    }

    public struct ClientCertificate: Hashable, Sendable {
        /// A PKCS#12 file, or a PEM file with the certificate, its chain and perhaps its key; absolute.
        public var path: String
        /// A PEM file with the key, where it stands apart.
        public var keyPath: String?
        public var passphrase: Secret?

        public init(path: String, keyPath: String? = nil, passphrase: Secret? = nil) {
            self.path = path
            self.keyPath = keyPath
            self.passphrase = passphrase
        }
    }

    public struct PrivateKey: Hashable, Sendable {
        /// A file in OpenSSH's form or PEM; absolute.
        public var path: String
        public var passphrase: Secret?

        public init(path: String, passphrase: Secret? = nil) {
            self.path = path
            self.passphrase = passphrase
        }
    }

    /// An ssh-agent(1).
    public enum Agent: Hashable, Sendable {
        /// The one whose socket `SSH_AUTH_SOCK` of this process names.
        case environment
        /// Absolute.
        case socket(path: String)
    }
}

/// Where transports get secrets from, at the moment of need: what the file says then counts.
public protocol CredentialSource: Sendable {
    /// Throws `CredentialError`: no such name, a file that others can read, a file that cannot be read.
    func credentials(named name: String) async throws -> Credentials
}

/// Why there are no credentials; never holds a secret.
public struct CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with which file, and what to do.
    public var message: String

    public init(_ message: String) { self.message = message }

    public var description: String { message }
}
