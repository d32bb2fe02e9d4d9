/// A string that never appears in a log, an error or a dump: a password or passphrase.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Wraps a secret.
    public init(_ text: String) { self.text = text }

    /// The string, only for the code that sends it to the other side.
    public func reveal() -> String { text }

    /// `(secret)`: never the secret itself.
    public var description: String { "(secret)" }
    /// `(secret)`: never the secret itself.
    public var debugDescription: String { description }
    /// A mirror without children, so that a dump shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The credentials for logging in to a printer. The registry knows only their name.
///
/// Over HTTP: a user with a password, a token, a client certificate, or several of them. Over SSH: a private key, an
/// agent, a password, or several of them; the user is part of the printer's URL.
public struct Credentials: Hashable, Sendable {
    /// The user name for HTTP's Basic or Digest authentication. Over SSH the printer's URL names the user, who must be
    /// the same where both are given.
    public var user: String?
    /// The user's password.
    public var password: Secret?
    /// A token for HTTP's Bearer authentication (RFC 6750).
    public var token: Secret?
    /// Authenticates us to a server that requests a certificate in the TLS handshake.
    public var clientCertificate: ClientCertificate?
    /// Authenticates us to an SSH server.
    public var privateKey: PrivateKey?
    /// The agent that signs for us at an SSH server.
    public var agent: Agent?

    /// Creates credentials from those parts that are known.
    public init(
        user: String? = nil, password: Secret? = nil, clientCertificate: ClientCertificate? = nil,
        privateKey: PrivateKey? = nil, agent: Agent? = nil, token: Secret? = nil
    ) {
        self.user = user
        self.password = password
        self.clientCertificate = clientCertificate
        self.privateKey = privateKey
        self.agent = agent
        self.token = token
    }

    /// A TLS client certificate (RFC 8446 §4.4.2) and its private key, in files.
    public struct ClientCertificate: Hashable, Sendable {
        /// The absolute path of a PKCS#12 file, or of a PEM file with the certificate, its chain and perhaps its key.
        public var path: String
        /// The absolute path of a PEM file with the key, where that is a separate file.
        public var keyPath: String?
        /// The passphrase of the key or of the PKCS#12 file; nil where there is none.
        public var passphrase: Secret?

        /// Creates a reference to a certificate's files, which are read at each login.
        public init(path: String, keyPath: String? = nil, passphrase: Secret? = nil) {
            self.path = path
            self.keyPath = keyPath
            self.passphrase = passphrase
        }
    }

    /// A private key for SSH's public key authentication (RFC 4252 §7), in a file.
    public struct PrivateKey: Hashable, Sendable {
        /// The absolute path of a file in OpenSSH's format or PEM.
        public var path: String
        /// The passphrase of the key; nil where there is none.
        public var passphrase: Secret?

        /// Creates a reference to a key's file, which is read at each login.
        public init(path: String, passphrase: Secret? = nil) {
            self.path = path
            self.passphrase = passphrase
        }
    }

    /// An ssh-agent(1).
    public enum Agent: Hashable, Sendable {
        /// The agent at the socket in this process's `SSH_AUTH_SOCK`.
        case environment
        /// The agent at the socket with this absolute path.
        case socket(path: String)
    }
}

/// The source from which transports read credentials, each time that they need them.
public protocol CredentialSource: Sendable {
    /// The credentials with this name, as they are stored now.
    /// - Throws: `CredentialError`: no such name, a file that others can read, a file that cannot be read.
    func credentials(named name: String) async throws -> Credentials
}

/// The reason why there are no usable credentials; never contains a secret.
public struct CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with which file, and what to do.
    public var message: String
    /// The words of a command that mends it; nil where there is none.
    package var remedy: [String]?

    /// Creates an error; `message` must contain no secret.
    public init(_ message: String) { self.message = message }

    /// Creates an error whose message ends in the command.
    package init(_ message: String, remedy: [String]) {
        self.message = message
        self.remedy = remedy
    }

    /// The message.
    public var description: String { message }
}

extension Credentials {
    /// Checks that these credentials can log in at a printer's URL at all, whatever the password. `name` is the name of
    /// the credentials, for the message.
    /// - Throws: `CredentialError` with what is missing, and what to do.
    public func check(named name: String, for url: PrinterURL) throws(CredentialError) {
        guard url.scheme == .sshLpr else {
            let hasLogin = clientCertificate != nil || token != nil || user != nil && password != nil
            guard url.scheme == .usb || hasLogin else {
                throw CredentialError(
                    "the credentials \"\(name)\" hold no user with a password, no token and no client certificate, which \(url.scheme) logs in with; add them to the secrets file"
                )
            }
            return
        }
        guard privateKey != nil || agent != nil || password != nil else {
            throw CredentialError(
                "the credentials \"\(name)\" hold no private key, agent or password, which \(url.scheme) logs in with; add one to the secrets file"
            )
        }
        if let user, let wanted = url.user, user != wanted {
            throw CredentialError(
                "the credentials \"\(name)\" are for another user than the one in \(url); remove the user from the secrets file, or correct one of them"
            )
        }
    }
}
