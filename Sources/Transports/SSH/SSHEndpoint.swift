/// Who is reached where.
package struct SSHEndpoint: Hashable, Sendable {
    /// A name, or an address without brackets.
    package var host: String
    package var port: Int
    package var user: String

    package init(host: String, port: Int = 22, user: String) {
        self.host = host
        self.port = port
        self.user = user
    }
}

/// How long each step may take.
package struct SSHDeadlines: Hashable, Sendable {
    /// Until TCP stands, over all addresses of the host.
    package var connect: Duration = .seconds(10)
    /// From there until the host key is known.
    package var handshake: Duration = .seconds(10)
    /// From there until we are logged in.
    package var login: Duration = .seconds(20)
    /// Until the server opens a channel, or answers an SFTP request.
    package var answer: Duration = .seconds(15)
    /// Without anything to do, until the session is closed.
    package var idle: Duration = .seconds(300)
    /// Without an octet from the server, until it is asked for one; it is given up after the same time once more.
    package var keepAlive: Duration = .seconds(30)
    /// From an SFTP call until it is begun, and until its end where it moves no document.
    package var sftp: Duration = .seconds(60)
    /// How often a server is asked for a sign of life before the session is made anew, at a moment when nothing goes
    /// on: libssh2 keeps each answer as long as the session lasts.
    package var mostKeepAlives = 500

    package init() {}
}
