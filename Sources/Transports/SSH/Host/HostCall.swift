internal import NIOCore

/// One channel's worth of work on a host, from its submission until its channel is closed.
final class HostCall {
    let work: any ChannelWork
    let lane: RemoteCommand.Lane
    /// Whether a broken connection already made it begin anew.
    var isRetried = false
    /// Refusals in a row that may have come only because the server had not closed another channel yet.
    var refusals = 0

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
