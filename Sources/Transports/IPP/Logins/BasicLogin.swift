import PrintModel

/// RFC 7617. What it sends is readable by whoever sees it.
enum BasicLogin {
    /// The Authorization field's value; in UTF-8, whether or not the server says that it expects that (§2.1).
    static func field(_ login: UserLogin) throws(LoginFailure.Reason) -> Secret {
        // §2: the first colon ends the user name.
        guard !login.user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser(login.name) }
        return Secret("Basic " + Base64.encode(Array("\(login.user):\(login.password.reveal())".utf8)))
    }
}
