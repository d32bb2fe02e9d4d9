/// Why a printer that wants a login got none that it takes.
struct LoginFailure: Error, Hashable, Sendable {
    var reason: Reason
    /// What the printer calls the place that the login is for.
    var realm: String?
    /// The ways to log in that it offered, in its own spelling.
    var schemes: [String]

    enum Reason: Error, Hashable, Sendable {
        /// The registry names no credentials for the printer.
        case noneSaved
        /// The credentials of this name have no user or no password.
        case noUser(String)
        /// The connection can be read by others, and the registry does not allow a login over it.
        case notPrivate
        /// The connection is one of TLS with whoever answers (`trust: none`), and the registry does not allow a login
        /// over it.
        case notVerified
        /// It took Digest before, and wants the password itself now, over a connection that others can read.
        case weakened
        /// It offers no way that we know, or what it says cannot be understood.
        case noKnownScheme
        /// What was sent is wrong.
        case refused(user: String, credentials: String)
        /// The credentials cannot be had; what is wrong with which file.
        case unusable(String)
        /// Basic cannot carry a colon in the user's name of these credentials.
        case colonInUser(String)
        case controlCharacter(String)
    }
}

extension LoginFailure {
    init(_ reason: Reason, _ challenges: [AuthenticationChallenge]) {
        self.reason = reason
        realm = challenges.lazy.compactMap { $0.parameters["realm"] }.first
        schemes = challenges.map(\.scheme)
    }
}
