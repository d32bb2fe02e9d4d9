import PrintModel

/// A user and a password that were saved under a name.
struct UserLogin: Hashable, Sendable {
    /// Of the credentials, as the registry names them.
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

    private static func hasControlCharacters(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}
