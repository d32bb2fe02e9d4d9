import NIOCore

// Commands that were given up and do not end.
extension HostCore {
    /// How long they may hold up the line.
    private static let lingerTime = TimeAmount.seconds(2)

    /// A command that reads no input keeps its closed channel open at the server, and OpenSSH counts any until it has
    /// ended, though its channel be closed for long. Where they hold up those who wait, these get another connection:
    /// in place of this one, where nothing else goes on, else beside it.
    func makeWay(_ now: NIODeadline) {
        waitingSince = line.isEmpty ? nil : waitingSince ?? now
        let lingering = operations.count { $0.closingSince.map { now - $0 > Self.lingerTime } ?? false }
        if lingering > 0, lingering == operations.count, !line.isEmpty || spare != nil {
            return reconnect("closed channels hold up the others")
        }
        guard let since = waitingSince, spare != nil || now - since > Self.lingerTime,
            lingering > 0 || isRefusedForAbandoned
        else { return }
        let spare =
            spare
            ?? HostCore(
                endpoint, policy: policy, login: login, deadlines: deadlines, clock: clock, eventLoop: eventLoop,
                threadPool: threadPool, logger: logger)
        self.spare = spare
        line.removeAll().forEach { spare.line.add($0, to: $0.lane) }
        spare.advance()
    }

    private var isRefusedForAbandoned: Bool { abandoned > 0 && line.limit < ChannelLine<HostCall>.mostChannels }
}
