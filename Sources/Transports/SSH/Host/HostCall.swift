import NIOCore

/// One channel's worth of work on a host, from its submission until its channel is closed.
final class HostCall {
    let work: any ChannelWork
    let lane: RemoteCommand.Lane
    /// Whether a broken connection already made it begin anew.
    var isRetried = false

    init(_ work: any ChannelWork, lane: RemoteCommand.Lane) {
        self.work = work
        self.lane = lane
    }
}

/// What a caller holds of its call: the way to cancel it. Its members are used on the host's event loop only.
final class CallTicket: @unchecked Sendable {
    var cancel: ((SSHError) -> Void)?
    var isCancelled = false
}
