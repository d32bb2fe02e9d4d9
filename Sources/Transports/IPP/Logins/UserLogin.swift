import PrintModel

/// A user name and password from saved credentials.
struct UserLogin: Hashable, Sendable {
    /// The credentials' name in the registry.
    let name: String
    let user: String
    let password: Secret

    init(_ credentials: Credentials, name: String) throws(LoginFailure.Reason) {
        guard let user = credentials.user, let password = credentials.password else { throw .noUser(name) }
        // RFC 7617 §2 and RFC 7616's quoted-string allow none.
        guard !Self.hasControlCharacters(user), !Self.hasControlCharacters(password.reveal()) else {
            throw .controlCharacter(name)
        }
        self.name = name
        self.user = user
        self.password = password
    }

    /// The Authorization field's value for Basic (RFC 7617), which hides nothing from whoever sees it; in UTF-8,
    /// whether or not the server says that it expects that (§2.1).
    func basicField() throws(LoginFailure.Reason) -> Secret {
        // §2: the first colon ends the user name.
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser(name) }
        return Secret("Basic " + Base64.encode(Array("\(user):\(password.reveal())".utf8)))
    }

    private static func hasControlCharacters(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}

/// Why no login succeeded with a printer that demands one.
struct LoginFailure: Error, Hashable, Sendable {
    var reason: Reason
    /// The printer's name for what the login protects.
    var realm: String?
    /// The authentication schemes that it offered, in its spelling.
    var schemes: [String]

    enum Reason: Error, Hashable, Sendable {
        /// The registry names no credentials for the printer.
        case noneSaved
        /// The credentials of this name have no user or no password.
        case noUser(String)
        /// Others can read the connection, and the registry does not allow a login over it.
        case notPrivate
        /// TLS did not verify who answers (`trust: none`), and the registry does not allow a login over the connection.
        case notVerified
        /// The printer took Digest before, and now wants the password itself over a connection that others can read.
        case weakened
        /// The printer offers no known scheme, or its challenges cannot be parsed.
        case noKnownScheme
        /// The printer refused the user name or the password.
        case refused(user: String, credentials: String)
        /// The credentials cannot be read; the text names the file and the problem.
        case unusable(String)
        /// Basic cannot carry the colon in the user name of these credentials.
        case colonInUser(String)
        case controlCharacter(String)
    }

    init(_ reason: Reason, _ challenges: [AuthenticationChallenge]) {
        self.reason = reason
        realm = challenges.lazy.compactMap { $0.parameters["realm"] }.first
        schemes = challenges.map(\.scheme)
    }
}
