import NIOCore

/// What is done with a channel of a session: run a command, or speak SFTP.
protocol ChannelWork: AnyObject {
    /// What an error calls it.
    var name: String { get }
    /// The channel request that starts it (RFC 4254 §6.5) and its argument.
    var request: (kind: String, argument: String) { get }
    /// Nobody waits for it any more: its channel is closed.
    var isGivenUp: Bool { get }
    /// Its channel is open.
    func opened()
    /// The server agreed to the request.
    func started()
    /// Goes on; `.done` closes the channel. Throws what ends this work alone.
    func step(on stream: ChannelStream) throws(SSHError) -> ChannelStep
    /// Called now and then: ends what waits for too long.
    func checkTime(_ now: NIODeadline)
    func failed(_ error: SSHError)
}

enum ChannelStep {
    case stuck, moved, done
}
