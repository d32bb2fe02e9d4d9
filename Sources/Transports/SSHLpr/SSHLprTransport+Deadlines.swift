import SSH

extension SSHLprTransport {
    /// How long to wait for a host and its programs.
    public struct Deadlines: Sendable {
        /// Until a connection stands.
        public var connect: Duration = .seconds(10)
        /// From there until the host key is known, and from there until we are logged in.
        public var login: Duration = .seconds(20)
        /// Without anything to do, until a connection is closed.
        public var idle: Duration = .seconds(300)
        /// For an answer of `lpq` and its like.
        public var question: Duration = .seconds(30)
        /// Without an octet moving while a document goes out, and from its last octet until `lpr` has ended: LPRng's
        /// tries three times, ten seconds apart.
        public var stall: Duration = .seconds(120)
        /// For a whole document.
        public var delivery: Duration = .seconds(4 * 3600)
        /// For one step of a conversion.
        public var conversion: Duration = .seconds(600)
        /// For a host that is out of reach while it has a job of ours.
        public var lostHost: Duration = .seconds(300)
        /// For a queue whose `lpq` says what nobody understands while it has a job of ours.
        public var unclearQueue: Duration = .seconds(60)

        public init() {}
    }
}

extension SSHLprTransport.Deadlines {
    var connection: SSHDeadlines {
        var deadlines = SSHDeadlines()
        deadlines.connect = connect
        deadlines.handshake = login
        deadlines.login = login
        deadlines.idle = idle
        return deadlines
    }
}
